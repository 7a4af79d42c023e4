import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runPhases } from '@signalbox/contract/app/runs.ts'
import { decisionKinds } from '@signalbox/contract/decision.ts'
import { runStages } from '@signalbox/contract/run.ts'
import { complexities, sizes } from '@signalbox/contract/story.ts'
import { mergePolicies, planApprovals } from '@signalbox/contract/team.ts'
import fc from 'fast-check'
import { goesWell } from '../../../test/engine/engine.ts'
import { firstExecutor, presets } from '../../work/policies/presets.ts'
import { isOpen, type Phase, statusOf } from '../../work/runs/phase.ts'
import {
  blank,
  type Command,
  isHeldByPerson,
  type RunEvent,
  type RunState,
  type Situation,
  step,
  type Transition,
  transitions,
} from './machine.ts'
import { blankRepository, changedParts, type Derived, isHalfMerged, type Part, partsOf } from './parts.ts'
import { newRace, type Race, type Result } from './race.ts'

/** Rules that hold for any run in any state, whatever happens to it next. */

/** Objects as they come from JSON. */
const record = <T>(fields: { [Name in keyof T]: fc.Arbitrary<T[Name]> }) =>
  fc.record(fields, { noNullPrototype: true })

const text = fc.string({ maxLength: 8 })
const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const path = fc.constantFrom(
  'src/a.ts',
  'infra/main.tf',
  './infra/b.tf',
  '.kanman/acceptance/orders.md',
  '.kanman',
)
const paths = fc.uniqueArray(path, { maxLength: 3 })
const change = record({ files: fc.nat(9), additions: fc.nat(300), deletions: fc.nat(300), paths })
const pullRequest = nullable(record({ url: fc.constant('https://git.example.com/7'), number: fc.nat(99) }))
const gate = record({
  name: fc.constantFrom('unit tests', 'lint'),
  result: fc.constantFrom('passed', 'failed', 'skipped'),
  summary: text,
})
const micros = fc.nat(12_000_000)

const derivedOf = (head: string): Derived => ({
  ...{ base: 'b'.repeat(40), head, tree: 'e'.repeat(40), outside: [], commits: 1 },
  ...{ pinnedPaths: [], toldDiff: null },
})

const aPart = (name: string): fc.Arbitrary<Part> =>
  record({
    ...Object.fromEntries(
      Object.entries(blankRepository).map(([field, value]) => [field, fc.constant(value)]),
    ),
    name: fc.constant(name),
    work: nullable(fc.constant({ base: 'b'.repeat(40), head: 'c'.repeat(40), bundle: 'e'.repeat(64) })),
    derived: nullable(fc.constant(derivedOf('c'.repeat(40)))),
    branch: nullable(fc.constant(goesWell.pushed.branch)),
    merged: nullable(fc.constant('d'.repeat(40))),
    change: nullable(change),
    pullRequest,
    measured: nullable(
      fc.constant({
        gates: [{ name: 'lint', result: 'passed', summary: '' }],
        evidence: goesWell.gates.evidence,
      }),
    ),
    isGreen: fc.boolean(),
  }) as unknown as fc.Arbitrary<Part>

/** Most runs are about one repository. */
const turning = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ parts: [] as Part[], at: null as string | null }) },
  {
    weight: 2,
    arbitrary: record({
      parts: fc.tuple(aPart('halden/api'), aPart('halden/web')) as unknown as fc.Arbitrary<Part[]>,
      at: fc.constantFrom<string | null>('halden/api', 'halden/web'),
    }),
  },
)

