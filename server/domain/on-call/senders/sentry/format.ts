import type { Alert } from '@signalbox/contract/signal.ts'
import { alertFrom, makeReading, objectFormat } from '../reading/alert.ts'
import { identity } from '../reading/identity.ts'
import { at, isObject, listAt } from '../reading/json.ts'
import type { Pair } from '../reading/labels.ts'
import type { Reading } from '../reading/reading.ts'
import { unstatedSeverity } from '../reading/severity.ts'
import { quoted, textOf } from '../reading/text.ts'
import { rate } from './severity.ts'

/** By the header `Sentry-Hook-Resource`. The others (`installation`, `comment`, `error`) report no alert. */
const resources = new Map<string, (action: string, data: unknown) => Reading>([
  ['event_alert', readEvent],
  ['issue', readIssue],
  ['metric_alert', readMetricAlert],
])

export const format = objectFormat((body, { headers }) => {
  const data = at(body, 'data')
  const resource = textOf(headers['sentry-hook-resource']) || resourceIn(data)
  const read = resources.get(resource)
  if (!read) return makeReading({ problem: `The resource ${quoted(resource)} is not about an alert.` })
  return read(textOf(at(body, 'action')), data)
})

/** Where the header got lost, the body shows which it was. */
function resourceIn(data: unknown): string {
  if (isObject(at(data, 'metric_alert'))) return 'metric_alert'
  if (isObject(at(data, 'event'))) return 'event_alert'
  return isObject(at(data, 'issue')) ? 'issue' : 'unknown'
}

/** A rule for issues fired. Its recovery is that of the issue, and comes as one. */
function readEvent(_action: string, data: unknown): Reading {
  const event = at(data, 'event')
  const id = issueOf(event)
  if (id === '') return makeReading({ problem: 'The event has neither `issue_id` nor `issue_url`.' })
  const tags = tagsOf(event)
  const tagged = (name: string) => tags.find(([key]) => key === name)?.[1]
  const alert = alertFrom({
    title: [at(event, 'title'), at(event, 'metadata', 'title'), at(event, 'message')],
    status: 'firing',
    rated: rate(at(event, 'level'), tagged('level')),
    fingerprint: `issue:${id}`,
    service: [at(event, 'project_slug'), projectIn(at(event, 'url')), at(event, 'project_name')],
    environment: [at(event, 'environment'), tagged('environment')],
    description: described(event, at(data, 'triggered_rule')),
    startedAt: at(event, 'datetime'),
    occurredAt: at(event, 'datetime'),
    labels: [
      ['rule', at(data, 'triggered_rule')],
      ['platform', at(event, 'platform')],
      ['release', at(event, 'release')],
      ...tags,
    ],
    links: [['Sentry', at(event, 'web_url')]],
  })
  return makeReading({ alerts: [alert], test: isSample(event) || tagged('sample_event') === 'yes' })
}

const issueActions = new Map<string, Alert['status']>([
  ['created', 'firing'],
  ['unresolved', 'firing'],
  ['resolved', 'resolved'],
])

function readIssue(action: string, data: unknown): Reading {
  const issue = at(data, 'issue')
  const id = identity(textOf(at(issue, 'id')))
  const status = issueActions.get(action)
  if (!status)
    return makeReading({ problem: `The action ${quoted(action)} of an issue neither fires nor resolves it.` })
  if (id === '') return makeReading({ problem: 'The issue has no `id`.' })
  // When an issue was resolved or came back is not told; only its creation has a time.
  const firstSeen = action === 'created' ? at(issue, 'firstSeen') : null
  const alert = alertFrom({
    title: [at(issue, 'title'), at(issue, 'metadata', 'title'), at(issue, 'shortId')],
    status,
    rated: rate(at(issue, 'level'), at(issue, 'priority')),
    fingerprint: `issue:${id}`,
    service: [at(issue, 'project', 'slug'), at(issue, 'project', 'name')],
    description: described(issue, undefined),
    startedAt: firstSeen,
    occurredAt: action === 'created' ? (at(issue, 'lastSeen') ?? firstSeen) : null,
    labels: [
      ['short_id', at(issue, 'shortId')],
      ['project', at(issue, 'project', 'slug')],
      ['platform', at(issue, 'platform')],
      ['level', at(issue, 'level')],
      ['priority', at(issue, 'priority')],
    ],
    links: [
      ['Sentry', at(issue, 'web_url')],
      ['Sentry', at(issue, 'permalink')],
    ],
  })
  return makeReading({ alerts: [alert], test: isSample(issue) })
}

function readMetricAlert(action: string, data: unknown): Reading {
  const incident = at(data, 'metric_alert')
  const id = identity(textOf(at(incident, 'id')))
  // From critical to warning it became milder; it did not recover.
  if (!['critical', 'warning', 'resolved'].includes(action))
    return makeReading({ problem: `The action ${quoted(action)} of a metric alert changes nothing.` })
  if (id === '') return makeReading({ problem: 'The metric alert has no `id`.' })
  const resolved = action === 'resolved'
  const startedAt = at(incident, 'date_started')
  const alert = alertFrom({
    title: [at(incident, 'alert_rule', 'name'), at(data, 'description_title'), at(incident, 'title')],
    status: resolved ? 'resolved' : 'firing',
    rated: resolved ? unstatedSeverity : rate(action),
    fingerprint: `metric:${id}`,
    service: [at(incident, 'projects', 0)],
    environment: [at(incident, 'alert_rule', 'environment')],
    description: [at(data, 'description_text')],
    startedAt,
    endedAt: resolved ? at(incident, 'date_closed') : null,
    occurredAt: resolved ? at(incident, 'date_closed') : startedAt,
    labels: [
      ['query', at(incident, 'alert_rule', 'query')],
      ['aggregate', at(incident, 'alert_rule', 'aggregate')],
      ['dataset', at(incident, 'alert_rule', 'dataset')],
    ],
    links: [['Sentry', at(data, 'web_url')]],
  })
  return makeReading({ alerts: [alert] })
}

/** The issue, whose id older versions tell only as the end of its address. */
function issueOf(event: unknown): string {
  const id = identity(textOf(at(event, 'issue_id')))
  if (id !== '') return id
  return /\/issues\/(\d{1,30})\/?$/.exec(textOf(at(event, 'issue_url')).slice(-200))?.[1] ?? ''
}

/** The address in the API holds the slug of the project, the event just its number. */
const projectIn = (url: unknown) => /\/projects\/[^/]+\/([^/]+)\//.exec(textOf(url).slice(0, 1_000))?.[1]

const tagsOf = (event: unknown): Pair[] =>
  listAt(event, 'tags').map((tag) => [textOf(at(tag, 0)), at(tag, 1)] as const)

const described = (found: unknown, rule: unknown) => [
  at(found, 'metadata', 'value'),
  at(found, 'culprit'),
  textOf(rule) === '' ? '' : `Rule: ${textOf(rule)}`,
]

/** What a new project is filled with, and what the test of a rule sends. */
const isSample = (found: unknown) => /^This is an example \S+ exception/.test(textOf(at(found, 'title')))
