import type { PolicySettings } from '@signalbox/contract/app/policies.ts'
import { mergeReasons } from '@signalbox/contract/audit-details.ts'
import type { Decision } from '@signalbox/contract/decision.ts'
import { acceptanceSpec, coveredBy, coveredChanges } from '@signalbox/contract/denied-paths.ts'
import { type FindingKind, openKinds } from '@signalbox/contract/guard/finding.ts'
import type { MergeRead } from '@signalbox/contract/merge-read.ts'
import { microsPerCent } from '@signalbox/contract/money.ts'
import type { Evidence, Gate, RunListed } from '@signalbox/contract/run.ts'
import type { Isolation, Order, PinnedSpec, RunnerExecutor } from '@signalbox/contract/runner/messages.ts'
import type { SecondReview } from '@signalbox/contract/second-review.ts'
import type { StoryListed } from '@signalbox/contract/story.ts'
import type { MergeFacts } from '../../ports/git-host.ts'
import type { WorkEvent } from '../../ports/work.ts'
import type { Asked, Facts } from '../../work/decisions/facts.ts'
import { openPhases, type Phase } from '../../work/runs/phase.ts'
import { betterOf, type Lane } from '../../work/runs/race.ts'
import { raisedBudget } from '../../work/runs/raised-budget.ts'
import {
  blankRepository,
  changedParts,
  type Derived,
  filterPaths,
  isHalfMerged,
  largestPart,
  nextToCheckMain,
  nextToMerge,
  nextToPush,
  nextToVerify,
  partsOf,
  type RepositoriesMemory,
  type RepositoryChange,
  resetParts,
  switchToPart,
  updateOtherParts,
  updatePart,
  wholeChange,
  wholeEvidence,
  withChanges,
} from './parts.ts'
import { isOtherMergeable, otherThan, type Race, type Result, raceFacts, withResult } from './race.ts'

/**
 * How a run moves: a pure function from (state, event) to (state, commands). The table below is the whole of it; the
 * diagram in docs/run-life.md is drawn from the same rows. For each event the first row that fits is taken.
 */

type Stage = RunListed['stage']
type Kind = Decision['kind']

const ended: Phase[] = ['failed', 'timed_out', 'stopped']

/** A person who works on a story with a coding agent of their own. */
interface Local {
  personId: string
  name: string
  /** They have handed it over: the rest is done by a runner. */
  handedOff: boolean
}

/** A branch that a person has pushed, and the commit on it that they mean. */
type Pushed = NonNullable<Order['toAdopt']>

/** What a finding is about; `report`: the report contradicts the work, which no policy allows. */
export type FoundKind = FindingKind | 'report'

/** What is remembered between two events. */
export interface Memory extends RepositoriesMemory {
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
  /** How often in a row its repository could not be read. */
  unreadable: number
  restoreSpec: boolean
  /** Not begun yet, or requested again by a person: such a run is not started while its team is paused. */
  fresh: boolean
  /** The run broke the main branch and is mending it: its merge is not held. */
  mendsMain: boolean
  change: Evidence['changes'] | null
  /** What the run is measured by, once it was seen failing on the base. */
  spec: PinnedSpec | null
  /** What is said of the change apart from its paths, and the kinds of that. */
  findings: string[]
  kinds: FoundKind[]
  /** Of its gates; null before they have run. */
  gatesPassed: number | null
  /** A runner has said how the gates went, and not signed it. */
  isUnsigned: boolean
  /** What another agent found in the change; null: the policy wants no second review, or there was none yet. */
  secondReview: SecondReview | null
  /** Whose own machine this attempt is worked on; null: the team works on it. */
  local: Local | null
  /** What a person has pushed, until a runner has looked at it. */
  pushed: Pushed | null
  /** The agent's own session of this attempt. */
  agentSession: string | null
  /** A runner is to look whether the main branch is green: still, with the merge in it, or before it is merged into. */
  checksMain: boolean
  /** Where the main branch stood when a look was wanted before the merge. */
  looksAt: string | null
  /** Whether the work was already redone without a person because main had moved on. A person’s input resets it. */
  renewed: boolean
  /** Two agents work on it, one after the other; null: one does. */
  race: Race | null
  /** Which kind of decision the run waits for. */
  waitsFor: Kind | null
}

export const blank: Memory = {
  ...blankRepository,
  parts: [],
  at: null,
  plan: null,
  planApproved: false,
  risk: 'low',
  proposedPlan: null,
  guidance: [],
  exceptions: [],
  gateFailures: {},
  reworked: false,
  transientFailures: 0,
  unreadable: 0,
  restoreSpec: false,
  fresh: true,
  mendsMain: false,
  change: null,
  spec: null,
  findings: [],
  kinds: [],
  gatesPassed: null,
  isUnsigned: false,
  secondReview: null,
  local: null,
  pushed: null,
  agentSession: null,
  checksMain: false,
  looksAt: null,
  renewed: false,
  race: null,
  waitsFor: null,
}

export interface RunState {
  phase: Phase
  stage: Stage
  attempt: number
  /** Number of the newest work order. It grows whenever an order is given out or withdrawn. */
  fence: number
  budgetCents: number
  costMicros: number
  pullRequest: RunListed['pullRequest']
  memory: Memory
}

/** What the machine looks at in addition to the state: it changes between events, never by them. */
export interface Situation {
  policy: PolicySettings
  story: Pick<StoryListed, 'size' | 'complexity'>
}

/** What the server adds to a report. */
interface Added {
  /** `changes`: with several repositories, the change in each. */
  change_ready: { derived?: Derived; kinds?: FoundKind[]; changes?: RepositoryChange[] }
  gates_ran: { isUnsigned?: boolean; noted?: string[]; onBase?: Memory['onBase'] }
  /** Whether by a runner that had worked on the run. */
  main_checked: { byMaker?: boolean }
}

type Reported = Exclude<WorkEvent, { type: 'usage' | 'progress' | 'proposal_made' }>

/** What a runner reported, after `check-report.ts` has checked it against what the server knows. */
export type CheckedReport = {
  [T in Reported['type']]: Extract<Reported, { type: T }> & (T extends keyof Added ? Added[T] : unknown)
}[Reported['type']]

export type RunEvent =
  /** `hands`: of a race, whose runner hands the change over. */
  | { type: 'started'; hands?: RunListed['executor'] }
  | { type: 'budget_reached' }
  | { type: 'lease_lost' }
  | { type: 'overran'; why?: string }
  // From the work port. Usage arrives as its price; progress moves nothing and proposals concern no run.
  | CheckedReport
  | { type: 'usage'; micros: number }
  // From the git host.
  /** `each`: in several repositories, by their names. */
  | {
      type: 'pull_request_opened'
      pullRequest: NonNullable<RunListed['pullRequest']>
      each?: { name: string; pullRequest: NonNullable<RunListed['pullRequest']> }[]
    }
  | { type: 'pull_request_refused'; reason: string }
  /** `mismatch`: why it is not what was verified, as a sentence. */
  | {
      type: 'merged'
      commit: string
      facts?: MergeFacts | null
      /** What was read before; null: it was not merged by this server. */
      read?: MergeRead | null
      mismatch?: string | null
    }
  /** `isOutdated`: the main branch has moved on, and the work has to be done again from there. */
  | { type: 'merge_refused'; reason: string; isOutdated?: boolean }
  /** The same, found out while it waits for a person. */
  | { type: 'conflicted'; reason: string }
  /** The state of the main branch at its current commit is unknown. */
  | { type: 'main_look_wanted'; commit: string; repository?: string }
  /** People merged or closed the pull request at the git host. `says` explains it and what follows. */
  | { type: 'merged_elsewhere'; commit: string; says: string; repository?: string }
  | { type: 'closed_elsewhere'; says: string }
  | { type: 'main_green' }
  /** `isOlder`: it was red before the merge, for the same reasons. */
  | { type: 'main_red'; findings: string; isOlder?: boolean }
  /** The git host runs no checks of its own. */
  | { type: 'main_check_wanted' }
  /** `says`: in several repositories, which pull requests revert what. */
  | { type: 'revert_opened'; pullRequest: NonNullable<RunListed['pullRequest']>; says?: string }
  | { type: 'revert_refused'; reason: string }
  // What is needed for the next step is not configured.
  | { type: 'no_runner' }
  | { type: 'no_git_host' }
  /** In a race, no runner has had the agent whose turn it is for a while. */
  | { type: 'agent_missing'; reason: string }
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
  /** In a race, the change that was not proposed is the one to merge. */
  | { type: 'other_chosen' }
  | { type: 'revert_approved' }
  | { type: 'merge_kept' }
  | { type: 'decision_expired' }
  // From a person who works on the story themselves.
  | { type: 'begun_locally'; personId: string; name: string }
  /** Null: there is nothing that a runner could look at, and the reason says why. */
  /** `at`: in which of the team's repositories; null: it has one. */
  | { type: 'handed_off'; pushed: Pushed; reason: null; at?: string | null }
  | { type: 'handed_off'; pushed: null; reason: string; at?: null }
  | { type: 'given_back'; by: string; reason: string | null }
  | { type: 'abandoned'; hours: number }
  // From people, beside any decision.
  | { type: 'stopped'; by: string; reason: string | null }
  | { type: 'retried'; guidance: string | null }
  | { type: 'story_left' }