const made = {
  ...{ work: null, derived: null, onBase: null, findings: [], kinds: [], gatesPassed: 1, isUnsigned: false },
  evidence: { ...goesWell.gates.evidence, gates: [...goesWell.gates.gates] },
  pullRequest: null,
}
const result = record<Result>({
  attempt: fc.integer({ min: 1, max: 5 }),
  costMicros: micros,
  gates: fc.array(gate, { maxLength: 2 }) as fc.Arbitrary<Result['gates']>,
  change: nullable(change),
  diff: fc.constant(null),
  failure: fc.constant(null),
  made: nullable(fc.constant(made)) as unknown as fc.Arbitrary<Result['made']>,
})
const turns: fc.Arbitrary<Pick<Race, 'at' | 'results'>> = fc.oneof(
  fc.constant({ at: 0, results: [null, null] } as const),
  result.map((first) => ({ at: 1, results: [first, null] }) as const),
  fc
    .tuple(result, result, fc.constantFrom(0, 1))
    .map(([first, second, at]) => ({ at, results: [first, second] })),
) as fc.Arbitrary<Pick<Race, 'at' | 'results'>>
const race: fc.Arbitrary<Race> = fc
  .tuple(turns, fc.boolean(), nullable(fc.constant('c'.repeat(40))))
  .map(([turn, isChosen, head]) => ({
    ...newRace(['claude_code', 'codex']),
    ...turn,
    // Only of a race that is over one can be chosen.
    chosen: isChosen && turn.results[1] ? { head } : null,
  }))

const memory = record({
  ...Object.fromEntries(Object.entries(blank).map(([name, value]) => [name, fc.constant(value)])),
  plan: nullable(text),
  proposedPlan: nullable(text),
  planApproved: fc.boolean(),
  risk: fc.constantFrom('low', 'high'),
  guidance: fc.array(text, { maxLength: 2 }),
  exceptions: paths,
  gateFailures: fc.dictionary(fc.constantFrom('unit tests', 'lint'), fc.nat(4), { noNullPrototype: true }),
  reworked: fc.boolean(),
  transientFailures: fc.nat(4),
  unreadable: fc.nat(6),
  restoreSpec: fc.boolean(),
  fresh: fc.boolean(),
  change: nullable(change),
  merged: nullable(fc.constant('d'.repeat(40))),
  looksAt: nullable(fc.constant('e'.repeat(40))),
  renewed: fc.boolean(),
  onBase: nullable(
    fc.constantFrom({ failed: [], unproven: [] }, { failed: ['unit tests'], unproven: ['unit tests'] }),
  ),
  work: nullable(fc.constant({ base: 'b'.repeat(40), head: 'c'.repeat(40), bundle: 'e'.repeat(64) })),
  spec: nullable(fc.constant(goesWell.spec.spec)),
  derived: nullable(fc.constantFrom(derivedOf('c'.repeat(40)), derivedOf('d'.repeat(40)))),
  gatesPassed: nullable(fc.nat(2)),
  isUnsigned: fc.boolean(),
  kinds: fc.subarray(['measure', 'report']),
  agentSession: nullable(text),
  local: nullable(record({ personId: text, name: text, handedOff: fc.boolean() })),
  checksMain: fc.boolean(),
  race: fc.option(race, { nil: null, freq: 2 }),
  waitsFor: fc.constantFrom(...decisionKinds),
}) as unknown as fc.Arbitrary<RunState['memory']>

const stateIn = (
  phase: fc.Arbitrary<Phase>,
  stage: fc.Arbitrary<RunState['stage']>,
): fc.Arbitrary<RunState> =>
  record({
    phase,
    stage,
    attempt: fc.integer({ min: 1, max: 5 }),
    fence: fc.nat(9),
    budgetCents: fc.nat(1_000),
    costMicros: micros,
    pullRequest,
    // A race is about one repository.
    memory: fc.tuple(memory, turning).map(([alone, several]) => ({
      ...alone,
      ...several,
      ...(several.parts.length > 0 ? { race: null } : {}),
    })),
  })
    // Only a run that waits waits for something, and only a merged one is checked.
    .map((state) => ({
      ...state,
      memory: {
        ...state.memory,
        waitsFor: state.phase === 'waiting' ? state.memory.waitsFor : null,
        checksMain:
          state.memory.checksMain &&
          (state.memory.merged !== null || state.memory.looksAt !== null) &&
          state.stage === 'handing_off' &&
          ['queued', 'working', 'failed', 'timed_out', 'stopped'].includes(state.phase),
      },
    }))

