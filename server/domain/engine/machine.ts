import type { PolicySettings } from '@signalbox/contract/app/policies.ts'
import type { Decision } from '@signalbox/contract/decision.ts'
import { acceptanceSpec, coveredBy, coveredChanges } from '@signalbox/contract/denied-paths.ts'
import { microsPerCent } from '@signalbox/contract/money.ts'
import type { Evidence, Gate, RunListed } from '@signalbox/contract/run.ts'
import type { StoryListed } from '@signalbox/contract/story.ts'
import type { Asked, Facts } from '../decisions/facts.ts'
import type { WorkEvent } from '../ports/work.ts'
import { openPhases, type Phase } from '../runs/phase.ts'
import { raisedBudget } from '../runs/raised-budget.ts'

/**
 * How a run moves: a pure function from (state, event) to (state, commands). The table below is the whole of it; the
 * diagram in docs/manual/runs.md is drawn from the same rows. For each event the first row that fits is taken.
 */

type Stage = RunListed['stage']
type Kind = Decision['kind']

const ended: Phase[] = ['failed', 'timed_out', 'stopped']

/** What is remembered between two events. */
export interface Memory {
  plan: string | null
  planApproved: boolean
  /** How the plan judged itself. */
  risk: 'low' | 'high'
  /** A plan with another scope, while a person is asked about it. */
  proposedPlan: string | null
  /** What people and gates have said, oldest first; every work order carries it. */
  guidance: string[]
  /** Denied paths that a person has allowed for this run. */
  exceptions: string[]
  /** How often each gate has failed in this run. */
  gateFailures: Record<string, number>
  /** Whether the one automatic rework has been used since a person last said something. */
  reworked: boolean
  /** Since a person, or a stage that was done, last showed that things work. */
  transientFailures: number
  restoreSpec: boolean
  /** Not begun yet, or asked for anew by a person: such a run is not started while its team is paused. */
  fresh: boolean
  /** The run broke the main branch and is mending it: its merge is not held. */
  mendsMain: boolean
  change: Evidence['changes'] | null
  /** Which kind of decision the run waits for. */
  waitsFor: Kind | null
}

export const blank: Memory = {
  plan: null,
  planApproved: false,
  risk: 'low',
  proposedPlan: null,
  guidance: [],
  exceptions: [],
  gateFailures: {},
  reworked: false,
  transientFailures: 0,
  restoreSpec: false,
  fresh: true,
  mendsMain: false,
  change: null,
  waitsFor: null,
}

export interface RunState {
  phase: Phase
  stage: Stage
  attempt: number
  /** Number of the newest work order. It grows whenever an order is given out or taken back. */
  fence: number
  budgetCents: number
  costMicros: number
  pullRequest: RunListed['pullRequest']
  memory: Memory
}

/** What the machine looks at besides the state: it changes between events, never by them. */
export interface Situation {
  policy: PolicySettings
  story: Pick<StoryListed, 'size' | 'complexity'>
}

export type RunEvent =
  | { type: 'started' }
  | { type: 'budget_reached' }
  | { type: 'lease_lost' }
  | { type: 'overran' }
  // From the work port. Usage arrives as its price; progress moves nothing and proposals concern no run.
  | Exclude<WorkEvent, { type: 'usage' | 'progress' | 'proposal_made' }>
  | { type: 'usage'; micros: number }
  // From the git host.
  | { type: 'merged'; commit: string }
  | { type: 'merge_refused'; reason: string }
  | { type: 'main_green' }
  | { type: 'main_red'; findings: string }
  | { type: 'revert_opened'; pullRequest: NonNullable<RunListed['pullRequest']> }
  // Nobody is there to be asked.
  | { type: 'no_runner' }
  | { type: 'no_git_host' }
  // What a person's answer asks for.
  | { type: 'plan_approved' }
  | { type: 'changes_requested'; guidance: string }
  | { type: 'exception_granted'; paths: string[] }
  | { type: 'given_up'; by: string; note: string | null }
  | { type: 'budget_raised'; toCents: number }
  | { type: 'spec_restored' }
  | { type: 'attempt_wanted'; guidance: string | null }
  | { type: 'answered'; guidance: string }
  | { type: 'merge_approved' }
  | { type: 'revert_approved' }
  | { type: 'merge_kept' }
  | { type: 'decision_expired' }
  // From people, beside any decision.
  | { type: 'stopped'; by: string; reason: string | null }
  | { type: 'retried'; guidance: string | null }
  | { type: 'story_left' }

