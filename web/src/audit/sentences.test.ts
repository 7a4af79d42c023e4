import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AuditEntry, auditEvents } from '../../../contract/audit.ts'
import { events, sentenceOf } from './sentences.ts'
import { changesInWords, inWords, subject } from './wording.ts'

const entry = (event: AuditEntry['event'], over: Partial<AuditEntry> = {}): AuditEntry => ({
  id: '01a1decb-fca2-7000-8000-000000000000',
  timestamp: '2026-11-15T10:41:57.000Z',
  actor: { type: 'human', name: 'Amara Okafor', userId: 'amara' },
  team: null,
  runKey: null,
  event,
  result: 'success',
  entity: { type: 'run', id: 'run-7k2q', name: null },
  details: {},
  ...over,
})

test('every event of the log has a sentence, also where an entry says nothing else', () => {
  assert.deepEqual(events, auditEvents.toSorted())
  for (const event of auditEvents) {
    for (const result of ['success', 'failure', 'denied'] as const) {
      const sentence = sentenceOf(entry(event, { result }))
      assert.match(sentence.replace(subject, 'Somebody'), /^[A-Z]/)
      assert.doesNotMatch(sentence, /undefined|null|NaN|object| {2}|: *$|\( *\)/, event)
    }
  }
})

test('an event of a newer server is told by its name', () => {
  assert.equal(said('team_archived' as never, {}), 'Team archived: {}')
})

const said = (event: AuditEntry['event'], details: AuditEntry['details'], over: Partial<AuditEntry> = {}) =>
  sentenceOf(entry(event, { details, ...over })).replace(subject, '{}')

test('what someone chose to be told is told by what changed', () => {
  const changes = [{ field: 'byMail', before: true, after: false }]
  assert.equal(
    said('notifications_changed', { change: 'ways', kind: 'incident', changes }),
    'Changed their notifications about incidents: by mail from yes to no',
  )
  assert.equal(
    said('notifications_changed', { change: 'push_turned_on' }),
    'Turned on push notifications in a browser',
  )
})

test('a snooze says until when, and a view what became of it', () => {
  const until = '2026-11-18T09:00:00.000Z'
  assert.match(
    said('decision_snoozed', { kind: 'plan_approval', until }),
    /^Snoozed decision .* until .*2026/,
  )
  assert.match(said('decision_snoozed', { kind: 'plan_approval', until: null }), /^Put decision .* back in/)
  assert.match(said('view_changed', { change: 'removed', changes: [] }), /^Deleted board view /)
})

test('a run is told by what became of it', () => {
  const stage = [{ field: 'stage', before: 'implementing', after: 'verifying' }]
  assert.equal(said('run_state_changed', { changes: stage }), 'Moved {} from implementing to verifying')
  const failed = { status: 'queued', attempt: 2, failureClass: 'transient', reason: 'overloaded' }
  assert.equal(
    said('run_state_changed', failed, { result: 'failure' }),
    'Queued {} (temporary error), attempt 2: overloaded',
  )
  assert.equal(said('run_state_changed', { cause: 'retried', attempt: 3 }), 'Retried {}, attempt 3')
})

test('what happened is told by its fields', () => {
  const cancelled = { kind: 'plan_approval', cause: 'main_green' }
  assert.equal(
    said('decision_cancelled', cancelled),
    'Cancelled decision {} (plan approval): the main branch is green again',
  )
  assert.equal(said('story_changed', { change: 'approved', changes: [] }), 'Approved draft {}')
  assert.equal(
    said('story_changed', { change: 'filed_for_incident', incident: 'inc-4m8t' }),
    'Filed story {} for incident inc-4m8t',
  )
  assert.equal(said('incident_updated', { change: 'left' }), 'Left incident {} to the person on call')
  assert.equal(said('incident_updated', { change: 'acknowledged' }), 'Acknowledged incident {}')
  const taken = (before: string | null) => [{ field: 'assignee', before, after: 'Ben' }]
  assert.equal(said('incident_updated', { change: 'taken', changes: taken(null) }), 'Took incident {}')
  assert.equal(
    said('incident_updated', { change: 'taken', changes: taken('Ann') }),
    'Took over incident {} from Ann',
  )
  const severity = [{ field: 'severity', before: 'high', after: 'low' }]
  assert.equal(
    said('incident_updated', { change: 'severity_changed', changes: severity }),
    'Changed incident {}: severity from high to low',
  )
  assert.equal(
    said('incident_resolved', { service: 'checkout', severity: 'high', reason: 'rolled back' }),
    'Resolved incident {} for checkout: rolled back',
  )
  assert.equal(
    said('policy_evaluated', { question: 'merge', answer: 'ask', version: 2 }),
    'Checked the policy for {}: can the change be merged? Ask a person',
  )
  const suggestion = { maxLines: 80, decisions: ['dec-k3x9'] }
  assert.equal(
    said('policy_changed', {
      version: 3,
      changes: [{ field: 'autoMergeMaxLines', before: 40, after: 80 }],
      suggestion,
    }),
    'Changed the policy for {} to version 3, as suggested: auto-merge size limit from 40 to 80',
  )
  assert.equal(
    said('policy_suggestion_declined', { version: 2, suggestion, reason: 'Not yet' }),
    'Declined a suggestion to change the policy for {}: Not yet',
  )
  assert.equal(said('session_revoked', { which: 'all_others' }), 'Ended all other sessions')
})