const guidance = { guidance: text }

/** How each event looks. */
const shapes: Record<RunEvent['type'], Record<string, fc.Arbitrary<unknown>>> = {
  started: {},
  budget_reached: {},
  lease_lost: {},
  overran: {},
  begun: {
    base: fc.constant('b'.repeat(40)),
    isolation: fc.constant(goesWell.begun.isolation),
    agent: fc.constant(goesWell.begun.agent),
  },
  session_known: { agentSession: text },
  spec_pinned: { spec: fc.constant(goesWell.spec.spec), summary: text },
  plan_ready: { plan: text, paths, risk: fc.constantFrom('low', 'high'), lines: fc.nat(99) },
  scope_change_proposed: { plan: text, change: text },
  spec_failed: { error: text },
  question_asked: {
    question: text,
    context: text,
    options: fc.constant([{ id: 'a', label: 'A' }]),
    recommendation: fc.constant('a'),
    work: nullable(fc.constant({ base: 'b'.repeat(40), head: 'a'.repeat(40), bundle: 'e'.repeat(64) })),
  },
  change_ready: {
    change,
    pullRequest,
    derived: fc.option(fc.constant(derivedOf('c'.repeat(40))), { nil: undefined }),
  },
  gates_ran: {
    isUnsigned: fc.boolean(),
    noted: fc.array(text, { maxLength: 1 }),
    gates: fc.array(gate, { maxLength: 3 }),
    evidence: record({
      commit: text,
      criteria: fc.constant([]),
      changes: change,
      demonstration: fc.constant(null),
    }),
  },
  finished: {
    pullRequest,
    branch: fc.option(fc.constant(goesWell.pushed.branch), { nil: undefined }),
  },
  main_checked: {
    state: fc.constantFrom('green', 'red'),
    findings: text,
    gates: fc.constant([]),
    isOlder: fc.boolean(),
  },
  failed: {
    failureClass: fc.constantFrom('transient', 'persistent', 'policy', 'dependency', 'budget'),
    error: text,
    waitsFor: fc.constantFrom(undefined, undefined, undefined, 'repository'),
  },
  usage: { micros },
  pull_request_opened: { pullRequest: fc.constant({ url: 'https://git.example.com/7', number: 7 }) },
  pull_request_refused: { reason: text },
  merged: { commit: text, facts: fc.constant(null), mismatch: nullable(text) },
  merge_refused: { reason: text, isOutdated: fc.boolean() },
  merged_elsewhere: { commit: text, says: text },
  closed_elsewhere: { says: text },
  main_green: {},
  main_red: { findings: text, isOlder: fc.boolean() },
  main_check_wanted: {},
  main_look_wanted: { commit: fc.constant('c0ffee') },
  conflicted: { reason: text },
  revert_opened: { pullRequest: fc.constant({ url: 'https://git.example.com/8', number: 8 }) },
  revert_refused: { reason: text },
  no_runner: {},
  no_git_host: {},
  agent_missing: { reason: text },
  plan_approved: {},
  changes_requested: guidance,
  exception_granted: { paths },
  given_up: { by: text, note: nullable(text) },
  budget_raised: { toCents: fc.nat(2_000) },
  spec_restored: {},
  attempt_wanted: { guidance: nullable(text) },
  answered: guidance,
  merge_approved: {},
  other_chosen: {},
  revert_approved: {},
  merge_kept: {},
  decision_expired: {},
  begun_locally: { personId: text, name: text },
  handed_off: { pushed: nullable(fc.constant(goesWell.pushed.branch)), reason: text },
  given_back: { by: text, reason: nullable(text) },
  abandoned: { hours: fc.constant(24) },
  stopped: { by: text, reason: nullable(text) },
  retried: { guidance: nullable(text) },
  story_left: {},
}

const eventOf = (type: RunEvent['type']): fc.Arbitrary<RunEvent> =>
  record({ type: fc.constant(type), ...shapes[type] }) as fc.Arbitrary<RunEvent>
