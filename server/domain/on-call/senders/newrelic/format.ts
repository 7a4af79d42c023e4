import type { Alert } from '@signalbox/contract/signal.ts'
import { alertFrom, makeReading, objectFormat } from '../reading/alert.ts'
import { hashOf, identity, wholeBody } from '../reading/identity.ts'
import { at, type Fields, pairsOf } from '../reading/json.ts'
import type { Reading } from '../reading/reading.ts'
import { rate } from '../reading/severity.ts'
import { firstLine, quoted, textOf } from '../reading/text.ts'

export const format = objectFormat((body, delivered) => ({
  ...(isLegacy(body) ? readLegacy(body) : readIssue(body)),
  deliveryId: wholeBody(delivered, at(body, 'updatedAt'), at(body, 'timestamp')),
}))

const states = new Map<string, Alert['status']>([
  ['created', 'firing'],
  ['activated', 'firing'],
  ['closed', 'resolved'],
])

/** A template of a workflow may name the older field as well. */
const isLegacy = (body: Fields) => saidAt(body, 'current_state') !== '' && stateOf(body) === undefined

const stateOf = (body: Fields) => states.get(saidAt(body, 'state').slice(0, 20).toLowerCase())

/**
 * The state tells, not the trigger: INCIDENT_CLOSED may be one of several incidents of an issue that stays active.
 */
function readIssue(body: Fields): Reading {
  const state = saidAt(body, 'state')
  const status = stateOf(body)
  if (!status)
    return makeReading({
      problem:
        state === ''
          ? 'The body has no `state`. Keep `id`, `state`, `title` and `priority` in the template of the webhook.'
          : `The state ${quoted(state)} is neither that of an open issue nor CLOSED.`,
    })
  const title = firstLine([saidAt(body, 'title'), at(body, 'alertConditionNames', 0)], 2_000)
  const fingerprint = issueId(body) || (title === '' ? '' : hashOf([title]))
  if (fingerprint === '')
    return makeReading({
      problem: 'The body has neither `id`, `issueUrl` nor `title`. Add `id` to the template.',
    })
  const updatedAt = at(body, 'updatedAt')
  const trigger = saidAt(body, 'trigger')
  const closed = status === 'resolved'
  const alert = alertFrom({
    title: [title, `New Relic issue ${fingerprint}`],
    status,
    rated: rate(...['priority', 'priorityText', 'severity'].map((name) => saidAt(body, name))),
    fingerprint,
    service: [at(body, 'impactedEntities', 0), at(body, 'tags', 'service'), saidAt(body, 'impactedEntities')],
    environment: [at(body, 'tags', 'environment'), at(body, 'tags', 'env')],
    description: [saidAt(body, 'description')],
    startedAt: at(body, 'createdAt'),
    endedAt: closed ? (at(body, 'closedAt') ?? updatedAt) : null,
    occurredAt: updatedAt,
    labels: [
      ['policy', at(body, 'alertPolicyNames', 0)],
      ['condition', at(body, 'alertConditionNames', 0)],
      ['workflow', saidAt(body, 'workflowName')],
      ['owner', saidAt(body, 'owner')],
      ['incidents', at(body, 'totalIncidents')],
      ...pairsOf(at(body, 'tags')),
      ...pairsOf(at(body, 'labels')),
    ],
    links: [
      ['Issue', at(body, 'issueUrl')],
      ['Issue page', at(body, 'issuePageUrl')],
      ['Chart', at(body, 'violationChartUrl')],
    ],
    runbooks: [saidAt(body, 'runbookUrl')],
    // A merged issue is closed while its fault goes on in another; a person's action is most often an acknowledgement.
    updateOnly: trigger === (closed ? 'MERGE_REQUEST' : 'USER_ACTION'),
  })
  return makeReading({ alerts: [alert] })
}

const issueId = (body: Fields) =>
  identity(saidAt(body, 'id') || saidAt(body, 'issueId') || saidAt(body, 'issue_id')) ||
  (/\/issues\/([\w-]{1,100})/.exec(textOf(at(body, 'issueUrl')).slice(0, 4_000))?.[1] ?? '')

const legacyStates = new Map<string, Alert['status']>([
  ['open', 'firing'],
  ['acknowledged', 'firing'],
  ['closed', 'resolved'],
  ['test', 'firing'],
])

/** A notification channel as it was before workflows. */
function readLegacy(body: Fields): Reading {
  const state = saidAt(body, 'current_state').slice(0, 20).toLowerCase()
  const status = legacyStates.get(state)
  const id = identity(saidAt(body, 'incident_id'))
  if (!status) return makeReading({ problem: `The state ${quoted(state)} is not known.` })
  if (id === '') return makeReading({ problem: 'The body has no `incident_id`.' })
  const closed = status === 'resolved'
  const alert = alertFrom({
    title: [saidAt(body, 'condition_name'), saidAt(body, 'details'), `New Relic incident ${id}`],
    status,
    rated: rate(saidAt(body, 'severity')),
    fingerprint: `incident:${id}`,
    service: [at(body, 'targets', 0, 'name')],
    description: [saidAt(body, 'details')],
    startedAt: closed ? null : at(body, 'timestamp'),
    endedAt: closed ? at(body, 'timestamp') : null,
    occurredAt: at(body, 'timestamp'),
    labels: [
      ['policy', saidAt(body, 'policy_name')],
      ['condition', saidAt(body, 'condition_name')],
      ['account', saidAt(body, 'account_name')],
    ],
    links: [['Incident', at(body, 'incident_url')]],
    runbooks: [saidAt(body, 'runbook_url')],
    updateOnly: state === 'acknowledged',
  })
  return makeReading({
    alerts: [alert],
    test: state === 'test' || id === '0' || /I am a test Violation/i.test(saidAt(body, 'details')),
  })
}

/** What a template writes when a variable has no value. */
const blanks = new Set(['n/a', 'none', 'null', 'undefined'])

function saidAt(body: Fields, name: string): string {
  const text = textOf(at(body, name)).trim()
  return blanks.has(text.slice(0, 10).toLowerCase()) ? '' : text
}
