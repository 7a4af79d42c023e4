import type { PolicySettings } from '@signalbox/contract/app/policies.ts'
import type { DecisionOption } from '@signalbox/contract/decision.ts'
import type { RunListed } from '@signalbox/contract/run.ts'
import type { Order, RunnerEvent } from '@signalbox/contract/runner/messages.ts'
import type { AcceptanceCriterion, StoryListed } from '@signalbox/contract/story.ts'
import type { ProposedStory } from '../proposed-story.ts'

/** Names a work order. The fence is its number: an order with a higher one has taken its place. */
export interface OrderRef {
  workspaceId: string
  runId: string
  fence: number
}

/** What an order goes on from: what is known of the repository, and what was made before it. */
type Carried = Pick<
  Order,
  'job' | 'base' | 'spec' | 'work' | 'pushed' | 'toAdopt' | 'merged' | 'agentSession'
>

/** One of the other repositories of a run, by name, with what was made there. */
type Other = Pick<NonNullable<Order['others']>[number], 'name' | 'base' | 'work'>

/** One stage of one attempt, to be done by a coding agent; or, after a merge, a look at the main branch. */
export interface WorkOrder extends OrderRef, Carried {
  run: string
  attempt: number
  stage: RunListed['stage']
  executor: RunListed['executor']
  team: string
  story: Pick<StoryListed, 'key' | 'title' | 'size' | 'complexity'> & {
    description: string
    acceptanceCriteria: AcceptanceCriterion[]
    demonstrate: string | null
    testPlan?: string | null
  }
  plan: string | null
  /** What people and gates have said since the work began, oldest first. */
  guidance: string[]
  /** Paths that the policy denies and a person has allowed for this run. */
  exceptions: string[]
  /** Where the run is about several repositories, and the order about all of them: the others. */
  others?: Other[]
  /** The acceptance spec is to be put back as it was before anything else is done. */
  restoreSpec: boolean
  policy: PolicySettings & { version: number }
  /** What is left of the run's budget, reserved for this order. */
  reservedCents: number
  /** Without a report for this long, the order counts as lost and another one is given out. */
  leaseSeconds: number
}

/** What comes back while an order is being done. A worker in this process may already have a pull request. */
export type WorkEvent =
  | Exclude<RunnerEvent, { type: 'change_ready' | 'finished' | 'surveyed' }>
  | WithPullRequest<'change_ready'>
  | WithPullRequest<'finished'>
  | { type: 'proposal_made'; proposal: Proposal }

type WithPullRequest<T extends RunnerEvent['type']> = Omit<
  Extract<RunnerEvent, { type: T }>,
  'pullRequest'
> & {
  pullRequest?: RunListed['pullRequest']
}

/** What a worker printed, line by line. The number tells a chunk of an order from its repetition. */
export interface LogChunk {
  number: number
  lines: string[]
}

export type AnswerOption = Pick<DecisionOption, 'id' | 'label'>

/** Something an agent came across that is worth a story of its own. */
export interface Proposal {
  kind: 'maintenance_proposal' | 'strategy_proposal' | 'main_red_incident'
  /** The same thing, found again, has the same fingerprint. */
  fingerprint: string
  title: string
  /** Markdown: why. */
  body: string
  /** Null while it is an idea; then it becomes a requirement. */
  story: ProposedStory | null
}

/** `go_on`, or `stop`: the order is outdated, withdrawn or over, and nothing more of it is wanted. */
export type Verdict = 'go_on' | 'stop'

/** Does the work. Here in process; later a runner on another machine. */
export interface WorkPort {
  /** Who is named as the holder of an order that was handed over. */
  readonly name: string
  /** Whether any worker can currently work with that coding agent. */
  serves(executor: RunListed['executor']): boolean
  /** Hands an order over. Returns when it is accepted; the work comes back as events. Handed twice, it is done once. */
  hand(order: WorkOrder): Promise<void>
}