const types = Object.keys(shapes) as RunEvent['type'][]
const anyEvent = fc.constantFrom(...types).chain(eventOf)

const situation: fc.Arbitrary<Situation> = record({
  policy: record({
    planApproval: fc.constantFrom(...planApprovals),
    mergePolicy: fc.constantFrom(...mergePolicies),
    gateFailureBudget: fc.nat(3),
    autoMergeMaxLines: nullable(fc.nat(400)),
  }).map((departures) => ({
    ...presets.balanced,
    executor: firstExecutor,
    ...departures,
    deniedPaths: [...presets.balanced.deniedPaths, 'infra/**'],
  })),
  story: record({
    size: nullable(fc.constantFrom(...sizes)),
    complexity: nullable(fc.constantFrom(...complexities)),
  }),
})

const anyState = stateIn(fc.constantFrom(...runPhases), fc.constantFrom(...runStages))

/** FAULTS=all tries many times as many (`npm run test:faults`). */
const tries = process.env.FAULTS === 'all' ? 20_000 : 1_000

/** What holds after any step. */
function always(says: string, holds: (moved: Moved) => void) {
  test(says, () => {
    fc.assert(
      fc.property(anyState, anyEvent, situation, (before, event, situation) => {
        const stepped = step(before, event, situation)
        if (stepped) holds({ before, event, after: stepped.state, commands: stepped.commands })
      }),
      { numRuns: tries },
    )
  })
}
interface Moved {
  before: RunState
  event: RunEvent
  after: RunState
  commands: Command[]
}
const has = (commands: Command[], what: Command['do']) => commands.some((command) => command.do === what)

always('a run waits exactly when it has asked something, and knows for what', ({ after, commands }) => {
  const asked = commands.filter((command) => command.do === 'raise')
  assert.equal(asked.length, after.phase === 'waiting' ? 1 : 0)
  assert.equal(after.memory.waitsFor, asked[0]?.kind ?? null)
})

always(
  'the worker whose turn it is has an order, and no one else has',
  ({ before, event, after, commands }) => {
    if (has(commands, 'order')) assert.equal(after.phase, 'working')
    if (after.phase === 'working' && !has(commands, 'order')) {
      assert.ok(['usage', 'begun', 'session_known', 'spec_pinned'].includes(event.type))
      assert.deepEqual([before.phase, before.stage], ['working', after.stage])
    }
  },
)

always('an order is outdated by the next one and by leaving the work', ({ before, after, commands }) => {
  const isOutdated = has(commands, 'order') || (before.phase === 'working' && after.phase !== 'working')
  assert.equal(after.fence, before.fence + (isOutdated ? 1 : 0))
})

always('the attempt grows by one with each that is begun, and never falls', ({ before, after, commands }) => {
  assert.equal(after.attempt, before.attempt + (has(commands, 'begin_attempt') ? 1 : 0))
})

always('an attempt ends with its run, or makes room for the next one', ({ before, after, commands }) => {
  const ended = commands.filter((command) => command.do === 'end_attempt')
  assert.ok(ended.length <= 1)
  if (!isOpen(after.phase)) {
    assert.equal(ended.length, 1)
    assert.equal(ended[0]!.status, statusOf(after.phase))
    assert.ok(!has(commands, 'begin_attempt'))
  } else if (ended.length === 1) assert.ok(has(commands, 'begin_attempt'))
  if (has(commands, 'begin_attempt')) {
    assert.equal(after.phase, 'queued')
    assert.equal(ended.length, isOpen(before.phase) ? 1 : 0)
  }
})

always(
  'a run that has succeeded has no failure, and one that failed has one',
  ({ before, after, commands }) => {
    const ended = commands.find((command) => command.do === 'end_attempt')
    if (!ended) return
    if (after.phase === 'succeeded' || after.phase === 'stopped') assert.equal(ended.failureClass, null)
    if (after.phase === 'failed' || after.phase === 'timed_out') {
      assert.ok(ended.failureClass !== null || before.phase === 'waiting')
      assert.notEqual(ended.error, null)
    }
  },
)