test('entries of earlier versions, which had a reason where a field is now, still read well', () => {
  const column = { field: 'column', before: 'refining', after: 'backlog' }
  const old: [AuditEntry['event'], AuditEntry['details'], string][] = [
    ['story_changed', { reason: 'approved', changes: [column] }, 'Changed run {}: approved'],
    ['story_changed', { reason: 'filed from a proposal' }, 'Changed run {}: filed from a proposal'],
    ['story_changed', { changes: [column] }, 'Moved story {} from refining to backlog'],
    ['decision_cancelled', { reason: 'its run was stopped' }, 'Cancelled decision {}: its run was stopped'],
    [
      'decision_expired',
      { reason: 'nobody answered in time' },
      'Decision {} expired: no one answered in time',
    ],
    ['incident_updated', { joined: 2, recovered: 0 }, 'Updated incident {}: 2 alerts joined'],
    ['incident_updated', { finding: 'not_code' }, 'Investigated incident {}, finding: not code'],
    ['incident_updated', { reason: 'filed a story' }, 'Updated incident {}: filed a story'],
    ['story_written', { trackerKey: 'FW-1' }, 'Wrote story {} to the tracker as FW-1'],
    ['story_written', { trackerKey: null }, 'Created story {} from its draft'],
    ['tracker_written', { tracker: 'FW-1', write: 'comment' }, 'Added a comment to FW-1 for story {}'],
    ['member_removed', { role: 'admin', reason: 'removed' }, 'Removed {} (admin) from the workspace'],
    ['session_revoked', { session: 'all others' }, 'Ended all other sessions'],
    [
      'policy_evaluated',
      { question: 'may the plan be carried out', answer: 'a person is asked' },
      'Checked the policy for {}: may the plan be carried out? A person is asked',
    ],
  ]
  for (const [event, details, sentence] of old) assert.equal(said(event, details), sentence)
})

test('who acted on themselves is not named twice', () => {
  const self = { entity: { type: 'member', id: 'amara', name: 'Amara Okafor' } } as const
  const other = { entity: { type: 'member', id: 'joris', name: 'Joris van Dijk' } } as const
  assert.equal(said('member_joined', { role: 'owner' }, self), 'Joined the workspace as owner')
  assert.equal(said('member_joined', { role: 'member' }, other), '{} joined the workspace as member')
  assert.equal(
    said('sign_in_method_changed', { method: 'passkey', action: 'removed' }, self),
    'Removed their passkey',
  )
  assert.equal(said('member_removed', { role: 'owner', reason: 'left' }, self), 'Left the workspace')
})

test('a delivery is told by its alert, or by how many there were', () => {
  const source = { entity: { type: 'signal_source', id: 'x', name: 'Probes' } } as const
  const told = [{ title: 'Search times out', status: 'firing', severity: 'critical' }]
  assert.equal(
    said('signal_received', { alerts: 1, told }, source),
    'Received alert “Search times out” from {}, firing, severity critical',
  )
  assert.equal(
    said('signal_received', { alerts: 3, told }, source),
    'Received 3 alerts from {}, starting with “Search times out”',
  )
})

test('what a sender writes cannot pass for what the entry is about, and its words stay its own', () => {
  const told = [{ title: `${subject} disk_full`, status: 'firing', severity: null }]
  const sentence = said('signal_received', { alerts: 1, told })
  assert.equal(sentence, 'Received alert “ disk_full” from {}, firing')
  assert.equal(inWords('checkout_api', 'service'), 'checkout_api')
})

test('one change is told with its values, several by their names, a long one without', () => {
  const agent = { field: 'executor', before: 'codex', after: 'claude_code' }
  assert.equal(changesInWords([agent]), 'coding agent from Codex to Claude Code')
  assert.equal(changesInWords([agent, { ...agent, field: 'mergePolicy' }]), 'coding agent, merging')
  assert.equal(changesInWords([{ ...agent, after: 'x'.repeat(100) }]), 'coding agent')
})

test('values of any shape are words', () => {
  assert.equal(inWords({ runCents: 1500, dayCents: null }), 'run: €15.00, day: none')
  assert.equal(inWords(['read', 'write']), 'read, write')
  assert.equal(inWords([{ type: 'merge', status: 'done' }]), 'type: merge, status: done')
  assert.equal(inWords('2026-12-15T11:08:40.916Z'), '2026-12-15 11:08:40 UTC')
  assert.equal(inWords([]), 'none')
})