/** What is to be done besides writing the new state. */
export type Command =
  /** A work order for the stage is handed out. */
  | { do: 'order' }
  | {
      do: 'end_attempt'
      status: RunListed['status']
      failureClass: RunListed['failureClass']
      error: string | null
    }
  | { do: 'begin_attempt'; afterSeconds: number }
  | { do: 'record'; gates: Gate[]; evidence: Omit<Evidence, 'collectedAt'> }
  | ({ do: 'raise' } & Asked)
  | { do: 'cancel_decisions'; cause: 'run_stopped' | 'story_left' }
  | { do: 'move_story'; to: StoryListed['column']['role']; note?: string | null }
  | { do: 'merge' }
  | { do: 'check_main' }
  | { do: 'open_revert' }

/** A new attempt after a transient failure waits 10, 20 and 40 seconds. */
const backoffSeconds = (failures: number) => 10 * 2 ** (failures - 1)
const mostTransientFailures = 3

type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>

interface Move<E extends RunEvent = RunEvent> extends Situation {
  state: RunState
  event: E
}

/** What changes besides the phase. */
interface Outcome {
  stage?: Stage
  memory?: Partial<Memory>
  budgetCents?: number
  pullRequest?: RunListed['pullRequest']
  commands?: Command[]
}

interface Row<E extends RunEvent> {
  from: Phase[]
  stage?: Stage[]
  /** A condition, said for the reader and tested for the machine. */
  when?: [says: string, holds: (move: Move<E>) => boolean]
  to: Phase
  does?: (move: Move<E>) => Outcome
}

export interface Transition extends Row<never> {
  on: RunEvent['type']
}

const on = <T extends RunEvent['type']>(type: T, ...rows: Row<EventOf<T>>[]): Transition[] =>
  rows.map((row) => ({ on: type, ...row }) as unknown as Transition)