always('what the engine does outside fits the phase it stands in', ({ after, commands }) => {
  const outside = {
    opening: 'open_pull_request',
    merging: 'merge',
    watching: 'check_main',
    reverting: 'open_revert',
  } as const
  for (const [phase, command] of Object.entries(outside))
    assert.equal(has(commands, command), after.phase === phase)
})

always('what people have said and allowed is never forgotten', ({ before, after }) => {
  assert.deepEqual(after.memory.guidance.slice(0, before.memory.guidance.length), before.memory.guidance)
  for (const allowed of before.memory.exceptions) assert.ok(after.memory.exceptions.includes(allowed))
  if (before.memory.planApproved) assert.ok(after.memory.planApproved)
})

always('money is counted elsewhere: a step spends none, and only a person raises the budget', (moved) => {
  assert.equal(moved.after.costMicros, moved.before.costMicros)
  if (moved.event.type !== 'budget_raised') assert.equal(moved.after.budgetCents, moved.before.budgetCents)
})

always('a story goes back to Backlog only when a person gives up its run', ({ event, commands }) => {
  const back = commands.some((command) => command.do === 'move_story' && command.to === 'backlog')
  assert.equal(back, event.type === 'given_up' || event.type === 'closed_elsewhere')
})

always('a run that has reached its budget is not let on without being asked', ({ before, event, after }) => {
  if (event.type !== 'usage' || before.phase !== 'working' || before.memory.checksMain) return
  const isReached = before.costMicros + event.micros >= before.budgetCents * 10_000
  // In a race the other agent's change may be handed over, which costs nothing.
  if (isReached && after.phase === 'queued') {
    assert.equal(after.stage, 'handing_off')
    assert.notEqual(after.memory.race!.at, before.memory.race!.at)
  } else assert.equal(after.phase, isReached ? 'waiting' : 'working')
})

always(
  'the main branch is checked only after a merge or for one, and no decision waits meanwhile',
  ({ before, after }) => {
    if (!after.memory.checksMain) return
    if (before.phase !== 'watching') assert.ok(after.memory.merged !== null || after.memory.looksAt !== null)
    assert.equal(after.stage, 'handing_off')
    assert.notEqual(after.phase, 'waiting')
  },
)

always('a look at the main branch says how it is, and nothing else', ({ before, event, after }) => {
  if (before.phase !== 'working' || !before.memory.checksMain) return
  if (event.type === 'main_checked') {
    const isFine = event.state === 'green' || event.isOlder
    const isLast = after.memory.parts.length === 0 || after.phase !== 'watching'
    const fine = isLast ? 'succeeded' : 'watching'
    assert.equal(after.phase, before.memory.merged === null ? 'merging' : isFine ? fine : 'waiting')
  } else assert.ok(!['opening', 'merging', 'waiting', 'succeeded'].includes(after.phase), event.type)
})

always('what was not seen passing, because it failed on main, is merged by no one but a person', (moved) => {
  const { before, event, after } = moved
  const isUnproven = (before.memory.onBase?.unproven.length ?? 0) > 0
  if (
    isUnproven &&
    !before.memory.race?.chosen &&
    (event.type === 'finished' || event.type === 'pull_request_opened')
  )
    assert.notEqual(after.phase, 'merging')
})

always('no one is asked to take back a merge that found main red already', ({ event, commands }) => {
  if ((event.type !== 'main_red' && event.type !== 'main_checked') || !event.isOlder) return
  assert.ok(!commands.some((command) => command.do === 'raise'))
})

always('work that can’t be merged any more is done again once, then a person is asked', (moved) => {
  const { before, event, after } = moved
  if (event.type !== 'conflicted' && !(event.type === 'merge_refused' && event.isOutdated)) return
  // What is merged in part is a person's to judge, below.
  if (isHalfMerged(before.memory)) return
  assert.equal(after.phase, before.memory.renewed ? 'waiting' : 'queued')
  assert.deepEqual([after.memory.base, after.memory.work, after.memory.derived], [null, null, null])
})

