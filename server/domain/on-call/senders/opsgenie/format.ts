import type { Alert } from '@signalbox/contract/signal.ts'
import { alertFrom, makeReading, objectFormat } from '../reading/alert.ts'
import { identity, wholeBody } from '../reading/identity.ts'
import { at, pairsOf } from '../reading/json.ts'
import { tagPairs } from '../reading/labels.ts'
import { hasText, quoted, textOf } from '../reading/text.ts'
import { rate } from './severity.ts'

interface Change {
  status: Alert['status']
  updateOnly: boolean
}

/**
 * What each action does to an alert. All others (notes, tags, teams, escalations, and whatever a customer calls an
 * action) do nothing.
 */
const changes = new Map<string, Change>([
  ['create', { status: 'firing', updateOnly: false }],
  ['close', { status: 'resolved', updateOnly: false }],
  // A deleted alert can never be closed.
  ['delete', { status: 'resolved', updateOnly: false }],
  ['acknowledge', { status: 'firing', updateOnly: true }],
  ['unacknowledge', { status: 'firing', updateOnly: true }],
  ['updatepriority', { status: 'firing', updateOnly: true }],
  ['updatemessage', { status: 'firing', updateOnly: true }],
  ['updatedescription', { status: 'firing', updateOnly: true }],
])

export const format = objectFormat((body, delivered) => {
  const alert = at(body, 'alert')
  const action = textOf(at(body, 'action'))
  const alertId = textOf(at(alert, 'alertId'))
  // An alias is used again by the next alert, so it is only the second choice.
  const fingerprint = identity(alertId) || identity(textOf(at(alert, 'alias')))
  const change = changes.get(action.slice(0, 100).toLowerCase())
  const deliveryId = wholeBody(delivered, at(alert, 'updatedAt'))
  if (!change) return makeReading({ deliveryId, problem: `The action ${quoted(action)} changes no alert.` })
  if (fingerprint === '') return makeReading({ problem: 'The body has no `alert.alertId`.' })
  if (change.status === 'firing' && !hasText(at(alert, 'message')))
    return makeReading({
      deliveryId,
      problem: `The action ${quoted(action)} came without \`alert.message\`.`,
    })

  const details = at(alert, 'details')
  const tags = tagPairs(at(alert, 'tags'))
  const updatedAt = at(alert, 'updatedAt')
  const read = alertFrom({
    title: [at(alert, 'message'), at(alert, 'alias'), `Opsgenie alert ${fingerprint}`],
    ...change,
    rated: rate(at(alert, 'priority')),
    fingerprint,
    service: [at(alert, 'entity'), at(details, 'service'), tags.get('service')],
    environment: [at(details, 'environment'), at(details, 'env'), tags.get('environment'), tags.get('env')],
    description: [at(alert, 'description')],
    startedAt: at(alert, 'createdAt'),
    endedAt: change.status === 'resolved' ? updatedAt : null,
    occurredAt: updatedAt,
    labels: [
      ...tags,
      ['alias', at(alert, 'alias')],
      ['source', at(alert, 'source')],
      ['team', at(alert, 'teams', 0)],
      ...pairsOf(details),
    ],
    senderId: alertId,
  })
  return makeReading({ alerts: [read], deliveryId })
})
