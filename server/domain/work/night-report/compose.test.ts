import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DecisionRow } from '@signalbox/contract/app/decisions.ts'
import type { AuditEntry, AuditEvent } from '@signalbox/contract/audit.ts'
import type { Details } from '@signalbox/contract/audit-details.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import { composeReport, isEmpty, type Night, type PersonalInbox } from './compose.ts'
import { messageOf, partsOf, summaryOf, textOf } from './text.ts'

const span = {
  morning: '2026-04-01',
  from: new Date('2026-03-31T18:00:00Z'),
  until: new Date('2026-04-01T07:00:00Z'),
}
const quiet: Night = { entries: [], isCut: false, storms: [], spending: [] }
const nobodyAsked: PersonalInbox = { role: 'owner', decisions: [], unblocked: [] }

let minute = 0
/** An entry a minute after the one before. */
function entry<E extends AuditEvent>(
  event: E,
  [type, id, name]: [AuditEntry['entity']['type'], string, string?],
  details: Details[E],
  more: Partial<AuditEntry> = {},
): AuditEntry {
  minute += 1
  return {
    id: `0198c1f2-7d3a-7b1e-9a55-${String(minute).padStart(12, '0')}`,
    timestamp: new Date(span.from.getTime() + minute * 60_000).toISOString(),
    actor: { type: 'service', name: 'Signalbox', userId: null },
    team: 'web',
    runKey: type === 'run' ? id : null,
    event,
    result: 'success',
    entity: { type, id, name: name ?? null },
    details: { channel: 'schedule', ...details },
    ...more,
  }
}

const moved = (
  run: string,
  cause: Details['run_state_changed']['cause'],
  status: Details['run_state_changed']['status'],
  more: Partial<Details['run_state_changed']> = {},
) =>
  entry('run_state_changed', ['run', run, `Story of ${run}`], {
    ...{ cause, status, stage: 'implementing', attempt: 1, changes: [] },
    ...more,
  })

const merged = (run: string, number: number) =>
  entry('pull_request_merged', ['run', run, `Story of ${run}`], {
    ...{ number, commit: 'c', head: 'h', base: 'b', onto: null, tree: 't', mergedTree: 't', heldBy: 'tree' },
  })

const report = (inOrder: AuditEntry[], role: Role = 'owner', theirs: Partial<PersonalInbox> = {}) =>
  composeReport(span, { ...quiet, entries: inOrder.toReversed() }, { ...nobodyAsked, role, ...theirs })
const texts = ({ sentences }: { sentences: { text: string }[] }) => sentences.map(({ text }) => text)

describe('what was done', () => {
  test('each run is one sentence with what became of it last, and leads to the run', () => {
    const { done } = report([
      ...[moved('run-fail', 'failed', 'failed', { failureClass: 'gate' }), merged('run-good', 41)],
      ...[moved('run-good', 'main_green', 'succeeded'), moved('run-back', 'failed', 'failed')],
      ...[moved('run-back', 'retried', 'queued'), moved('run-done', 'finished', 'succeeded')],
    ])
    assert.deepEqual(texts(done), [
      'Merged pull request #41: Story of run-good (run-good)',
      'Finished: Story of run-done (run-done)',
      'Failed (gate failed): Story of run-fail (run-fail)',
    ])
    assert.deepEqual(done.sentences[0]!.target, { type: 'run', id: 'run-good' })
  })

  test('answers and runs that go on are counted', () => {
    const started = (run: string) =>
      entry('run_started', ['run', run], { story: 's', budgetCents: 500, executor: 'scripted' })
    const answered = entry('decision_resolved', ['decision', 'dec-aaaa'], {
      ...{ kind: 'plan_approval', optionId: 'approve', action: 'approve_plan', note: null, effects: [] },
    })
    const { done } = report([started('run-aaaa'), started('run-bbbb'), merged('run-bbbb', 2), answered])
    assert.deepEqual(texts(done).slice(1), [
      '1 decision was answered',
      '1 run started and is not finished yet',
    ])
  })

  test('one page holds twelve, and the rest is one sentence that leads to the list', () => {
    const { done } = report(Array.from({ length: 15 }, (_, n) => merged(`run-${n}`, n)))
    assert.equal(done.sentences.length, 12)
    assert.deepEqual([done.more?.text, done.more?.target.type], ['3 more results in Runs', 'runs'])
  })
})