/** What is to be done in addition to writing the new state. */
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
  /** The attempt goes on once someone has helped: it is tried again after a while, and says until then what it needs. */
  | { do: 'wait'; seconds: number; reason: string }
  /** What holds the agent of this attempt, and which one it is. */
  | { do: 'note_agent'; isolation: Isolation; agent: RunnerExecutor }
  | { do: 'record'; attempt: number; gates: Gate[]; evidence: Omit<Evidence, 'collectedAt'> }
  | ({ do: 'raise' } & Asked)
  | {
      do: 'cancel_decisions'
      cause: 'run_stopped' | 'story_left' | 'merged_elsewhere' | 'closed_elsewhere' | 'conflicted'
    }
  | { do: 'move_story'; to: StoryListed['column']['role']; note?: string | null }
  | { do: 'open_pull_request' }
  | { do: 'merge' }
  | { do: 'check_main' }
  | { do: 'open_revert' }

/** A new attempt after a transient failure waits 10, 20 and 40 seconds. */
const backoffSeconds = (failures: number) => 10 * 2 ** (failures - 1)
const mostTransientFailures = 3

/** A repository that cannot be read is tried after 1, 2, 4, 8 and then every 15 minutes. */
const unreadableSeconds = (times: number) => Math.min(15, 2 ** (times - 1)) * 60

type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>

interface Move<E extends RunEvent = RunEvent> extends Situation {
  state: RunState
  event: E
}

/** What changes in addition to the phase. */
interface Outcome {
  /** The decision that the run waits for stays as it is. */
  keepsAsking?: true
  stage?: Stage
  memory?: Partial<Memory>
  budgetCents?: number
  pullRequest?: RunListed['pullRequest']
  commands?: Command[]
}