export const transitions: Transition[] = [
  ...on('started', {
    from: ['queued'],
    to: 'working',
    does: () => ({ memory: { fresh: false }, commands: [move('in_progress'), order] }),
  }),
  ...on('budget_reached', { from: ['queued'], to: 'waiting', does: ({ state }) => askAboutBudget(state, 0) }),

  // Planning.
  ...on(
    'plan_ready',
    {
      from: ['working'],
      stage: ['planning'],
      when: ['the plan needs a denied path', ({ event, ...m }) => denied(m, event.paths).length > 0],
      to: 'waiting',
      does: ({ event, ...m }) => ({
        memory: { plan: event.plan, risk: event.risk },
        commands: [
          ask('policy_exception', { paths: denied(m, event.paths), plan: event.plan, foundIn: 'the plan' }),
        ],
      }),
    },
    {
      from: ['working'],
      stage: ['planning'],
      when: ['the policy wants the plan approved', ({ event, ...m }) => wantsApproval(m, event.risk)],
      to: 'waiting',
      does: ({ event, ...m }) => ({
        memory: { plan: event.plan },
        commands: [ask('plan_approval', { plan: event.plan, because: whyApproval(m, event.risk) })],
      }),
    },
    {
      from: ['working'],
      stage: ['planning'],
      to: 'working',
      does: ({ event }) => ({ stage: 'implementing', memory: done({ plan: event.plan }), commands: [order] }),
    },
  ),
  ...on('scope_change_proposed', {
    from: ['working'],
    stage: ['planning', 'implementing'],
    to: 'waiting',
    does: ({ event }) => ({
      memory: { proposedPlan: event.plan },
      commands: [ask('scope_change', { plan: event.plan, change: event.change })],
    }),
  }),
  ...on('spec_failed', {
    from: ['working'],
    stage: ['planning', 'implementing'],
    to: 'waiting',
    does: ({ event }) => ({ commands: [ask('gate_failure', { error: event.error })] }),
  }),
  ...on('question_asked', {
    from: ['working'],
    to: 'waiting',
    does: ({ event: { type, ...facts } }) => ({ commands: [ask('clarification', facts)] }),
  }),

  // Implementing.
  ...on(
    'change_ready',
    {
      from: ['working'],
      stage: ['implementing'],
      when: ['the acceptance spec was changed', ({ event }) => specPaths(event.change).length > 0],
      to: 'waiting',
      does: ({ event, state }) => ({
        stage: 'verifying',
        pullRequest: event.pullRequest ?? state.pullRequest,
        commands: [ask('diff_guard', { paths: specPaths(event.change) })],
      }),
    },
    {
      from: ['working'],
      stage: ['implementing'],
      when: ['a denied path was changed', ({ event, ...m }) => deniedIn(m, event.change).length > 0],
      to: 'waiting',
      does: ({ event, ...m }) => ({
        memory: { change: event.change },
        pullRequest: event.pullRequest ?? m.state.pullRequest,
        commands: [
          ask('policy_exception', {
            paths: deniedIn(m, event.change),
            plan: null,
            foundIn: 'the change',
          }),
        ],
      }),
    },
    {
      from: ['working'],
      stage: ['implementing'],
      to: 'working',
      does: ({ event, state }) => ({
        stage: 'verifying',
        memory: done({ change: event.change, restoreSpec: false }),
        pullRequest: event.pullRequest ?? state.pullRequest,
        commands: [order],
      }),
    },
  ),

  // Verifying.
  ...on(
    'gates_ran',
    {
      from: ['working'],
      stage: ['verifying'],
      when: ['every gate passed', ({ event }) => failedGates(event.gates).length === 0],
      to: 'working',
      does: ({ event }) => ({
        stage: 'handing_off',
        memory: done({ change: event.evidence.changes }),
        commands: [record(event), move('review'), order],
      }),
    },
    {
      from: ['working'],
      stage: ['verifying'],
      when: ['a gate failed more often than the policy allows', (m) => overGateBudget(m).length > 0],
      to: 'waiting',
      does: (m) => ({
        memory: { gateFailures: counted(m) },
        commands: [
          record(m.event),
          ask('repeated_gate_failure', {
            gates: overGateBudget(m).map((gate) => ({ ...gate, failures: counted(m)[gate.name]! })),
            budget: m.policy.gateFailureBudget,
          }),
        ],
      }),
    },
    {
      from: ['working'],
      stage: ['verifying'],
      when: ['the automatic rework is still unused', ({ state }) => !state.memory.reworked],
      to: 'queued',
      does: (m) => ({
        stage: 'implementing',
        memory: {
          gateFailures: counted(m),
          reworked: true,
          guidance: [...m.state.memory.guidance, findingsOf(m.event.gates)],
        },
        commands: [
          record(m.event),
          end('failed', 'gate', findingsOf(m.event.gates)),
          { do: 'begin_attempt', afterSeconds: 0 },
        ],
      }),
    },
    {
      from: ['working'],
      stage: ['verifying'],
      to: 'waiting',
      does: (m) => ({
        memory: { gateFailures: counted(m) },
        commands: [record(m.event), ask('verification_failed', { gates: failedGates(m.event.gates) })],
      }),
    },
  ),

  // Handing off.
  ...on(
    'finished',
    {
      from: ['working'],
      stage: ['handing_off'],
      when: ['people merge for themselves', ({ policy }) => policy.mergePolicy === 'manual'],
      to: 'succeeded',
      does: ({ event, state }) => ({
        pullRequest: event.pullRequest ?? state.pullRequest,
        commands: [end('succeeded')],
      }),
    },
    {
      from: ['working'],
      stage: ['handing_off'],
      when: ['the policy lets it merge', (m) => mayMerge(m)],
      to: 'merging',
      does: ({ event, state }) => ({
        pullRequest: event.pullRequest ?? state.pullRequest,
        commands: [{ do: 'merge' }],
      }),
    },
    {
      from: ['working'],
      stage: ['handing_off'],
      to: 'waiting',
      does: ({ event, state, policy }) => ({
        pullRequest: event.pullRequest ?? state.pullRequest,
        commands: [
          ask('merge_approval', {
            lines: linesOf(state),
            files: state.memory.change?.files ?? 0,
            limit: mergeLimit(policy),
            pullRequest: event.pullRequest ?? state.pullRequest,
          }),
        ],
      }),
    },
  ),
  ...on('merged', { from: ['merging'], to: 'watching', does: () => ({ commands: [{ do: 'check_main' }] }) }),
  ...on('merge_refused', {
    from: ['merging'],
    to: 'failed',
    does: ({ event }) => ({ commands: [end('failed', 'dependency', `Not merged: ${event.reason}`)] }),
  }),
  ...on('main_green', {
    from: ['watching'],
    to: 'succeeded',
    does: () => ({ commands: [end('succeeded'), move('done')] }),
  }),
  ...on('main_red', {
    from: ['watching'],
    to: 'waiting',
    does: ({ event, state }) => ({
      commands: [ask('revert_approval', { findings: event.findings, pullRequest: state.pullRequest })],
    }),
  }),
  ...on('revert_opened', {
    from: ['reverting'],
    to: 'failed',
    does: ({ event, state }) => ({
      commands: [
        end(
          'failed',
          'persistent',
          `Merged as #${state.pullRequest?.number} and reverted by #${event.pullRequest.number}.`,
        ),
      ],
    }),
  }),

  // What comes next needs something that is not connected. Trying again would not help; saying so does.
  ...on('no_runner', { from: ['working'], to: 'queued' }),
  ...on('no_git_host', {
    from: ['merging', 'watching', 'reverting'],
    to: 'failed',
    does: ({ state: { phase } }) => ({
      commands: [end('failed', 'dependency', `No git host is connected. ${byHand[phase] ?? ''}`.trim())],
    }),
  }),

  // Money, silence and failure, in any stage.
  ...on(
    'usage',
    {
      from: ['working'],
      when: ['the run has reached its budget', ({ state, event }) => reached(state, event.micros)],
      to: 'waiting',
      does: ({ state, event }) => askAboutBudget(state, event.micros),
    },
    { from: ['working'], to: 'working' },
  ),
  ...on(
    'failed',
    {
      from: ['working'],
      when: [
        'it is transient and not the last straw',
        (m) => m.event.failureClass === 'transient' && mayRetry(m),
      ],
      to: 'queued',
      does: ({ state, event }) => tryAgain(state, event.error),
    },
    {
      from: ['working'],
      to: 'failed',
      does: ({ event }) => ({ commands: [end('failed', event.failureClass, event.error)] }),
    },
  ),
  ...on(
    'lease_lost',
    {
      from: ['working'],
      when: ['not too often', (m) => mayRetry(m)],
      to: 'queued',
      does: ({ state }) => tryAgain(state, silence),
    },
    { from: ['working'], to: 'failed', does: () => ({ commands: [end('failed', 'transient', silence)] }) },
  ),
  ...on('overran', {
    from: ['working'],
    to: 'timed_out',
    does: ({ state }) => ({
      commands: [end('timed_out', 'persistent', `Timed out while ${state.stage.replace('_', ' ')}.`)],
    }),
  }),

  // Answers.
  ...on('plan_approved', {
    from: ['waiting'],
    to: 'queued',
    does: ({ state: { memory } }) => ({
      stage: 'implementing',
      memory: heard({ planApproved: true, plan: memory.proposedPlan ?? memory.plan }),
    }),
  }),
  ...on('changes_requested', {
    from: ['waiting'],
    to: 'queued',
    does: ({ state, event }) => ({
      stage: again(state.stage),
      memory: heard(withGuidance(state, event.guidance)),
    }),
  }),
  ...on(
    'exception_granted',
    {
      from: ['waiting'],
      stage: ['planning'],
      when: ['the policy wants the plan approved', (m) => wantsApproval(m, m.state.memory.risk)],
      to: 'waiting',
      does: ({ event, ...m }) => ({
        memory: heard(excepted(m.state, event.paths)),
        commands: [
          ask('plan_approval', { plan: m.state.memory.plan, because: whyApproval(m, m.state.memory.risk) }),
        ],
      }),
    },
    {
      from: ['waiting'],
      to: 'queued',
      does: ({ state, event }) => ({
        stage: state.stage === 'planning' ? 'implementing' : 'verifying',
        memory: heard(excepted(state, event.paths)),
      }),
    },
  ),
  ...on(
    'given_up',
    {
      from: ['waiting'],
      when: ['the decision was about a failure', ({ state }) => failureOf(state) !== null],
      to: 'failed',
      does: ({ state, event }) => ({
        commands: [end('failed', failureOf(state), endedBy(event)), move('backlog', event.note)],
      }),
    },
    {
      from: ['waiting'],
      to: 'stopped',
      does: ({ event }) => ({
        commands: [end('stopped', null, endedBy(event)), move('backlog', event.note)],
      }),
    },
  ),
  ...on('budget_raised', {
    from: ['waiting'],
    to: 'queued',
    does: ({ event }) => ({ budgetCents: event.toCents, memory: heard({}) }),
  }),
  ...on('spec_restored', {
    from: ['waiting'],
    to: 'queued',
    does: ({ state }) => ({
      stage: 'implementing',
      memory: heard({
        restoreSpec: true,
        ...withGuidance(state, 'The acceptance spec was restored. Do not change it.'),
      }),
      commands: [
        end('failed', 'gate', 'The implementation changed the acceptance spec.'),
        { do: 'begin_attempt', afterSeconds: 0 },
      ],
    }),
  }),
  ...on('attempt_wanted', {
    from: ['waiting'],
    to: 'queued',
    does: ({ state, event }) => ({
      stage: again(state.stage),
      memory: heard({
        mendsMain: state.memory.mendsMain || state.memory.waitsFor === 'revert_approval',
        ...withGuidance(state, event.guidance),
      }),
      commands: [
        end('failed', failureOf(state), 'A person asked for another attempt.'),
        { do: 'begin_attempt', afterSeconds: 0 },
      ],
    }),
  }),
  ...on('answered', {
    from: ['waiting'],
    to: 'queued',
    does: ({ state, event }) => ({ memory: heard(withGuidance(state, event.guidance)) }),
  }),
  ...on('merge_approved', {
    from: ['waiting'],
    to: 'merging',
    does: () => ({ commands: [{ do: 'merge' }] }),
  }),
  ...on('revert_approved', {
    from: ['waiting'],
    to: 'reverting',
    does: () => ({ commands: [{ do: 'open_revert' }] }),
  }),
  ...on('merge_kept', {
    from: ['waiting'],
    to: 'succeeded',
    does: () => ({ commands: [end('succeeded'), move('done')] }),
  }),
  ...on('decision_expired', {
    from: ['waiting'],
    to: 'failed',
    does: () => ({ commands: [end('failed', 'dependency', 'No one answered in time.')] }),
  }),

  // People, at any time.
  ...on('stopped', {
    from: openPhases,
    to: 'stopped',
    does: ({ event }) => ({
      commands: [
        end('stopped', null, `Stopped by ${event.by}${event.reason ? `: ${event.reason}` : '.'}`),
        { do: 'cancel_decisions', cause: 'run_stopped' },
      ],
    }),
  }),
  ...on('story_left', {
    from: openPhases,
    to: 'stopped',
    does: () => ({
      commands: [
        end('stopped', null, 'The story was moved.'),
        { do: 'cancel_decisions', cause: 'story_left' },
      ],
    }),
  }),
  ...on('retried', {
    from: ended,
    to: 'queued',
    does: ({ state, event }) => ({
      stage: again(state.stage),
      memory: heard({ fresh: true, ...withGuidance(state, event.guidance) }),
      commands: [{ do: 'begin_attempt', afterSeconds: 0 }],
    }),
  }),
]