always(
  'of several repositories, once one is merged into and another can’t be, a person is asked to take it back',
  ({ before, event, after, commands }) => {
    if (event.type !== 'merge_refused' || !isHalfMerged(before.memory)) return
    assert.deepEqual([after.phase, after.memory.waitsFor], ['waiting', 'revert_approval'])
    assert.ok(commands.some((command) => command.do === 'raise' && 'isHalfMerged' in command.facts))
    assert.deepEqual(
      partsOf(after.memory).map(({ merged }) => merged),
      partsOf(before.memory).map(({ merged }) => merged),
    )
  },
)

always('a spec that is pinned stays pinned', ({ before, after }) => {
  if (before.memory.spec) assert.deepEqual(after.memory.spec, before.memory.spec)
})

always('what was merged is not worked on: another attempt begins from what it has become', (moved) => {
  const { before, event, after } = moved
  if (before.memory.merged === null || before.memory.checksMain) return
  if (event.type !== 'attempt_wanted' && event.type !== 'retried') return
  const { base, work, branch, merged } = after.memory
  assert.deepEqual([base, work, branch, merged], [null, null, null, null])
})

always('an attempt begins without the agent’s session of the one before', ({ after, commands }) => {
  if (has(commands, 'begin_attempt')) assert.equal(after.memory.agentSession, null)
})

/** What holds at the end of the work, where a change is handed over and merged. */
function atHandOver(says: string, holds: (moved: Moved & { policy: Situation['policy'] }) => void) {
  const state = stateIn(fc.constantFrom('working', 'opening'), fc.constant('handing_off'))
  const events = fc.constantFrom('finished', 'pull_request_opened').chain((type) => eventOf(type))
  test(says, () => {
    fc.assert(
      fc.property(state, events, situation, (before, event, situation) => {
        const stepped = step(before, event, situation)
        if (!stepped) return
        const { state: after, commands } = stepped
        holds({ before, event, after, commands, policy: situation.policy })
      }),
      { numRuns: tries * 3 },
    )
  })
}

atHandOver('only the commit that was looked at gets a pull request', ({ before, after, event }) => {
  if (event.type !== 'finished' || before.memory.derived === null) return
  const { at, derived } = before.memory
  const branch = (partsOf(after.memory).find(({ name }) => name === at) ?? after.memory).branch
  if (after.phase === 'opening' || after.phase === 'working') assert.equal(branch?.head, derived.head)
  else assert.equal(after.phase, 'failed')
})

always('what was looked at is forgotten with the work it was found in', ({ before, event, after }) => {
  if (event.type === 'change_ready' || after.memory.work?.head === before.memory.work?.head) return
  // It is another repository's turn, or another agent's.
  if (after.memory.at !== before.memory.at || after.memory.race?.at !== before.memory.race?.at) return
  // What was kept of a repository comes back with what was found in it.
  const kept = before.memory.parts.find(({ work }) => work && work.head === after.memory.work?.head)
  if (after.memory.derived !== null) assert.deepEqual(after.memory.derived, kept?.derived)
})

atHandOver('in a race, whatever the policy, only what a person chose is merged', ({ before, after }) => {
  if (after.phase !== 'merging' || !before.memory.race) return
  assert.equal(before.memory.race.chosen?.head, before.memory.derived?.head ?? null)
})

always(
  'in a race, an agent is given the other’s turn only once the other has had it',
  ({ before, after }) => {
    const [was, is] = [before.memory.race, after.memory.race]
    if (!was || !is || was.at === is.at) return
    assert.notEqual(is.results[was.at], null)
    if (is.results[is.at] === null) {
      const { work, derived, diff, spec, base, plan } = after.memory
      assert.deepEqual([work, derived, diff], [null, null, null])
      assert.deepEqual([spec, base, plan], [before.memory.spec, before.memory.base, before.memory.plan])
    }
  },
)