describe('what nearly went wrong', () => {
  test('a gate that failed and was mended, retries and lost runners are counted by run', () => {
    const { nearly } = report([
      ...[moved('run-aaaa', 'gates_ran', 'queued'), moved('run-bbbb', 'lease_lost', 'queued')],
      ...[moved('run-bbbb', 'lease_lost', 'queued'), moved('run-aaaa', 'main_green', 'succeeded')],
    ])
    assert.deepEqual(texts(nearly), [
      'The runner stopped responding twice: Story of run-bbbb (run-bbbb)',
      'A gate failed and the change was reworked: Story of run-aaaa (run-aaaa). It finished',
    ])
  })

  test('budget stops, expired decisions, reverts, held merges and incidents each lead to the thing', () => {
    const { nearly } = report([
      entry('decision_raised', ['decision', 'dec-bbbb', 'Raise the budget'], {
        ...{ kind: 'budget_stop', recommendation: 'raise' },
      }),
      entry('decision_raised', ['decision', 'dec-cccc', 'Approve the plan'], {
        ...{ kind: 'plan_approval', recommendation: 'approve' },
      }),
      entry('decision_expired', ['decision', 'dec-dddd', 'Which zone?'], { kind: 'clarification' }),
      moved('run-rrrr', 'revert_opened', 'failed'),
      moved('run-mmmm', 'merge_refused', 'queued'),
      entry(
        'policy_evaluated',
        ['policy', 'web'],
        { question: 'merge', answer: 'ask', version: 1, because: ['lines', 'findings'] },
        { runKey: 'run-ffff' },
      ),
      entry('incident_opened', ['incident', 'inc-aaaa', 'Disk full'], {
        ...{ service: 'Depot', severity: 'high', alerts: 1 },
      }),
      entry('incident_resolved', ['incident', 'inc-aaaa'], { service: 'Depot', severity: 'high' }),
    ])
    assert.deepEqual(
      nearly.sentences.map(({ text, target }) => [text, target.id]),
      [
        ['No one answered in time: Which zone? (dec-dddd)', 'dec-dddd'],
        ['A merge was reverted: Story of run-rrrr (run-rrrr)', 'run-rrrr'],
        ['Stopped at its budget: Raise the budget (dec-bbbb)', 'dec-bbbb'],
        ['The merge was held: Story of run-mmmm (run-mmmm)', 'run-mmmm'],
        ['A merge waited for a person because the change had findings (run-ffff)', 'run-ffff'],
        ['Incident inc-aaaa: Disk full (high). It’s resolved', 'inc-aaaa'],
      ],
    )
  })

  test('members are told nothing of connections, runners and sign-ins, which they cannot see', () => {
    const failed = () => entry('sign_in_failed', ['member', 'm'], { method: 'password' })
    const entries = [
      entry('connection_changed', ['connection', 'c-1', 'GitHub'], {
        ...{ change: 'refused', scope: '', reason: 'Bad credentials.' },
      }),
      entry('signal_source_changed', ['signal_source', 's-1', 'Pages'], {
        ...{ change: 'refused', scope: '', reason: 'Opsgenie rejected the API key.' },
      }),
      entry('runner_changed', ['runner', 'r', 'depot-1'], { change: 'refused', cause: 'foreign_key' }),
      ...[failed(), failed(), failed(), failed()],
    ]
    assert.deepEqual(texts(report(entries, 'member').nearly), [])
    assert.deepEqual(texts(report(entries, 'admin').nearly), [
      'GitHub rejected Signalbox: Bad credentials.',
      'Alerts of Pages could not be updated: Opsgenie rejected the API key.',
      'Another machine tried to connect as runner depot-1',
    ])
    assert.equal(texts(report([...entries, failed()], 'admin').nearly)[3], '5 sign-ins failed')
    const mended = entry('signal_source_changed', ['signal_source', 's-1', 'Pages'], {
      ...{ change: 'mended', scope: '' },
    })
    assert.match(
      texts(report([...entries, mended], 'admin').nearly).at(-1)!,
      /^Alerts of Pages .* It works again$/,
    )
  })
})

