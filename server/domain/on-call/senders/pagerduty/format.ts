import type { Alert } from '@signalbox/contract/signal.ts'
import { alertFrom, makeReading, objectFormat } from '../reading/alert.ts'
import { identity } from '../reading/identity.ts'
import { at, listAt } from '../reading/json.ts'
import type { Reading } from '../reading/reading.ts'
import { quoted, textOf } from '../reading/text.ts'
import { rate } from './severity.ts'

export const format = objectFormat((body, { headers }) => {
  const event = at(body, 'event')
  if (typeof event !== 'object' || event === null)
    return makeReading({ problem: 'The body has no `event`. Use a webhook subscription of version 3.' })
  // The id in the body is signed, the one in the header is not.
  const deliveryId = identity(textOf(at(event, 'id')) || textOf(headers['x-webhook-id'])) || null
  return { ...readEvent(event), deliveryId }
})

function readEvent(event: unknown): Reading {
  const type = textOf(at(event, 'event_type'))
  const incident = at(event, 'data')
  if (type === 'pagey.ping') return makeReading({ test: true })
  // The `id` of a note or a status update is not that of its incident.
  if (at(incident, 'type') !== 'incident')
    return makeReading({ problem: `The event ${quoted(type)} changes no incident.` })
  const id = identity(textOf(at(incident, 'id')))
  const status = statusOf(textOf(at(incident, 'status'))) ?? statusOf(type.replace(/^incident\./, ''))
  if (id === '') return makeReading({ problem: `The event ${quoted(type)} has no \`event.data.id\`.` })
  if (status === null)
    return makeReading({
      problem: `The event ${quoted(type)} has the status ${quoted(at(incident, 'status'))}, which is not known.`,
    })
  return makeReading({ alerts: [alertOf(event, { type, id, status })] })
}

function alertOf(
  event: unknown,
  { type, id, status }: { type: string; id: string; status: Alert['status'] },
) {
  const incident = at(event, 'data')
  const occurredAt = at(event, 'occurred_at')
  const merged = at(incident, 'resolve_reason', 'type') === 'merge_resolve_reason'
  return alertFrom({
    title: [at(incident, 'title'), at(incident, 'summary'), `PagerDuty incident ${id}`],
    status,
    rated: rate(
      at(incident, 'priority', 'summary'),
      at(incident, 'priority', 'name'),
      at(incident, 'urgency'),
    ),
    fingerprint: id,
    service: [at(incident, 'service', 'summary')],
    // A reopened incident starts again: it was created before the recovery that the reopening undoes.
    startedAt: type === 'incident.reopened' ? occurredAt : (at(incident, 'created_at') ?? occurredAt),
    endedAt: status === 'resolved' ? occurredAt : null,
    occurredAt,
    labels: [
      ['urgency', at(incident, 'urgency')],
      ['priority', at(incident, 'priority', 'summary')],
      ['number', at(incident, 'number')],
      ['escalation_policy', at(incident, 'escalation_policy', 'summary')],
      ['team', at(incident, 'teams', 0, 'summary')],
      ['incident_type', at(incident, 'incident_type', 'name')],
    ],
    links: [
      ['PagerDuty', at(incident, 'html_url')],
      ['Conference bridge', at(incident, 'conference_bridge', 'conference_url')],
      ['Merged into', at(incident, 'resolve_reason', 'incident', 'html_url')],
      ...listAt(incident, 'external_references').map(
        (reference) => ['Reference', at(reference, 'external_url')] as const,
      ),
    ],
    updateOnly: status === 'resolved' ? merged : !opens(type, textOf(at(incident, 'status'))),
    senderId: id,
  })
}

/** Acknowledged still fires. */
const statuses = new Map<string, Alert['status']>([
  ['triggered', 'firing'],
  ['acknowledged', 'firing'],
  ['resolved', 'resolved'],
])

const statusOf = (word: string) => statuses.get(word) ?? null

/** Other events are about an incident that someone already has. A raised priority counts while no one has it. */
const opens = (type: string, status: string) =>
  ['incident.triggered', 'incident.reopened'].includes(type) ||
  (type === 'incident.priority_updated' && status === 'triggered')