test('the other agent’s change is chosen only once both have had their turn', () => {
  const [theirs] = fc.sample(result, 1)
  const other = { ...theirs!, made } as unknown as Result
  const waiting = (results: Race['results']): RunState => ({
    ...fc.sample(stateIn(fc.constant('waiting'), fc.constant('handing_off')), 1)[0]!,
    memory: {
      ...blank,
      waitsFor: 'merge_approval',
      race: { ...newRace(['claude_code', 'codex']), at: 1, results },
    },
  })
  const [where] = fc.sample(situation, 1)
  assert.equal(step(waiting([other, null]), { type: 'other_chosen' }, where!), null)
  assert.equal(step(waiting([other, other]), { type: 'other_chosen' }, where!)?.state.memory.race?.at, 0)
})

atHandOver(
  'nothing is merged without a person unless a gate passed, all is signed and no finding is open',
  ({ before, after }) => {
    if (after.phase !== 'merging' || before.memory.race?.chosen) return
    const { gatesPassed, isUnsigned, kinds } = before.memory
    assert.ok(gatesPassed !== null && gatesPassed > 0 && !isUnsigned && kinds.length === 0)
  },
)

always('no gate that passed, none that failed: a person is asked to merge', ({ before, event, after }) => {
  if (event.type !== 'gates_ran' || after.stage !== 'handing_off' || after.memory.parts.length > 0) return
  if (after.memory.race?.at !== before.memory.race?.at) return
  const isMeasured = event.gates.some(({ result }) => result === 'passed')
  assert.equal(Boolean(after.memory.gatesPassed), isMeasured)
})

always('a merge that is not what was verified is a person’s to judge', ({ event, after }) => {
  if (event.type !== 'merged' || !event.mismatch) return
  assert.deepEqual([after.phase, after.memory.waitsFor], ['waiting', 'revert_approval'])
})

always(
  'no change of the acceptance spec gets past implementing, whatever was allowed',
  ({ event, after }) => {
    if (event.type !== 'change_ready') return
    if (event.change.paths.some((path) => path === '.kanman' || path.startsWith('.kanman/acceptance/')))
      assert.deepEqual([after.phase, after.memory.waitsFor], ['waiting', 'diff_guard'])
  },
)

always(
  'no denied path gets past planning or implementing unless it was allowed',
  ({ before, event, after }) => {
    const named =
      event.type === 'plan_ready' ? event.paths : event.type === 'change_ready' ? event.change.paths : []
    const denied = named.filter((path) => path.includes('infra/') && !before.memory.exceptions.includes(path))
    if (denied.length > 0) assert.equal(after.phase, 'waiting')
  },
)

always(
  'of several repositories, what is remembered of one never becomes what is remembered of another',
  ({ before, event, after }) => {
    if (before.memory.parts.length === 0) return
    assert.deepEqual(
      after.memory.parts.map(({ name }) => name),
      ['halden/api', 'halden/web'],
    )
    // Only new work, or a merge, changes which commit is verified in a repository.
    if (['change_ready', 'question_asked', 'merge_refused', 'conflicted'].includes(event.type)) return
    // A person’s hand-off is new work, too.
    if (['attempt_wanted', 'retried', 'handed_off'].includes(event.type)) return
    const heads = ({ memory }: RunState) => partsOf(memory).map(({ derived }) => derived?.head ?? null)
    assert.deepEqual(heads(after), heads(before))
  },
)

always(
  'of several repositories, none is merged into before all that were changed were measured and pushed',
  ({ before, event, after }) => {
    if (before.memory.parts.length === 0 || before.phase !== 'working') return
    if (event.type === 'gates_ran' && after.stage === 'handing_off')
      assert.ok(changedParts(after.memory).every(({ measured }) => measured !== null))
    if (event.type === 'finished' && after.phase === 'opening')
      assert.ok(
        changedParts(after.memory).every(
          ({ branch, derived, work }) => branch?.head === (derived ?? work)?.head,
        ),
      )
  },
)

test('a step is a function: it changes nothing it was given, and says the same again', () => {
  fc.assert(
    fc.property(anyState, anyEvent, situation, (before, event, situation) => {
      const given = structuredClone({ before, event, situation })
      const first = step(before, event, situation)
      assert.deepEqual({ before, event, situation }, given)
      assert.deepEqual(step(before, event, situation), first)
    }),
  )
})

