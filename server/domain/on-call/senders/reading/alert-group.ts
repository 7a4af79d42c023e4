import type { Alert } from '@signalbox/contract/signal.ts'
import { alertFrom, makeReading, problemFrom } from './alert.ts'
import { hashOfPairs, identity } from './identity.ts'
import { at, type Fields, listAt, pairsOf } from './json.ts'
import type { Pair } from './labels.ts'
import type { ReadAlert, Reading } from './reading.ts'
import { rate } from './severity.ts'
import { hasText, quoted, textOf } from './text.ts'

/** What differs between the senders of groups. */
interface GroupSender {
  /** Labels that name the environment. */
  environments: readonly string[]
  links(alert: unknown, group: Fields): Pair[]
}

/**
 * Alerts that a sender puts together into one delivery. Each has a status of its own: the group fires while one of
 * them does. One that is not in the delivery has not recovered, it may just have been cut off.
 */
export function readGroup(group: Fields, sender: GroupSender): Reading {
  const alerts: ReadAlert[] = []
  const faults: string[] = []
  const members = listAt(group, 'alerts')
  for (const [position, alert] of members.entries()) {
    const read = readMember(alert, group, sender)
    if (typeof read === 'string') faults.push(`\`alerts[${position}]\` ${read}`)
    else alerts.push(read)
  }
  if (members.length === 0) faults.push('The delivery has no alerts.')
  const cutOff = Number(textOf(at(group, 'truncatedAlerts')))
  if (cutOff > 0)
    faults.push(`The sender left out ${cutOff} more that didn’t fit its limit. Raise that limit.`)
  return makeReading({ alerts, problem: problemFrom(faults) })
}

function readMember(alert: unknown, group: Fields, sender: GroupSender): ReadAlert | string {
  const labels = at(alert, 'labels')
  const note = (name: string) => at(alert, 'annotations', name)
  const status = statusOf(at(alert, 'status')) ?? statusOf(at(group, 'status'))
  const fingerprint = fingerprintOf(alert)
  if (status === null) return `has the status ${quoted(at(alert, 'status'))}: neither firing nor resolved.`
  if (fingerprint === null) return 'has neither a fingerprint nor labels to identify it.'
  const startedAt = at(alert, 'startsAt')
  const endedAt = status === 'resolved' ? at(alert, 'endsAt') : null
  const title = [
    titleOf(labels),
    note('summary'),
    note('title'),
    at(group, 'commonLabels', 'alertname'),
    at(group, 'title'),
  ]
  return alertFrom({
    title,
    status,
    rated: rate(at(labels, 'severity'), at(labels, 'priority')),
    fingerprint,
    service: ['service', 'service_name', 'job'].map((name) => at(labels, name)),
    environment: sender.environments.map((name) => at(labels, name)),
    description: [[note('description'), note('message'), note('summary')].find(hasText)],
    runbooks: [note('runbook_url'), note('runbook')],
    startedAt,
    endedAt,
    occurredAt: status === 'resolved' ? endedAt : startedAt,
    labels: pairsOf(labels),
    links: sender.links(alert, group),
    base: at(group, 'externalURL'),
  })
}

/** Grafana names an alert about a rule without data after the problem, not the rule: `rulename` has the rule's name. */
function titleOf(labels: unknown): string {
  const [name, rule] = [textOf(at(labels, 'alertname')), textOf(at(labels, 'rulename'))]
  return /^Datasource(NoData|Error)$/.test(name) && hasText(rule) ? `${name}: ${rule}` : name
}

function statusOf(value: unknown): Alert['status'] | null {
  const status = textOf(value).slice(0, 20).toLowerCase()
  return status === 'firing' || status === 'resolved' ? status : null
}

/** Two alerts may carry the same labels, so the sender's own fingerprint comes first; old versions send none. */
function fingerprintOf(alert: unknown): string | null {
  const given = identity(textOf(at(alert, 'fingerprint')))
  if (given !== '') return given
  const pairs = [...pairsOf(at(alert, 'labels'))].map(([key, value]) => [key, textOf(value)] as const)
  return pairs.length === 0 ? null : hashOfPairs('', pairs)
}