export interface Stepped {
  state: RunState
  commands: Command[]
}

/** Null: the event means nothing where the run stands. */
export function step(state: RunState, event: RunEvent, situation: Situation): Stepped | null {
  const found = { state, event, ...situation } as Move<never>
  const row = transitions.find(
    (candidate) =>
      candidate.on === event.type &&
      candidate.from.includes(state.phase) &&
      (candidate.stage?.includes(state.stage) ?? true) &&
      (candidate.when?.[1](found) ?? true),
  )
  if (!row) return null
  const { memory, commands = [], ...changed } = row.does?.(found) ?? {}
  const orders = commands.some((command) => command.do === 'order')
  const leaves = state.phase === 'working' && row.to !== 'working'
  const asked = commands.find((command) => command.do === 'raise')
  return {
    state: {
      ...state,
      ...changed,
      phase: row.to,
      fence: state.fence + (orders || leaves ? 1 : 0),
      attempt: state.attempt + (commands.some((command) => command.do === 'begin_attempt') ? 1 : 0),
      memory: { ...state.memory, ...memory, waitsFor: asked?.kind ?? null },
    },
    commands,
  }
}

// Words that the table is written in.

const order: Command = { do: 'order' }
const ask = <K extends Kind>(kind: K, facts: Facts[K]) =>
  ({ do: 'raise', kind, facts }) as Extract<Command, { do: 'raise' }>