test('a run that has succeeded is never moved again; one that ended otherwise only by a retry', () => {
  const over = stateIn(
    fc.constantFrom('succeeded', 'failed', 'timed_out', 'stopped'),
    fc.constantFrom(...runStages),
  )
  fc.assert(
    fc.property(over, anyEvent, situation, (before, event, situation) => {
      const isRetry = event.type === 'retried' && before.phase !== 'succeeded'
      assert.equal(step(before, event, situation) !== null, isRetry)
    }),
    { numRuns: 2_000 },
  )
})

/** The row that a step takes: the first that fits. */
const rowFor = (state: RunState, event: RunEvent, situation: Situation): Transition | undefined =>
  transitions.find(
    (row) =>
      row.on === event.type &&
      row.from.includes(state.phase) &&
      (row.stage?.includes(state.stage) ?? true) &&
      (row.checksMain ?? state.memory.checksMain) === state.memory.checksMain &&
      (row.when?.[1]({ state, event, ...situation } as never) ?? true),
  )

const described = ({ on, from, when, to }: Transition) =>
  `${on}: ${from.join(', ')} → ${to}${when ? `, when ${when[0]}` : ''}`

test('every row of the table is taken in some case', () => {
  for (const row of transitions) {
    const state = stateIn(fc.constantFrom(...row.from), fc.constantFrom(...(row.stage ?? runStages)))
    const found = fc.check(
      fc.property(state, eventOf(row.on), situation, (...move) => rowFor(...move) !== row),
      // It ends with the first that is found; a row with many conditions takes some thousands.
      { numRuns: 500_000, endOnFailure: true },
    )
    assert.ok(found.failed, `${described(row)} is never taken`)
  }
})

test('every event moves some run', () => {
  assert.deepEqual(new Set(transitions.map(({ on }) => on)), new Set(types))
})

const from = (start: Phase, rows: Transition[]): Set<Phase> => {
  const reached = new Set([start])
  for (const phase of reached) for (const row of rows) if (row.from.includes(phase)) reached.add(row.to)
  return reached
}

test('every phase is reached from the queue', () => {
  assert.deepEqual(from('queued', transitions), new Set(runPhases))
})

test('no open phase is a dead end, even if no one stops or leaves anything', () => {
  const unforced = transitions.filter(({ on }) => on !== 'stopped' && on !== 'story_left')
  for (const phase of runPhases.filter(isOpen)) {
    const ends = [...from(phase, unforced)].filter((end) => !isOpen(end))
    assert.ok(ends.includes('succeeded'), `${phase} can succeed`)
    assert.ok(ends.includes('failed'), `${phase} can fail`)
  }
})

test('only what a person works on is handed off, given back or abandoned, and then it is theirs no more', () => {
  const events = fc.constantFrom('handed_off', 'given_back', 'abandoned').chain((type) => eventOf(type))
  fc.assert(
    fc.property(anyState, events, situation, (state, event, situation) => {
      const stepped = step(state, event, situation)
      assert.equal(stepped !== null, isHeldByPerson(state))
      if (stepped) assert.equal(isHeldByPerson(stepped.state), false)
    }),
  )
})

test('another attempt is the team’s, no matter who worked on the last one', () => {
  fc.assert(
    fc.property(anyState, anyEvent, situation, (state, event, situation) => {
      const stepped = step(state, event, situation)
      fc.pre(stepped !== null && stepped.state.attempt > state.attempt)
      assert.equal(stepped.state.memory.local, null)
    }),
    // Few of all events begin an attempt.
    { maxSkipsPerRun: 1_000 },
  )
})

test('whatever an open run stands in, a person can stop it', () => {
  fc.assert(
    fc.property(anyState, situation, (state, situation) => {
      fc.pre(isOpen(state.phase))
      assert.equal(
        step(state, { type: 'stopped', by: 'Ada', reason: null }, situation)?.state.phase,
        'stopped',
      )
    }),
  )
})