interface Row<E extends RunEvent> {
  from: Phase[]
  stage?: Stage[]
  /** Whether the order is a look at the main branch after the merge. Left out: either. */
  checksMain?: boolean
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

/** After a merge into several repositories, each main branch is looked at. */
const hasNextMain: [string, (move: Pick<Move, 'state'>) => boolean] = [
  'another repository is still to be checked',
  ({ state: { memory } }) =>
    nextToCheckMain({ ...memory, ...updatePart(memory, { isGreen: true }) }) !== undefined,
]

export const transitions: Transition[] = [
  ...on(
    'started',
    {
      from: ['queued'],
      checksMain: true,
      to: 'working',
      does: (m) => ({ memory: handsOver(m), commands: [order] }),
    },
    {
      from: ['queued'],
      stage: ['handing_off'],
      to: 'working',
      does: (m) => ({ memory: { fresh: false, ...handsOver(m) }, commands: [move('review'), order] }),
    },
    {
      from: ['queued'],
      to: 'working',
      does: () => ({ memory: { fresh: false }, commands: [move('in_progress'), order] }),
    },
  ),
  // A person works on it instead: in no stage but the one whose result they hand over.
  ...on('begun_locally', {
    from: ['queued'],
    checksMain: false,
    when: ['no one has begun', ({ state }) => state.memory.fresh],
    to: 'working',
    does: ({ event: { personId, name } }) => ({
      stage: 'implementing',
      memory: { fresh: false, local: { personId, name, handedOff: false } },
      commands: [move('in_progress', null), order],
    }),
  }),
  ...on(
    'handed_off',
    {
      from: ['working'],
      when: [
        'a person works on it and has pushed a branch',
        (m) => isHeldByPerson(m.state) && m.event.pushed !== null,
      ],
      to: 'queued',
      // A person decides whether the team reworks what a person wrote: no rework starts without them.
      does: ({ state, event }) => ({
        memory: {
          ...markHandedOff(state),
          ...{ pushed: event.pushed, at: event.at ?? null, reworked: true, renewed: true },
        },
      }),
    },
    {
      from: ['working'],
      when: ['a person works on it', ({ state }) => isHeldByPerson(state)],
      to: 'waiting',
      does: ({ state, event }) => ({
        memory: markHandedOff(state),
        commands: [ask('verification_failed', { gates: [], unverified: event.reason ?? '' })],
      }),
    },
  ),
  ...on('given_back', {
    from: ['working'],
    when: ['a person works on it', ({ state }) => isHeldByPerson(state)],
    to: 'stopped',
    does: ({ event: { by, reason } }) => {
      const says = `Given back by ${by}${reason ? `: ${reason}` : '.'}`
      return { commands: [end('stopped', null, says), move('ready', says)] }
    },
  }),
  ...on('abandoned', {
    from: ['working'],
    when: ['a person works on it', ({ state }) => isHeldByPerson(state)],
    to: 'timed_out',
    does: ({ state, event }) => {
      const says = `${state.memory.local!.name} worked on it and has not reported for ${event.hours} hours.`
      return { commands: [end('timed_out', 'dependency', says), move('ready', says)] }
    },
  }),

  ...on('budget_reached', {
    from: ['queued'],
    checksMain: false,
    to: 'waiting',
    does: ({ state }) => askAboutBudget(state, 0),
  }),

  // What is learnt while an order goes on.
  ...on(
    'begun',
    { from: ['working'], checksMain: true, to: 'working' },
    {
      from: ['working'],
      to: 'working',
      does: ({ state, event }) => ({
        memory: {
          base: state.memory.base ?? event.base,
          ...updateOtherParts(state.memory, event.others),
        },
        commands: [{ do: 'note_agent', isolation: event.isolation, agent: event.agent }],
      }),
    },
  ),
  ...on('session_known', {
    from: ['working'],
    checksMain: false,
    to: 'working',
    does: ({ event }) => ({ memory: { agentSession: event.agentSession } }),
  }),
  ...on('spec_pinned', {
    from: ['working'],
    stage: ['implementing'],
    when: ['none is pinned yet', ({ state }) => state.memory.spec === null],
    to: 'working',
    does: ({ event, state }) => ({ memory: { spec: event.spec, ...turnBegins(state) } }),
  }),

  // Planning.
  ...on(
    'plan_ready',
    {
      from: ['working'],
      stage: ['planning'],
      when: ['the plan needs a denied path', ({ event, ...m }) => deniedPathsIn(m, event.paths).length > 0],
      to: 'waiting',
      does: ({ event, ...m }) => ({
        memory: { plan: event.plan, risk: event.risk },
        commands: [
          ask('policy_exception', {
            paths: deniedPathsIn(m, event.paths),
            plan: event.plan,
            foundIn: 'the plan',
          }),
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
      does: ({ event, state }) => ({
        stage: 'implementing',
        memory: afterStageDone({ plan: event.plan, ...turnBegins(state) }),
        commands: [order],
      }),
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
    checksMain: false,
    to: 'waiting',
    // Once there is a change, it is the one that was looked at: a question brings no other.
    does: ({ event: { type, work, others, ...facts }, state }) => ({
      memory:
        state.stage === 'implementing'
          ? { ...(work ? { work, derived: null } : {}), ...updateOtherParts(state.memory, others) }
          : {},
      commands: [ask('clarification', facts)],
    }),
  }),

  // Implementing.
  ...on(
    'change_ready',
    {
      from: ['working'],
      stage: ['implementing'],
      when: [
        'the acceptance spec was changed',
        ({ event, state }) => specPaths(state, event.change).length > 0,
      ],
      to: 'waiting',
      does: ({ event, state }) => ({
        stage: 'verifying',
        memory: recordChange(event, state),
        pullRequest: event.pullRequest ?? state.pullRequest,
        commands: [
          ask('diff_guard', { paths: specPaths(state, event.change), findings: event.findings ?? [] }),
        ],
      }),
    },
    {
      from: ['working'],
      stage: ['implementing'],
      when: ['a denied path was changed', ({ event, ...m }) => deniedChangesIn(m, event.change).length > 0],
      to: 'waiting',
      does: ({ event, ...m }) => ({
        memory: recordChange(event, m.state),
        pullRequest: event.pullRequest ?? m.state.pullRequest,
        commands: [
          ask('policy_exception', {
            paths: deniedChangesIn(m, event.change),
            plan: null,
            foundIn: 'the change',
            findings: event.findings ?? [],
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
        memory: afterStageDone({ ...recordChange(event, state), restoreSpec: false }),
        pullRequest: event.pullRequest ?? state.pullRequest,
        commands: [order],
      }),
    },
  ),

  // Verifying.
  ...on(
    'gates_ran',
    ...turnEnds<'gates_ran'>({
      when: ['the gates have spoken, and no rework is left', (m) => isVerdict(m)],
      failure: (m) => (failedGates(m.event.gates).length > 0 ? findingsOf(m.event.gates) : null),
      failureClass: 'gate',
    }),
    {
      from: ['working'],
      stage: ['verifying'],
      when: [
        'no gate failed, and another repository is still to be measured',
        (m) =>
          failedGates(m.event.gates).length === 0 &&
          nextToVerify(withGates(m.state.memory, m.event)) !== undefined,
      ],
      to: 'working',
      does: ({ event, state }) => ({
        memory: afterStageDone(recordGates({ event, state })),
        commands: [order],
      }),
    },
    {
      from: ['working'],
      stage: ['verifying'],
      when: ['no gate failed', ({ event }) => failedGates(event.gates).length === 0],
      to: 'working',
      does: ({ event, state }) => ({
        stage: 'handing_off',
        memory: afterStageDone({ ...recordGates({ event, state }), ...measuredAgain({ event, state }) }),
        commands: [record(event, state), move('review'), order],
      }),
    },
    {
      from: ['working'],
      stage: ['verifying'],
      when: ['a gate failed more often than the policy allows', (m) => gatesOverBudget(m).length > 0],
      to: 'waiting',
      does: (m) => ({
        memory: { gateFailures: countGateFailures(m) },
        commands: [
          record(m.event, m.state),
          ask('repeated_gate_failure', {
            gates: gatesOverBudget(m).map((gate) => ({
              ...gate,
              failures: countGateFailures(m)[gate.name]!,
            })),
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
          gateFailures: countGateFailures(m),
          reworked: true,
          ...withFindings(m.state, findingsOf(m.event.gates)),
        },
        commands: [
          record(m.event, m.state),
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
        memory: { gateFailures: countGateFailures(m) },
        commands: [
          record(m.event, m.state),
          ask('verification_failed', { gates: failedGates(m.event.gates) }),
        ],
      }),
    },
  ),

  // Handing off.
  ...on(
    'finished',
    {
      from: ['working'],
      stage: ['handing_off'],
      checksMain: false,
      when: [
        'what was pushed is not what was verified',
        ({ event, state }) =>
          state.memory.derived !== null && event.branch?.head !== state.memory.derived.head,
      ],
      to: 'failed',
      does: ({ event, state }) => ({
        commands: [
          end(
            'failed',
            'policy',
            `The runner pushed ${event.branch?.head.slice(0, 12) ?? 'nothing'}, but ${state.memory.derived!.head.slice(0, 12)} was verified. Nothing is merged.`,
          ),
        ],
      }),
    },
    {
      from: ['working'],
      stage: ['handing_off'],
      checksMain: false,
      when: [
        'a branch was pushed, and that of another repository is still to be',
        ({ event, state: { memory } }) =>
          event.branch !== undefined && nextToPush({ ...memory, branch: event.branch }) !== undefined,
      ],
      to: 'working',
      does: ({ event }) => ({ memory: afterStageDone({ branch: event.branch! }), commands: [order] }),
    },
    {
      from: ['working'],
      stage: ['handing_off'],
      checksMain: false,
      when: ['a branch was pushed', ({ event }) => event.branch !== undefined],
      to: 'opening',
      does: ({ event }) => ({
        memory: afterStageDone({ branch: event.branch! }),
        commands: [{ do: 'open_pull_request' }],
      }),
    },
    ...handedOff<'finished'>({ from: ['working'], stage: ['handing_off'], checksMain: false }),
  ),
  ...on('pull_request_opened', ...handedOff<'pull_request_opened'>({ from: ['opening'] })),
  ...on('pull_request_refused', {
    from: ['opening'],
    to: 'failed',
    does: ({ event }) => ({
      commands: [end('failed', 'dependency', `No pull request was opened: ${event.reason}`)],
    }),
  }),
  ...on(
    'merged',
    {
      from: ['merging'],
      when: ['it is not what was verified', ({ event }) => Boolean(event.mismatch)],
      to: 'waiting',
      does: ({ event, state }) => ({
        ...askToRevert(state, event.mismatch!, { isUnverified: true }),
        memory: { merged: event.commit },
      }),
    },
    {
      from: ['merging'],
      when: [
        'another repository is still to be merged into',
        ({ event, state: { memory } }) => nextToMerge({ ...memory, merged: event.commit }) !== undefined,
      ],
      to: 'merging',
      does: ({ event }) => ({ memory: { merged: event.commit }, commands: [{ do: 'merge' }] }),
    },
    {
      from: ['merging'],
      to: 'watching',
      does: ({ event }) => ({ memory: { merged: event.commit }, commands: [{ do: 'check_main' }] }),
    },
  ),
  ...on('main_look_wanted', {
    from: ['merging'],
    stage: ['handing_off'],
    to: 'queued',
    does: ({ event, state: { memory } }) => ({
      memory: { ...switchToPart(memory, event.repository), checksMain: true, looksAt: event.commit },
    }),
  }),
  ...on(
    'merge_refused',
    {
      from: ['merging'],
      when: ['another repository was merged into already', ({ state }) => isHalfMerged(state.memory)],
      to: 'waiting',
      does: ({ event, state }) =>
        askToRevert(state, halfMerged(state.memory, event.reason), { isHalfMerged: true }),
    },
    {
      from: ['merging'],
      when: [
        'main has moved on, and the work was not done again yet',
        ({ event, state }) => event.isOutdated === true && !state.memory.renewed,
      ],
      to: 'queued',
      does: ({ event, state }) => retryFromMain(state, event.reason),
    },
    {
      from: ['merging'],
      when: ['main has moved on again', ({ event }) => event.isOutdated === true],
      to: 'waiting',
      does: ({ event, state }) => askToRetryFromMain(state, event.reason),
    },
    {
      from: ['merging'],
      to: 'failed',
      // Another attempt begins from the main branch as it is then: it would be refused for the same reason otherwise.
      does: ({ event, state }) => ({
        memory: { ...restartFromMain(state), ...withGuidance(state, `Not merged: ${event.reason}`) },
        commands: [end('failed', 'dependency', `Not merged: ${event.reason}`)],
      }),
    },
  ),
  ...on(
    'conflicted',
    {
      from: ['waiting'],
      when: [
        'its merge waits to be approved, and the work was not done again yet',
        (m) => mayRetryFromMain(m.state),
      ],
      to: 'queued',
      does: ({ event, state }) => cancelDecisionsFirst(retryFromMain(state, event.reason)),
    },
    {
      from: ['waiting'],
      when: [
        'it waits for its merge to be approved',
        ({ state }) => state.memory.waitsFor === 'merge_approval' && !isHalfMerged(state.memory),
      ],
      to: 'waiting',
      does: ({ event, state }) => cancelDecisionsFirst(askToRetryFromMain(state, event.reason)),
    },
  ),
  // Merging at the git host is an answer, in whatever phase the run is.
  ...on(
    'merged_elsewhere',
    {
      from: ['waiting'],
      when: [
        'it waits for its merge to be approved, and another repository is still to be merged into',
        (m) => m.state.memory.waitsFor === 'merge_approval' && nextToMerge(mergedElsewhere(m)) !== undefined,
      ],
      to: 'waiting',
      does: (m) => ({
        memory: switchToPart(mergedElsewhere(m), nextToMerge(mergedElsewhere(m))?.name),
        keepsAsking: true,
      }),
    },
    {
      from: ['queued', 'working', 'waiting', 'opening'],
      checksMain: false,
      when: [
        'it is the run’s own pull request, and nothing else is left to be merged',
        (m) => hasOwnPullRequest(m.state) && nextToMerge(mergedElsewhere(m)) === undefined,
      ],
      to: 'watching',
      does: (m) => ({
        stage: 'handing_off',
        memory: mergedElsewhere(m),
        commands: [
          { do: 'cancel_decisions', cause: 'merged_elsewhere' },
          move('review', m.event.says),
          { do: 'check_main' },
        ],
      }),
    },
  ),
  ...on('closed_elsewhere', {
    from: ['waiting'],
    when: [
      'it waits for its merge to be approved',
      ({ state }) => state.memory.waitsFor === 'merge_approval',
    ],
    to: 'stopped',
    does: ({ event }) => ({
      commands: [
        end('stopped', null, event.says),
        { do: 'cancel_decisions', cause: 'closed_elsewhere' },
        move('backlog', event.says),
      ],
    }),
  }),
  ...on(
    'main_green',
    { from: ['watching'], when: hasNextMain, to: 'watching', does: ({ state }) => checkNextMain(state) },
    { from: ['watching'], to: 'succeeded', does: () => isGreen },
  ),
  ...on(
    'main_red',
    {
      from: ['watching'],
      when: [
        `it was red before the merge, and ${hasNextMain[0]}`,
        (m) => m.event.isOlder === true && hasNextMain[1](m),
      ],
      to: 'watching',
      does: ({ state }) => checkNextMain(state),
    },
    {
      from: ['watching'],
      when: ['it was red before the merge', ({ event }) => event.isOlder === true],
      to: 'succeeded',
      does: () => isGreen,
    },
    {
      from: ['watching'],
      to: 'waiting',
      does: ({ event, state }) => askToRevert(state, event.findings),
    },
  ),
  ...on('main_check_wanted', {
    from: ['watching'],
    stage: ['handing_off'],
    to: 'queued',
    does: () => ({ memory: { checksMain: true } }),
  }),
  ...on(
    'main_checked',
    {
      from: ['working'],
      checksMain: true,
      when: ['nothing is merged yet', ({ state }) => state.memory.merged === null],
      to: 'merging',
      does: ({ event, state: { memory } }) => ({
        memory: {
          ...{ checksMain: false, looksAt: null },
          mainSeen: memory.looksAt === null ? null : { commit: memory.looksAt, state: event.state },
        },
        commands: [{ do: 'merge' }],
      }),
    },
    {
      from: ['working'],
      checksMain: true,
      when: [
        `it is green, or was red before the merge, and ${hasNextMain[0]}`,
        (m) => (m.event.state === 'green' || m.event.isOlder === true) && hasNextMain[1](m),
      ],
      to: 'watching',
      does: ({ state }) => {
        const { memory, ...next } = checkNextMain(state)
        return { ...next, memory: { ...memory, checksMain: false } }
      },
    },
    {
      from: ['working'],
      checksMain: true,
      when: [
        'it is green, or was red before the merge',
        ({ event }) => event.state === 'green' || event.isOlder === true,
      ],
      to: 'succeeded',
      does: () => ({ ...isGreen, memory: { checksMain: false } }),
    },
    {
      from: ['working'],
      checksMain: true,
      to: 'waiting',
      does: ({ event, state }) => ({
        ...askToRevert(state, event.findings),
        memory: { checksMain: false },
      }),
    },
  ),
  ...on('revert_opened', {
    from: ['reverting'],
    to: 'failed',
    does: ({ event, state }) => ({
      commands: [
        end(
          'failed',
          'persistent',
          event.says ??
            `Merged as #${state.pullRequest?.number} and turned main red. Pull request #${event.pullRequest.number} reverts it.`,
        ),
      ],
    }),
  }),

  ...on('revert_refused', {
    from: ['reverting'],
    to: 'failed',
    does: ({ event }) => ({
      commands: [end('failed', 'persistent', `Not reverted: ${event.reason} ${byHand.reverting}`)],
    }),
  }),

  // What comes next needs something that is not connected. Trying again would not help; saying so does.
  ...on('no_runner', { from: ['working'], to: 'queued' }),
  ...on('no_git_host', {
    from: ['opening', 'merging', 'watching', 'reverting'],
    to: 'failed',
    does: ({ state: { phase } }) => ({
      commands: [end('failed', 'dependency', `No git host is connected. ${byHand[phase] ?? ''}`.trim())],
    }),
  }),

  // Money, silence and failure, in any stage.
  ...on(
    'usage',
    // The look at the main branch after a merge is finished, whatever it costs.
    { from: ['working'], checksMain: true, to: 'working' },
    ...turnEnds<'usage'>({
      isLastTurn: true,
      when: [
        'the run has reached its budget, and the other agent’s change is verified',
        ({ state, event }) => isBudgetReached(state, event.micros) && isOtherVerified(state),
      ],
      failure: () => outOfBudget,
      failureClass: 'budget',
    }),
    {
      from: ['working'],
      when: ['the run has reached its budget', ({ state, event }) => isBudgetReached(state, event.micros)],
      to: 'waiting',
      does: ({ state, event }) => askAboutBudget(state, event.micros),
    },
    { from: ['working'], to: 'working' },
  ),
  ...on(
    'failed',
    {
      from: ['working'],
      when: ['its repository cannot be read', ({ event }) => event.waitsFor === 'repository'],
      to: 'queued',
      does: ({ state, event }) => untilReadable(state, event.error),
    },
    {
      from: ['working'],
      checksMain: true,
      when: [
        'it is transient and not the last straw',
        (m) => m.event.failureClass === 'transient' && mayRetry(m),
      ],
      to: 'queued',
      does: ({ state }) => checkAgain(state),
    },
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
      checksMain: false,
      when: [
        'what is left covers no other call',
        ({ state, event }) => event.failureClass === 'budget' && !isOtherVerified(state),
      ],
      to: 'waiting',
      does: ({ state }) => askAboutBudget(state, 0),
    },
    ...turnEnds<'failed'>({
      when: ['the agent’s turn has failed', () => true],
      failure: ({ event }) => event.error,
      failureClass: ({ event }) => event.failureClass,
    }),
    {
      from: ['working'],
      to: 'failed',
      does: ({ state, event }) => ({
        commands: [end('failed', event.failureClass, failureText(state, event.error))],
      }),
    },
  ),
  ...on(
    'lease_lost',
    {
      from: ['working'],
      checksMain: true,
      when: ['not too often', (m) => mayRetry(m)],
      to: 'queued',
      does: ({ state }) => checkAgain(state),
    },
    {
      from: ['working'],
      when: ['not too often', (m) => mayRetry(m)],
      to: 'queued',
      does: ({ state }) => tryAgain(state, silence),
    },
    ...turnEnds<'lease_lost'>({
      when: ['too often, in an agent’s turn', () => true],
      failure: () => silence,
      failureClass: 'transient',
    }),
    {
      from: ['working'],
      to: 'failed',
      does: ({ state }) => ({ commands: [end('failed', 'transient', failureText(state, silence))] }),
    },
  ),
  ...on(
    'overran',
    ...turnEnds<'overran'>({
      when: ['it is an agent’s turn', () => true],
      failure: (m) => timedOut(m),
      failureClass: 'persistent',
    }),
    {
      from: ['working'],
      to: 'timed_out',
      does: (m) => ({ commands: [end('timed_out', 'persistent', failureText(m.state, timedOut(m)))] }),
    },
  ),
  ...on(
    'agent_missing',
    ...turnEnds<'agent_missing'>({
      from: ['queued'],
      when: ['it is an agent’s turn', () => true],
      failure: ({ event }) => event.reason,
      failureClass: 'dependency',
    }),
  ),

  // Answers.
  ...on('plan_approved', {
    from: ['waiting'],
    to: 'queued',
    does: ({ state }) => ({
      stage: 'implementing',
      memory: afterHumanInput({
        planApproved: true,
        plan: state.memory.proposedPlan ?? state.memory.plan,
        ...(state.stage === 'planning' ? turnBegins(state) : {}),
      }),
    }),
  }),
  ...on('changes_requested', {
    from: ['waiting'],
    to: 'queued',
    does: ({ state, event }) => ({
      stage: resumeStage(state.stage),
      memory: afterHumanInput(withGuidance(state, event.guidance)),
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
        memory: afterHumanInput(withExceptions(m.state, event.paths)),
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
        memory: afterHumanInput(withExceptions(state, event.paths)),
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
    does: ({ event }) => ({ budgetCents: event.toCents, memory: afterHumanInput({}) }),
  }),
  ...on('spec_restored', {
    from: ['waiting'],
    to: 'queued',
    does: ({ state }) => ({
      stage: 'implementing',
      memory: afterHumanInput({
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
      stage: resumeStage(state.stage),
      memory: afterHumanInput({
        mendsMain:
          state.memory.mendsMain ||
          (state.memory.waitsFor === 'revert_approval' && !isHalfMerged(state.memory)),
        // What is on the main branch is no work of this run any more.
        ...(isMerged(state) ? restartFromMain(state) : {}),
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
    does: ({ state, event }) => ({ memory: afterHumanInput(withGuidance(state, event.guidance)) }),
  }),
  ...on('merge_approved', {
    from: ['waiting'],
    to: 'merging',
    does: () => ({ commands: [{ do: 'merge' }] }),
  }),
  ...on('other_chosen', {
    from: ['waiting'],
    when: [
      'it waits for its merge to be approved, and the other agent’s change can be merged',
      ({ state: { memory } }) =>
        memory.waitsFor === 'merge_approval' &&
        memory.race !== null &&
        isOtherMergeable(memory.race, memory.base),
    ],
    to: 'queued',
    does: ({ state }) => chooseOther(state),
  }),
  ...on('revert_approved', {
    from: ['waiting'],
    to: 'reverting',
    does: () => ({ commands: [{ do: 'open_revert' }] }),
  }),
  ...on(
    'merge_kept',
    {
      from: ['waiting'],
      when: ['another repository was not merged into', ({ state }) => isHalfMerged(state.memory)],
      to: 'failed',
      does: ({ state }) => ({
        commands: [end('failed', 'dependency', halfMerged(state.memory, null))],
      }),
    },
    {
      from: ['waiting'],
      to: 'succeeded',
      does: () => ({ commands: [end('succeeded'), move('done')] }),
    },
  ),
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
  ...on(
    'retried',
    {
      from: ended,
      checksMain: true,
      to: 'queued',
      does: ({ state, event }) => ({
        memory: afterHumanInput({ fresh: true, ...withGuidance(state, event.guidance) }),
        commands: [{ do: 'begin_attempt', afterSeconds: 0 }],
      }),
    },
    {
      from: ended,
      to: 'queued',
      does: ({ state, event }) => ({
        stage: resumeStage(state.stage),
        memory: afterHumanInput({
          fresh: true,
          ...(isMerged(state) ? restartFromMain(state) : {}),
          ...withGuidance(state, event.guidance),
        }),
        commands: [{ do: 'begin_attempt', afterSeconds: 0 }],
      }),
    },
  ),
]

export interface Stepped {
  state: RunState
  commands: Command[]
}

/** Null: the event means nothing in the run's state. */
export function step(state: RunState, event: RunEvent, situation: Situation): Stepped | null {
  const found = { state, event, ...situation } as Move<never>
  const row = transitions.find(
    (candidate) =>
      candidate.on === event.type &&
      candidate.from.includes(state.phase) &&
      (candidate.stage?.includes(state.stage) ?? true) &&
      (candidate.checksMain ?? state.memory.checksMain) === state.memory.checksMain &&
      (candidate.when?.[1](found) ?? true),
  )
  if (!row) return null
  const { memory, commands = [], keepsAsking = false, ...changed } = row.does?.(found) ?? {}
  const orders = commands.some((command) => command.do === 'order')
  const leaves = state.phase === 'working' && row.to !== 'working'
  const asked = commands.find((command) => command.do === 'raise')
  const begins = commands.some((command) => command.do === 'begin_attempt')
  const stands = { stage: changed.stage ?? state.stage, phase: row.to }
  return {
    state: {
      ...state,
      ...changed,
      phase: row.to,
      fence: state.fence + (orders || leaves ? 1 : 0),
      attempt: state.attempt + (begins ? 1 : 0),
      memory: inTurn(stands, {
        ...state.memory,
        ...(begins ? { agentSession: null, local: null } : {}),
        ...memory,
        waitsFor: keepsAsking ? state.memory.waitsFor : (asked?.kind ?? null),
      }),
    },
    commands,
  }
}

/** Of several repositories, the one whose turn it is in that phase and stage; with one, it always is. */
function inTurn({ phase, stage }: Pick<RunState, 'phase' | 'stage'>, memory: Memory): Memory {
  if (memory.parts.length === 0 || memory.checksMain) return memory
  if (stage === 'planning' || stage === 'implementing') return switchToPart(memory, memory.parts[0]!.name)
  if (phase === 'merging') return switchToPart(memory, nextToMerge(memory)?.name)
  if (phase === 'watching') return switchToPart(memory, nextToCheckMain(memory)?.name)
  if (phase !== 'queued' && phase !== 'working') return memory
  const next = stage === 'verifying' ? nextToVerify(memory) : nextToPush(memory)
  return switchToPart(memory, next?.name)
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
/** What changed is known already, so the report of the gates is not asked about it. */
const record = (event: EventOf<'gates_ran'>, { attempt, memory }: RunState): Command => {
  const { gates, evidence } = event
  if (memory.parts.length > 0) return { do: 'record', attempt, ...wholeEvidence(withGates(memory, event)) }
  return {
    do: 'record',
    attempt,
    gates,
    evidence: { ...evidence, changes: memory.change ?? evidence.changes, gates },
  }
}

/** What is known with the gates of the repository whose turn it is. */
const withGates = (memory: Memory, { gates, evidence }: EventOf<'gates_ran'>): Memory => ({
  ...memory,
  ...updatePart(memory, { measured: { gates, evidence } }),
})

/** What is remembered of gates that did not fail. */
const recordGates = ({
  event,
  state: { memory },
}: Pick<Move<EventOf<'gates_ran'>>, 'event' | 'state'>): Partial<Memory> => {
  const { gates, evidence, isUnsigned = false, noted = [], onBase = null } = event
  const isOne = memory.parts.length === 0
  return {
    ...(isOne ? {} : updatePart(memory, { measured: { gates, evidence } })),
    change: memory.change ?? evidence.changes,
    gatesPassed: passedOf(gates) + (isOne ? 0 : (memory.gatesPassed ?? 0)),
    isUnsigned: isUnsigned || (!isOne && memory.isUnsigned),
    secondReview: (isOne ? evidence : wholeEvidence(withGates(memory, event)).evidence).secondReview ?? null,
    onBase,
    findings: [...memory.findings, ...noted],
    kinds: noted.length > 0 ? [...new Set<FoundKind>([...memory.kinds, 'measure'])] : memory.kinds,
  }
}
const passedOf = (gates: Gate[]) => gates.filter(({ result }) => result === 'passed').length

/** What is remembered of a change. It replaces the one before as a whole: a field that is not reported is cleared. */
const recordChange = (event: EventOf<'change_ready'>, { memory }: RunState): Partial<Memory> => ({
  ...(memory.parts.length > 0
    ? {
        ...repositoriesMemoryOf(withChanges(memory, changesByRepository(event, memory))),
        change: wholeChange(changesByRepository(event, memory)),
      }
    : changeInOneRepository(event, memory)),
  ...withoutChoice(memory),
  findings: event.findings ?? [],
  kinds: event.kinds ?? ((event.findings ?? []).length > 0 ? ['measure'] : []),
  gatesPassed: null,
  isUnsigned: false,
  secondReview: null,
  pushed: null,
})

const changeInOneRepository = (
  { change, work, diff, derived }: EventOf<'change_ready'>,
  memory: Memory,
): Partial<Memory> => ({
  change,
  work: work ?? null,
  // The base of a person’s branch is unknown until a runner has read the branch.
  base: memory.base ?? work?.base ?? null,
  diff: diff ?? null,
  derived: derived ?? null,
  onBase: null,
})

/** The change in each repository: as the server has read it, or as reported where the reporter is trusted. */
const changesByRepository = (
  { changes: found, change, work, diff, others = [] }: EventOf<'change_ready'>,
  { parts }: Memory,
): RepositoryChange[] =>
  found ?? [
    ...(work ? [{ name: parts[0]!.name, change, work, diff: diff ?? null, derived: null }] : []),
    ...others.map((one) => ({ ...one, diff: one.diff ?? null, derived: null })),
  ]

const repositoriesMemoryOf = ({
  parts,
  at,
  base,
  work,
  diff,
  derived,
  onBase,
  branch,
  merged,
  mainSeen,
}: RepositoriesMemory): RepositoriesMemory => ({
  ...{ parts, at, base, work, diff, derived, onBase, branch, merged, mainSeen },
})

/** Whether a person works on it now. */
export const isHeldByPerson = ({ phase, memory }: Pick<RunState, 'phase' | 'memory'>): boolean =>
  phase === 'working' && !memory.checksMain && memory.local !== null && !memory.local.handedOff
const markHandedOff = ({ memory }: RunState): Partial<Memory> => ({
  local: memory.local && { ...memory.local, handedOff: true },
})

/** The pull request of what the run has made: after a merge that was reverted, there is none yet. */
const hasOwnPullRequest = ({ pullRequest, memory }: RunState): boolean =>
  pullRequest !== null &&
  memory.merged === null &&
  (memory.branch !== null || memory.waitsFor === 'merge_approval')

/** Clears what is known of the repository, because the work starts again from main as it is now. */
const restartFromMain = ({ memory }: RunState): Partial<Memory> => ({
  ...resetParts(memory),
  ...withoutChoice(memory),
  ...{ base: null, work: null, derived: null, onBase: null, gatesPassed: null, secondReview: null },
  ...{ branch: null, merged: null, checksMain: false, looksAt: null, mainSeen: null },
})

/** Whether anything of it is on a main branch. */
const isMerged = ({ memory }: RunState): boolean =>
  memory.merged !== null || partsOf(memory).some(({ merged }) => merged !== null)

/** The memory with a merge that a person made at the git host. */
const mergedElsewhere = ({ event, state: { memory } }: Move<EventOf<'merged_elsewhere'>>): Memory => ({
  ...switchToPart(memory, event.repository),
  merged: event.commit,
})

/** Which repositories were merged into, and why another was not. */
function halfMerged(memory: Memory, reason: string | null): string {
  const changed = changedParts(memory)
  const named = (some: typeof changed) =>
    some.map(({ name, pullRequest }) => (pullRequest ? `${name} #${pullRequest.number}` : name)).join(', ')
  const merged = named(changed.filter((part) => part.merged !== null))
  const left = named(changed.filter((part) => part.merged === null))
  return `Merged: ${merged}. Not merged: ${left}${reason === null ? '.' : `, because ${reason}`}`
}

const checkNextMain = ({ memory }: RunState): Outcome => ({
  memory: updatePart(memory, { isGreen: true }),
  commands: [{ do: 'check_main' }],
})

/** Back to work from the main branch as it is now, with the reason. */
const retryFromMain = (state: RunState, reason: string): Outcome => ({
  stage: 'implementing',
  memory: { ...restartFromMain(state), renewed: true, ...withGuidance(state, `Not merged: ${reason}`) },
  commands: [end('failed', 'dependency', `Not merged: ${reason}`), { do: 'begin_attempt', afterSeconds: 0 }],
})
const askToRetryFromMain = (state: RunState, reason: string): Outcome => ({
  memory: { ...restartFromMain(state), ...withGuidance(state, `Not merged: ${reason}`) },
  commands: [ask('verification_failed', { gates: [], conflict: reason })],
})
const mayRetryFromMain = ({ memory }: RunState) =>
  memory.waitsFor === 'merge_approval' && !memory.renewed && !isHalfMerged(memory)
const cancelDecisionsFirst = (outcome: Outcome): Outcome => ({
  ...outcome,
  commands: [{ do: 'cancel_decisions', cause: 'conflicted' }, ...(outcome.commands ?? [])],
})

/** There is a pull request: the policy says who merges it. */
function handedOff<T extends 'finished' | 'pull_request_opened'>(
  at: Pick<Row<EventOf<T>>, 'from' | 'stage' | 'checksMain'>,
): Row<EventOf<T>>[] {
  const opened = ({ event, state }: Move<RunEvent>) =>
    ('pullRequest' in event ? event.pullRequest : null) ?? state.pullRequest
  const each = ({ event, state: { memory } }: Move<RunEvent>) =>
    'each' in event && event.each ? withPullRequests(memory, event.each) : {}
  return [
    {
      ...at,
      when: ['a person has chosen this very change', ({ state }) => isChosen(state)],
      to: 'merging',
      does: (m) => ({
        pullRequest: opened(m),
        memory: { race: { ...m.state.memory.race!, closes: null } },
        commands: [{ do: 'merge' }],
      }),
    },
    {
      ...at,
      when: ['people merge for themselves', ({ policy }) => policy.mergePolicy === 'manual'],
      to: 'succeeded',
      does: (m) => ({ pullRequest: opened(m), memory: each(m), commands: [end('succeeded')] }),
    },
    {
      ...at,
      when: ['the policy lets it merge', (m) => mayMerge(m)],
      to: 'merging',
      does: (m) => ({ pullRequest: opened(m), memory: each(m), commands: [{ do: 'merge' }] }),
    },
    {
      ...at,
      to: 'waiting',
      does: (m) => ({
        pullRequest: opened(m),
        memory: each(m),
        commands: [
          ask('merge_approval', {
            lines: linesOf(m.state),
            files: m.state.memory.change?.files ?? 0,
            limit: mergeLimit(m.policy),
            pullRequest: opened(m),
            findings: m.state.memory.findings,
            because: whyAsked(m),
            gatesPassed: m.state.memory.gatesPassed ?? 0,
            ...(m.state.memory.secondReview ? { secondReview: m.state.memory.secondReview } : {}),
            ...headOf(m.state.memory),
            ...(m.state.memory.race ? { race: raceFacts(m.state.memory.race, m.state.memory.base) } : {}),
            ...('each' in m.event && m.event.each ? { pullRequests: withHeads(m.state, m.event.each) } : {}),
          }),
        ],
      }),
    },
  ]
}

const withPullRequests = (
  memory: Memory,
  each: NonNullable<EventOf<'pull_request_opened'>['each']>,
): Pick<Memory, 'parts'> => ({
  parts: memory.parts.map((part) => ({
    ...part,
    // One that the change has left is closed, unless it is merged.
    pullRequest:
      each.find(({ name }) => name === part.name)?.pullRequest ??
      (part.merged === null ? null : part.pullRequest),
  })),
})

/** The commit that is merged; of several, the one of the repository that changed most. */
const headOf = (memory: Memory): { head?: string } => {
  const derived = largestPart(memory)?.derived ?? memory.derived
  return derived ? { head: derived.head } : {}
}
const withHeads = (
  { memory }: RunState,
  each: NonNullable<EventOf<'pull_request_opened'>['each']>,
): NonNullable<Facts['merge_approval']['pullRequests']> =>
  each.map((one) => {
    const derived = partsOf(memory).find(({ name }) => name === one.name)?.derived
    return { ...one, ...(derived ? { head: derived.head } : {}) }
  })

/** Whether what a person was shown when they were asked is what would be merged now, in every repository. */
export const isAsShown = ({ memory }: RunState, shown: Partial<Facts['merge_approval']>): boolean =>
  (shown.head === undefined || shown.head === headOf(memory).head) &&
  (shown.pullRequests ?? []).every(
    ({ name, head }) =>
      head === undefined || partsOf(memory).find((part) => part.name === name)?.derived?.head === head,
  )

/** The same of the change in a race that was not proposed. */
export const isOtherAsShown = ({ memory }: RunState, { race: shown }: Partial<Facts['merge_approval']>) => {
  const { race } = memory
  if (!race || !shown || shown.proposed !== race.at) return false
  const other = otherThan(race.at)
  return shown.agents[other]?.head === (race.results[other]?.made?.derived?.head ?? null)
}

/** The main branch is green with the merge in it. */
const isGreen: Outcome = { commands: [end('succeeded'), move('done')] }

/** What people do in place of the git host. */
const byHand: Partial<Record<Phase, string>> = {
  opening: 'The branch is pushed; open the pull request yourself.',
  merging: 'Merge the pull request yourself.',
  watching: 'The change is merged; check for yourself whether the main branch is green.',
  reverting: 'Revert the merge yourself.',
}

/** A completed stage resets the retries: what failed before it was transient. */
const afterStageDone = (memory: Partial<Memory>): Partial<Memory> => ({
  ...memory,
  transientFailures: 0,
  unreadable: 0,
})
/** Input from a person resets every retry that the service takes without asking. */
const afterHumanInput = (memory: Partial<Memory>): Partial<Memory> => ({
  ...memory,
  proposedPlan: null,
  reworked: false,
  renewed: false,
  transientFailures: 0,
  unreadable: 0,
})
const withGuidance = ({ memory }: RunState, guidance: string | null): Partial<Memory> =>
  guidance === null ? {} : { guidance: [...memory.guidance, guidance] }
const withExceptions = ({ memory }: RunState, paths: string[]): Partial<Memory> => ({
  exceptions: [...new Set([...memory.exceptions, ...paths])],
})

/** The stage in which work resumes: a plan is written again, everything else is implemented. */
const resumeStage = (stage: Stage): Stage => (stage === 'planning' ? 'planning' : 'implementing')

/** What of a run the policy's own questions look at: they are asked of runs that have ended, too. */
type Remembered = Pick<RunState, 'memory'>
type Held = Pick<Situation, 'policy'> & { state: Remembered }
export const deniedPathsIn = ({ state: { memory }, policy }: Held, paths: string[]): string[] =>
  filterPaths(memory, paths, (own) => coveredBy(own, policy.deniedPaths)).filter(
    (path) => !memory.exceptions.includes(path),
  )
export const deniedChangesIn = ({ state: { memory }, policy }: Held, change: Evidence['changes']): string[] =>
  filterPaths(memory, change.paths, (own) => coveredChanges(own, policy.deniedPaths)).filter(
    (path) => !memory.exceptions.includes(path),
  )
const specPaths = ({ memory }: RunState, change: Evidence['changes']): string[] =>
  filterPaths(memory, change.paths, (own) => coveredChanges(own, [acceptanceSpec]))

const isRisky = (story: Situation['story'], risk: 'low' | 'high') =>
  risk === 'high' || story.complexity === 'high' || story.size === 'l' || story.size === 'xl'
export const wantsApproval = (
  { state, policy, story }: Situation & { state: Remembered },
  risk: 'low' | 'high',
): boolean =>
  !state.memory.planApproved &&
  (policy.planApproval === 'always' || (policy.planApproval === 'by_risk' && isRisky(story, risk)))
const whyApproval = ({ policy, story }: Omit<Move, 'event'>, risk: 'low' | 'high') =>
  policy.planApproval === 'always'
    ? 'the policy requires approval for every plan'
    : risk === 'high'
      ? 'the plan says it is risky'
      : `the story has size ${story.size?.toUpperCase() ?? 'unknown'} and complexity ${story.complexity ?? 'unknown'}`

const failedGates = (gates: Gate[]) => gates.filter((gate) => gate.result === 'failed')
const findingsOf = (gates: Gate[]) =>
  `Verification failed. ${failedGates(gates)
    .map((gate) => `${gate.name}: ${gate.summary}`)
    .join('; ')}`

function countGateFailures({ state, event }: Move<EventOf<'gates_ran'>>): Record<string, number> {
  // Without a prototype: a gate may be called `constructor`.
  const counts: Record<string, number> = Object.assign(Object.create(null), state.memory.gateFailures)
  for (const gate of failedGates(event.gates)) counts[gate.name] = (counts[gate.name] ?? 0) + 1
  return counts
}

const gatesOverBudget = (m: Move<EventOf<'gates_ran'>>) =>
  failedGates(m.event.gates).filter((gate) => countGateFailures(m)[gate.name]! > m.policy.gateFailureBudget)

export const linesOf = ({ memory }: Remembered) =>
  (memory.change?.additions ?? 0) + (memory.change?.deletions ?? 0)

/** The most lines the policy lets merge unasked; null: any number. */
export const mergeLimit = (
  policy: Pick<PolicySettings, 'mergePolicy' | 'autoMergeMaxLines'>,
): number | null =>
  policy.mergePolicy === 'auto'
    ? policy.autoMergeMaxLines
    : policy.mergePolicy === 'auto_within_limits'
      ? (policy.autoMergeMaxLines ?? 0)
      : 0

type AskReason = (typeof mergeReasons)[number]

/** The one place that says whether a verified change is merged without a person: where no reason is left to ask one. */
export function whyAsked({ state, policy }: Held): AskReason[] {
  const { derived, spec, isUnsigned, kinds, secondReview, race } = state.memory
  const limit = mergeLimit(policy)
  const holds: Record<AskReason, boolean> = {
    policy: policy.mergePolicy === 'ask',
    lines: policy.mergePolicy !== 'ask' && limit !== null && linesOf(state) > limit,
    gates: !hasPassed(state),
    main: hasUnproven(state),
    unsigned: isUnsigned,
    findings: openKinds(kinds, policy.allowedFindings).length > 0,
    spec: derived !== null && policy.acceptanceRequired && spec === null,
    review: Boolean(policy.secondReview?.holdsMerge) && !isClear(secondReview),
    race: race !== null,
  }
  return mergeReasons.filter((reason) => holds[reason])
}

/** A review that did not come about clears nothing: otherwise a change that confuses the reviewer would pass. */
const isClear = (review: SecondReview | null): boolean =>
  review?.result === 'reviewed' && review.findings.every(({ severity }) => severity !== 'high')

/** In each repository, when there are several. */
const hasPassed = ({ memory }: Remembered): boolean =>
  Boolean(memory.gatesPassed) &&
  changedParts(memory).every(({ measured }) => measured !== null && passedOf(measured.gates) > 0)
const hasUnproven = ({ memory }: Remembered): boolean =>
  [memory, ...partsOf(memory)].some(({ onBase }) => (onBase?.unproven.length ?? 0) > 0)

export const mayMerge = (held: Held): boolean => whyAsked(held).length === 0

export const isBudgetReached = (
  state: Pick<RunState, 'costMicros' | 'budgetCents'>,
  micros: number,
): boolean => state.costMicros + micros >= state.budgetCents * microsPerCent
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

const askToRevert = (
  { pullRequest }: RunState,
  findings: string,
  besides: { isUnverified?: true; isHalfMerged?: true } = {},
): Outcome => ({
  commands: [ask('revert_approval', { findings, pullRequest, ...besides })],
})

/** Why an attempt has failed, with whether its change is merged. */
const failureText = ({ memory }: RunState, error: string): string => {
  if (!memory.checksMain) return error
  return memory.merged === null
    ? `The main branch was not checked, so nothing is merged. ${error}`
    : `The change is merged, but the main branch was not checked. ${error}`
}

/** The merge is not affected when its check fails, so this counts as no failed attempt. */
const checkAgain = ({ memory }: RunState): Outcome => ({
  memory: { transientFailures: memory.transientFailures + 1 },
})
const mayRetry = ({ state }: Pick<Move, 'state'>) => state.memory.transientFailures < mostTransientFailures

/** Another attempt would fail in the same way: this one waits, and nothing counts as failed. */
function untilReadable({ memory }: RunState, reason: string): Outcome {
  const unreadable = memory.unreadable + 1
  return {
    memory: { unreadable },
    commands: [{ do: 'wait', seconds: unreadableSeconds(unreadable), reason }],
  }
}

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

const outOfBudget = 'The run’s budget was used up.'
const timedOut = ({ state, event: { why } }: Move<EventOf<'overran'>>) =>
  `Timed out while ${state.stage.replace('_', ' ')}.${why ? ` ${why}` : ''}`

// A race.

/** Whether it is an agent's turn to make its change: the plan is shared, and what comes after both is about one of them. */
const isInTurn = ({ stage, memory: { race, checksMain, parts } }: RunState): boolean =>
  race !== null &&
  race.results[race.at] === null &&
  parts.length === 0 &&
  !checksMain &&
  (stage === 'implementing' || stage === 'verifying')

const handsOver = ({ state, event: { hands } }: Move<EventOf<'started'>>): Partial<Memory> => {
  const { race } = state.memory
  return race && hands ? { race: { ...race, hands } } : {}
}

const isOtherVerified = ({ memory: { race } }: RunState): boolean =>
  race !== null && Boolean(race.results[otherThan(race.at)]?.made)

/** What was spent up to here was for both. */
const turnBegins = ({ costMicros, memory: { race } }: RunState): Pick<Partial<Memory>, 'race'> =>
  race && race.at === 0 && race.results[0] === null ? { race: { ...race, sinceMicros: costMicros } } : {}

/** What the gates say to an agent is said to the one whose turn it is. */
const withFindings = ({ memory }: RunState, said: string): Partial<Memory> =>
  memory.race
    ? { race: { ...memory.race, findings: [...memory.race.findings, said] } }
    : { guidance: [...memory.guidance, said] }

const withoutChoice = ({ race }: Memory): Pick<Partial<Memory>, 'race'> =>
  race?.chosen ? { race: { ...race, chosen: null } } : {}

const isChosen = ({ memory: { race, derived } }: RunState): boolean =>
  race?.chosen != null && race.chosen.head === (derived?.head ?? null)

const isVerdict = (m: Move<EventOf<'gates_ran'>>): boolean =>
  failedGates(m.event.gates).length === 0 || gatesOverBudget(m).length > 0 || m.state.memory.reworked

const spentBy = ({ state: { costMicros }, event }: Pick<Move, 'state' | 'event'>): number =>
  costMicros + (event.type === 'usage' ? event.micros : 0)

/** The race with the outcome of the turn that is over, or of another look at a change. */
const withTurn = (m: Pick<Move, 'state' | 'event'>, failure: string | null): Race => {
  const race = m.state.memory.race!
  return {
    ...withResult(race, race.at, resultOf(m, failure)),
    ...{ findings: [], sinceMicros: spentBy(m) },
  }
}

/** The outcome of the turn, as it is remembered. */
function resultOf({ state, event }: Pick<Move, 'state' | 'event'>, failure: string | null): Result {
  const { attempt, pullRequest, memory } = state
  const measured = event.type === 'gates_ran' ? event : null
  const before = memory.race?.results[memory.race.at]?.costMicros ?? 0
  const after = measured ? { ...memory, ...recordGates({ event: measured, state }) } : memory
  const recorded = measured && record(measured, state)
  return {
    ...{ attempt, failure, change: after.change, diff: memory.diff },
    costMicros: before + spentBy({ state, event }) - (memory.race?.sinceMicros ?? 0),
    gates: measured?.gates ?? [],
    made:
      failure === null && recorded?.do === 'record'
        ? {
            ...{ work: after.work, derived: after.derived, onBase: after.onBase, pullRequest },
            ...{ findings: after.findings, kinds: after.kinds, gatesPassed: after.gatesPassed },
            ...{
              isUnsigned: after.isUnsigned,
              secondReview: after.secondReview,
              evidence: recorded.evidence,
            },
          }
        : null,
  }
}

/** A change that was asked to be different, after the race, is measured again. */
const measuredAgain = (m: Pick<Move<EventOf<'gates_ran'>>, 'event' | 'state'>): Partial<Memory> => {
  return m.state.memory.race ? { race: withTurn(m, null) } : {}
}

/** The change of an agent, in the place of the one at hand. */
const takeUp = (race: Race, lane: Lane): Partial<Memory> => {
  const { change, diff, made } = race.results[lane]!
  const { evidence: _, pullRequest: __, ...kept } = made!
  return {
    ...kept,
    ...{ change, diff },
    race: { ...race, at: lane },
  }
}

/** Its evidence is the run's from here on. */
const recordOf = (race: Race, lane: Lane): Command => {
  const { attempt, gates, made } = race.results[lane]!
  return { do: 'record', attempt, gates, evidence: made!.evidence }
}

/** What the next agent begins with: everything that was agreed on, and nothing that the first has made. */
const clean: Partial<Memory> = {
  ...{ work: null, diff: null, derived: null, onBase: null, change: null, findings: [], kinds: [] },
  ...{
    gatesPassed: null,
    isUnsigned: false,
    secondReview: null,
    gateFailures: {},
    reworked: false,
    restoreSpec: false,
  },
  ...{ transientFailures: 0, unreadable: 0 },
}

interface TurnEnd<T extends RunEvent['type']> {
  from?: Phase[]
  /** It only happens after the other agent's change was verified. */
  isLastTurn?: true
  when: NonNullable<Row<EventOf<T>>['when']>
  /** Why there is nothing of it to merge; null: it was verified. */
  failure: (move: Move<EventOf<T>>) => string | null
  failureClass: RunListed['failureClass'] | ((move: Move<EventOf<T>>) => RunListed['failureClass'])
}

/**
 * An agent's turn in a race is over, however it went: then it is the other's, or the better change is handed over for a
 * person to decide on, or neither can be and they are asked what now.
 */
function turnEnds<T extends RunEvent['type']>({
  from = ['working'],
  isLastTurn,
  when: [says, holds],
  failure,
  failureClass,
}: TurnEnd<T>): Row<EventOf<T>>[] {
  const at = { from, stage: ['implementing', 'verifying'] as Stage[], checksMain: false }
  const raceAfter = (m: Move<EventOf<T>>): Race => withTurn(m, failure(m))
  const recorded = (m: Move<EventOf<T>>): Command[] =>
    m.event.type === 'gates_ran' ? [record(m.event as EventOf<'gates_ran'>, m.state)] : []
  const ending = (m: Move<EventOf<T>>): Command => {
    const why = failure(m)
    if (why === null) return end('succeeded')
    return end('failed', typeof failureClass === 'function' ? failureClass(m) : failureClass, why)
  }
  const next: Row<EventOf<T>> = {
    ...at,
    when: [
      `in a race, ${says}, and it is the other agent’s turn`,
      (m) => isInTurn(m.state) && holds(m) && m.state.memory.race!.at === 0,
    ],
    to: 'queued',
    does: (m) => ({
      stage: 'implementing',
      pullRequest: null,
      memory: {
        ...clean,
        race: { ...raceAfter(m), at: 1 },
      },
      commands: [...recorded(m), ending(m), { do: 'begin_attempt', afterSeconds: 0 }],
    }),
  }
  const better: Row<EventOf<T>> = {
    ...at,
    when: [
      `in a race, ${says}, and a change was verified`,
      (m) => isInTurn(m.state) && holds(m) && betterOf(raceAfter(m).results) !== null,
    ],
    to: 'queued',
    does: (m) => {
      const race = raceAfter(m)
      const { lane } = betterOf(race.results)!
      const isOwn = lane === race.at
      return {
        stage: 'handing_off',
        pullRequest: race.results[lane]!.made!.pullRequest,
        memory: afterStageDone(takeUp(race, lane)),
        commands: [
          ...recorded(m),
          ...(isOwn ? [] : [ending(m), beginNext, recordOf(race, lane)]),
          move('review'),
        ],
      }
    },
  }
  const neither: Row<EventOf<T>> = {
    ...at,
    when: [`in a race, ${says}, and no change was verified`, (m) => isInTurn(m.state) && holds(m)],
    to: 'waiting',
    does: (m) => {
      const race = raceAfter(m)
      return {
        memory: { race },
        commands: [
          ...recorded(m),
          ask('verification_failed', {
            gates: race.results.flatMap((result) => failedGates(result?.gates ?? [])),
            race: raceFacts(race, m.state.memory.base),
          }),
        ],
      }
    },
  }
  return isLastTurn ? [better] : [next, better, neither]
}

const beginNext: Command = { do: 'begin_attempt', afterSeconds: 0 }

/** A person prefers the change that was not proposed: it is handed over like any, and merged without another question. */
function chooseOther({ memory, pullRequest }: RunState): Outcome {
  const race = memory.race!
  const lane = otherThan(race.at)
  const { made } = race.results[lane]!
  const taken = { ...race, chosen: { head: made!.derived?.head ?? null } }
  return {
    stage: 'handing_off',
    pullRequest: made!.pullRequest ?? pullRequest,
    memory: takeUp({ ...taken, closes: memory.branch ? pullRequest : null }, lane),
    commands: [
      end('stopped', null, 'A person chose the other agent’s change.'),
      beginNext,
      recordOf(race, lane),
    ],
  }
}