const move = (to: StoryListed['column']['role'], note?: string | null): Command => ({
  do: 'move_story',
  to,
  ...(note === undefined ? {} : { note }),
})
const end = (
  status: RunListed['status'],
  failureClass: RunListed['failureClass'] = null,
  error: string | null = null,
): Command => ({ do: 'end_attempt', status, failureClass, error })
const record = ({ gates, evidence }: EventOf<'gates_ran'>): Command => ({
  do: 'record',
  gates,
  evidence: { ...evidence, gates },
})

/** What people do in place of the git host. */
const byHand: Partial<Record<Phase, string>> = {
  merging: 'Merge the pull request yourself.',
  watching: 'The change is merged; look yourself whether the main branch is green.',
  reverting: 'Take the merge back yourself.',
}

/** A stage was done: whatever failed before was a passing trouble. */
const done = (memory: Partial<Memory>): Partial<Memory> => ({ ...memory, transientFailures: 0 })
/** A person has spoken: the service may help itself once more. */
const heard = (memory: Partial<Memory>): Partial<Memory> => ({
  ...memory,
  proposedPlan: null,
  reworked: false,
  transientFailures: 0,
})
const withGuidance = ({ memory }: RunState, guidance: string | null): Partial<Memory> =>
  guidance === null ? {} : { guidance: [...memory.guidance, guidance] }