describe('what waits', () => {
  const waits = (key: string, hours: number | null, authority: Role = 'member') =>
    ({
      ...{ key, authority, title: `Question ${key}`, story: null, runKey: `run-${key}`, createdAt: 'x' },
      recommended: 'Approve',
      expiresAt: hours === null ? null : new Date(span.until.getTime() + hours * 3_600_000).toISOString(),
    }) as unknown as DecisionRow
  const unblocks = (key: string, stories: number, merges = 0) => ({ key, hasRun: true, merges, stories })

  test('what expires today comes first by the time left, then what most waits for', () => {
    const { waiting } = report([], 'member', {
      decisions: [
        waits('late', 100),
        waits('many', 90),
        waits('soon', 5),
        waits('sooner', 2),
        waits('never', null),
      ],
      unblocked: [unblocks('late', 0), unblocks('many', 3, 1), unblocks('soon', 0), unblocks('sooner', 0)],
    })
    assert.deepEqual(
      waiting.sentences.map(({ target, unblocks }) => [target.id, unblocks]),
      [
        ['sooner', 1],
        ['soon', 1],
        ['many', 5],
        ['late', 1],
        ['never', 0],
      ],
    )
    assert.equal(
      waiting.sentences[2]!.text,
      'Question many (many). Unblocks run-many, 1 held merge and 3 blocked stories',
    )
    assert.deepEqual(waiting.shortest, { answers: 3, unblocks: 7, of: 8 })
  })

  test('only what this person may answer', () => {
    const decisions = [waits('theirs', 5), waits('owners', 5, 'owner')]
    assert.equal(report([], 'member', { decisions }).waiting.sentences.length, 1)
    assert.equal(report([], 'owner', { decisions }).waiting.sentences.length, 2)
  })
})

test('what was spent is said by team, against the budget for the day', () => {
  const spending = [
    { slug: 'web', name: 'Web', micros: 4_200_000, dayMicros: 8_500_000, dayCents: 1_000 },
    { slug: 'data', name: 'Data', micros: 1_000_000, dayMicros: 0, dayCents: null },
  ]
  const { spent } = composeReport(span, { ...quiet, spending }, nobodyAsked)
  assert.deepEqual(
    spent.sentences.map(({ text, tone }) => [text, tone]),
    [
      ['€5.20 in total, 2 teams', 'neutral'],
      ['Web spent €4.20; €8.50 of €10 used today', 'warn'],
      ['Data spent €1; no daily budget', 'neutral'],
    ],
  )
})

test('nothing happened and nothing waits: there is nothing to send', () => {
  assert.ok(isEmpty(report([])))
  assert.ok(!isEmpty(report([merged('run-aaaa', 1)])))
})

test('mail and chat say the same sentences, each with its address', () => {
  const made = composeReport(
    span,
    { ...quiet, entries: [merged('run-aaaa', 7)], storms: [storm] },
    nobodyAsked,
  )
  const url = 'https://box.example.com/halden'
  const parts = partsOf(made, url)
  assert.equal(
    textOf(parts),
    [
      'DONE',
      '- Merged pull request #7: Story of run-aaaa (run-aaaa)',
      '  https://box.example.com/halden/runs/run-aaaa',
      '',
      'NEARLY WENT WRONG',
      '- Depot alarms sent 1,204 deliveries in a storm',
      '  https://box.example.com/halden/incidents',
    ].join('\n'),
  )
  assert.deepEqual(messageOf('Title', parts, url, 'Footer').body[0], {
    heading: 'Done',
    linked: [{ text: 'Merged pull request #7: Story of run-aaaa (run-aaaa)', url: `${url}/runs/run-aaaa` }],
  })
  assert.equal(summaryOf(made), '0 waiting for you, 1 done, 1 nearly went wrong')
})

const storm = { source: 's', name: 'Depot alarms', deliveries: 1_204, at: new Date('2026-04-01T03:00:00Z') }
