import type { Alert } from '@signalbox/contract/signal.ts'
import { alertFrom, makeReading, objectFormat } from '../reading/alert.ts'
import { identity, wholeBody } from '../reading/identity.ts'
import { at, type Fields, isObject, listAt } from '../reading/json.ts'
import type { Reading } from '../reading/reading.ts'
import { unstatedSeverity } from '../reading/severity.ts'
import { firstLine, hasText, quoted, textOf } from '../reading/text.ts'
import { rate } from './severity.ts'

export const format = objectFormat((body, delivered) => {
  const times = [
    at(body, 'incident', 'updated_at'),
    at(body, 'component_update', 'created_at'),
    at(body, 'component', 'updated_at'),
  ]
  return { ...readBody(body), deliveryId: wholeBody(delivered, ...times) }
})

function readBody(body: Fields): Reading {
  if (isObject(at(body, 'incident'))) return readIncident(body)
  if (isObject(at(body, 'component')) || isObject(at(body, 'component_update'))) return readComponent(body)
  return makeReading({ problem: 'The body has neither `incident` nor `component`.' })
}

/** Monitoring is not yet resolved. */
const statuses = new Map<string, Alert['status']>([
  ...(['investigating', 'identified', 'monitoring', 'verifying', 'in_progress', 'scheduled'] as const).map(
    (status) => [status, 'firing'] as const,
  ),
  ...(['resolved', 'completed', 'postmortem'] as const).map((status) => [status, 'resolved'] as const),
])

function readIncident(body: Fields): Reading {
  const incident = at(body, 'incident')
  const updates = listAt(incident, 'incident_updates')
  const id = identity(textOf(at(incident, 'id')))
  const status = statuses.get(textOf(at(incident, 'status')))
  if (id === '') return makeReading({ problem: 'The incident has no `id`.' })
  if (!status)
    return makeReading({
      problem: `The incident has the status ${quoted(at(incident, 'status'))}, which is not known.`,
    })
  const updatedAt = at(incident, 'updated_at')
  const planned = hasText(at(incident, 'scheduled_for'))
  const alert = alertFrom({
    title: [at(incident, 'name'), `Status page incident ${id}`],
    status,
    rated: planned ? rate('maintenance') : rate(at(incident, 'impact')),
    fingerprint: `incident:${id}`,
    service: [at(incident, 'components', 0, 'name')],
    description: [at(updates, 0, 'body')],
    startedAt: isReopened(status, updates)
      ? updatedAt
      : (at(incident, 'started_at') ?? at(incident, 'created_at')),
    endedAt: status === 'resolved' ? (at(incident, 'resolved_at') ?? updatedAt) : null,
    occurredAt: updatedAt,
    labels: [
      ['page', at(body, 'page', 'name') ?? at(body, 'page', 'id')],
      ['status', at(incident, 'status')],
      ['impact', at(incident, 'impact')],
    ],
    links: [
      ['Status page', at(incident, 'shortlink')],
      ['Page', at(body, 'page', 'url')],
    ],
    // Written down afterwards, for the record.
    updateOnly: at(incident, 'backfilled') === true,
  })
  return makeReading({ alerts: [alert] })
}

/** It began again with the update after its end, not when it was first written down. */
const isReopened = (status: Alert['status'], updates: readonly unknown[]) =>
  status === 'firing' && updates.some((update) => statuses.get(textOf(at(update, 'status'))) === 'resolved')

const troubles = ['degraded_performance', 'partial_outage', 'major_outage', 'under_maintenance']

function readComponent(body: Fields): Reading {
  const update = at(body, 'component_update')
  const component = at(body, 'component')
  const id = identity(textOf(at(component, 'id')) || textOf(at(update, 'component_id')))
  const state = textOf(at(update, 'new_status') ?? at(component, 'status'))
  if (id === '') return makeReading({ problem: 'The component has no `id`.' })
  if (state !== 'operational' && !troubles.includes(state))
    return makeReading({ problem: `The component has the status ${quoted(state)}, which is not known.` })
  const recovered = state === 'operational'
  const name = firstLine([at(component, 'name'), `Component ${id}`], 200)
  const changedAt = at(update, 'created_at') ?? at(component, 'updated_at')
  const alert = alertFrom({
    title: [recovered ? name : `${name}: ${state.replaceAll('_', ' ')}`],
    status: recovered ? 'resolved' : 'firing',
    rated: recovered ? unstatedSeverity : rate(state),
    fingerprint: `component:${id}`,
    service: [at(component, 'name')],
    description: [
      at(component, 'description') ?? (recovered ? null : at(body, 'page', 'status_description')),
    ],
    startedAt: recovered ? null : changedAt,
    endedAt: recovered ? changedAt : null,
    occurredAt: changedAt,
    labels: [
      ['page', at(body, 'page', 'name') ?? at(body, 'page', 'id')],
      ['status', state],
    ],
    links: [['Page', at(body, 'page', 'url')]],
  })
  return makeReading({ alerts: [alert] })
}