const excepted = ({ memory }: RunState, paths: string[]): Partial<Memory> => ({
  exceptions: [...new Set([...memory.exceptions, ...paths])],
})

/** The stage in which work is taken up again: a plan is made anew, a change is worked on. */
const again = (stage: Stage): Stage => (stage === 'planning' ? 'planning' : 'implementing')

type Held = Pick<Move, 'state' | 'policy'>
const denied = ({ state, policy }: Held, paths: string[]): string[] =>
  coveredBy(paths, policy.deniedPaths).filter((path) => !state.memory.exceptions.includes(path))
const deniedIn = ({ state, policy }: Held, change: Evidence['changes']): string[] =>
  coveredChanges(change.paths, policy.deniedPaths).filter((path) => !state.memory.exceptions.includes(path))
const specPaths = (change: Evidence['changes']): string[] => coveredChanges(change.paths, [acceptanceSpec])

const isRisky = (story: Situation['story'], risk: 'low' | 'high') =>
  risk === 'high' || story.complexity === 'high' || story.size === 'l' || story.size === 'xl'
const wantsApproval = ({ state, policy, story }: Omit<Move, 'event'>, risk: 'low' | 'high') =>
  !state.memory.planApproved &&
  (policy.planApproval === 'always' || (policy.planApproval === 'by_risk' && isRisky(story, risk)))
const whyApproval = ({ policy, story }: Omit<Move, 'event'>, risk: 'low' | 'high') =>
  policy.planApproval === 'always'
    ? 'the policy requires approval for every plan'
    : risk === 'high'
      ? 'the plan says it is risky'
      : `the story has size ${story.size ?? 'unknown'} and complexity ${story.complexity ?? 'unknown'}`

const failedGates = (gates: Gate[]) => gates.filter((gate) => gate.result === 'failed')
const findingsOf = (gates: Gate[]) =>
  `Verification failed. ${failedGates(gates)
    .map((gate) => `${gate.name}: ${gate.summary}`)
    .join('; ')}`

function counted({ state, event }: Move<EventOf<'gates_ran'>>): Record<string, number> {
  // Without a prototype: a gate may be called `constructor`.
  const counts: Record<string, number> = Object.assign(Object.create(null), state.memory.gateFailures)
  for (const gate of failedGates(event.gates)) counts[gate.name] = (counts[gate.name] ?? 0) + 1
  return counts
}

const overGateBudget = (m: Move<EventOf<'gates_ran'>>) =>
  failedGates(m.event.gates).filter((gate) => counted(m)[gate.name]! > m.policy.gateFailureBudget)

const linesOf = ({ memory }: RunState) => (memory.change?.additions ?? 0) + (memory.change?.deletions ?? 0)

/** The most lines the policy lets merge unasked; null: any number. */
const mergeLimit = (policy: PolicySettings): number | null =>
  policy.mergePolicy === 'auto'
    ? policy.autoMergeMaxLines
    : policy.mergePolicy === 'auto_within_limits'
      ? (policy.autoMergeMaxLines ?? 0)
      : 0

function mayMerge({ state, policy }: Pick<Move, 'state' | 'policy'>): boolean {
  if (policy.mergePolicy === 'ask') return false
  const limit = mergeLimit(policy)
  return limit === null || linesOf(state) <= limit
}

export const reached = (state: RunState, micros: number): boolean =>
  state.costMicros + micros >= state.budgetCents * microsPerCent
const askAboutBudget = (state: RunState, micros: number): Outcome => ({
  commands: [
    ask('budget_stop', {
      costCents: Math.ceil((state.costMicros + micros) / microsPerCent),
      budgetCents: state.budgetCents,
      raisedCents: raisedBudget(state.budgetCents, state.costMicros + micros),
    }),
  ],
})

const silence = 'The worker stopped responding.'
const mayRetry = ({ state }: Pick<Move, 'state'>) => state.memory.transientFailures < mostTransientFailures

function tryAgain(state: RunState, error: string): Outcome {
  const transientFailures = state.memory.transientFailures + 1
  return {
    memory: { transientFailures },
    commands: [
      end('failed', 'transient', error),
      { do: 'begin_attempt', afterSeconds: backoffSeconds(transientFailures) },
    ],
  }
}

/** As which class of failure a run ends that is given up at a decision; null where nothing had failed. */
const failures: Partial<Record<Kind, RunListed['failureClass']>> = {
  policy_exception: 'policy',
  budget_stop: 'budget',
  verification_failed: 'gate',
  gate_failure: 'gate',
  diff_guard: 'gate',
  repeated_gate_failure: 'gate',
  revert_approval: 'persistent',
}
const failureOf = ({ memory }: RunState) => (memory.waitsFor && failures[memory.waitsFor]) ?? null
const endedBy = ({ by, note }: EventOf<'given_up'>) => `Ended by ${by}${note ? `: ${note}` : '.'}`
