import type { AuditEvent } from '@signalbox/contract/audit.ts'
import type { Decision, DecisionOption } from '@signalbox/contract/decision.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import type { Attempt, Evidence, RunListed, Verification } from '@signalbox/contract/run.ts'
import type { StoryListed } from '@signalbox/contract/story.ts'
import type { Team } from '@signalbox/contract/team.ts'
import type { Channel } from '../server/domain/context.ts'
import type { ProposedStory } from '../server/domain/proposed-story.ts'
import type { Entry } from '../server/domain/record/audit/change.ts'
import type { Facts } from '../server/domain/work/decisions/facts.ts'
import type { PolicyChange } from '../server/domain/work/policies/change.ts'

/**
 * The shapes of the demo data. Every moment is counted in whole minutes back from the time of seeding
 * (`minutesAgo`), so that the demo always shows the days just before it was started.
 */

export interface DemoWorkspace {
  slug: string
  name: string
  createdMinutesAgo: number
  people: DemoPerson[]
  teams: DemoTeam[]
  /** Those that concern no team alone. */
  moments: DemoMoment[]
}

export interface DemoPerson {
  email: string
  name: string
  role: Role
  joinedMinutesAgo: number
  /** Email of the person who gave them another role later. */
  promoted?: { to: Role; by: string; minutesAgo: number }
}

export interface DemoPolicy extends Pick<PolicyChange, 'preset' | 'departures' | 'reason'> {
  /** Email of the owner or admin who made it. */
  by: string
  minutesAgo: number
}

export interface DemoTeam extends Pick<Team, 'slug' | 'name' | 'description' | 'keyPrefix'> {
  /** Email of the person who created the team. */
  createdBy: string
  createdMinutesAgo: number
  /** Set while the team is paused. */
  paused?: { by: string; minutesAgo: number; reason: string }
  /** Oldest first; the last one is the current one. Empty for a team without a policy. */
  policies: DemoPolicy[]
  stories: DemoStory[]
  runs: DemoRun[]
  decisions: DemoDecision[]
  localWork?: DemoLocalWork[]
  incidents?: DemoIncident[]
  moments: DemoMoment[]
}

/** A resolved incident whose investigation found a merge of the team. */
export interface DemoIncident {
  service: string
  title: string
  severity: 'high' | 'medium'
  /** Local id of the run whose merge is suspected. */
  suspect: string
  minutesAfterMerge: number
  lastedMinutes: number
  isReverted?: true
}

export interface DemoStory extends Pick<StoryListed, 'title'> {
  /** Unique in the team: the story key is `<keyPrefix>-<number>`. */
  number: number
  draft?: true
  /** Markdown. */
  description: string
  /** Numbered ac-1, ac-2 and so on; whether each is met follows from the evidence of the last run that has some. */
  acceptanceCriteria: string[]
  /** Set where the criteria were looked at again after that run. */
  verifiedAgain?: { minutesAgo: number; failed: string[] }
  /** The Demonstrate block, Markdown; missing where it has not been written yet. */
  demonstrate?: string
  /** Which cases are tested, and how. Markdown. */
  testPlan?: string
  columnRole: StoryListed['column']['role']
  /** As far as it has been estimated. */
  estimate?: Partial<Pick<StoryListed, 'size' | 'complexity'>>
  /** Standard where nothing else is said. */
  classOfService?: StoryListed['classOfService']
  /** Missing for a draft, which no tracker has yet. */
  tracker?: StoryListed['tracker']
  minutesAgo: { created: number; updated: number }
}

/** What a person does on a Ready story on their own machine, with a coding agent of their own, and has said of it. */
export interface DemoLocalWork {
  storyKey: string
  /** Email of the person. */
  by: string
  agent: string
  begunMinutesAgo: number
  reports: { minutesAgo: number; message: string; stage: 'implementing' | 'verifying' }[]
}

export interface DemoVerification extends Pick<Verification, 'result' | 'gates'> {
  verifiedMinutesAgo: number
}

/** Worked on by the executor of the policy under which the run was started, where no other is said. */
export interface DemoAttempt
  extends Pick<Attempt, 'status' | 'stage' | 'costCents'>,
    Partial<Pick<Attempt, 'executor' | 'failureClass' | 'error'>> {
  /** The usual one of its executor where none is said. */
  model?: string
  verification?: DemoVerification
  startedMinutesAgo?: number
  completedMinutesAgo?: number
  /** Email of the person who stopped the attempt; its end is the moment. */
  stoppedBy?: string
  /** Set where a person, not the service, asked for this attempt. */
  retried?: { by: string; minutesAgo: number }
}

/** Collected by the verification of the last attempt, with its gates. */
export type DemoEvidence = Pick<
  Evidence,
  'commit' | 'criteria' | 'changes' | 'demonstration' | 'secondReview'
>

export interface DemoRun extends Partial<Pick<RunListed, 'pullRequest'>> {
  /** Local name by which decisions and moments refer to the run; not the run key. */
  id: string
  storyKey: string
  /** Oldest first; the position gives the attempt number. */
  attempts: DemoAttempt[]
  evidence?: DemoEvidence
  /** The diff of the change and its notable findings, if a runner has handed them in. */
  diff?: { text: string; findings: string[] }
  /** Two agents had a turn each: the first attempt is the first one's, and what it made; the rest is the second's. */
  race?: {
    agents: [RunListed['executor'], RunListed['executor']]
    first: DemoEvidence
    firstPullRequest: NonNullable<RunListed['pullRequest']>
  }
  /** Where it is not that of the policy under which the run was started. */
  budgetCents?: number
  createdMinutesAgo: number
}

export type DemoOption = Pick<DecisionOption, 'id' | 'label' | 'action'>

export interface DemoDecision extends Pick<Decision, 'kind' | 'title' | 'body'> {
  /** The usual ones of the kind where none are named. */
  options?: DemoOption[]
  /** Id of an option: the first where nothing else is said. */
  recommendation?: string
  /** What it is about, as the engine would have recorded it. */
  facts?: Facts['merge_approval']
  /** Local id of the run; a decision without one asks about a proposal. */
  run?: string
  createdMinutesAgo: number
  /** A week after it was raised where nothing else is said. */
  expiresInMinutes?: number
  /** What accepting a proposal files; without it the proposal becomes a requirement. */
  story?: ProposedStory
  /** By the person with that email, who chose what was recommended where no option is named. */
  answered?: { by: string; via: NonNullable<Decision['resolvedVia']>; minutesAgo: number; optionId?: string }
  /** What the person who answered wrote beside it. */
  note?: string
  /** Set where it ended without an answer. */
  closed?: { status: 'expired' | 'cancelled' | 'superseded'; minutesAgo: number }
}

export type DemoActor =
  | { type: 'human'; email: string }
  | { type: 'service' }
  | { type: 'system'; name: string }

/** An entry whose entity follows from the rest where it is not said. */
type Said = {
  [E in AuditEvent]: Omit<Entry<E>, 'entity'> & Partial<Pick<Entry<E>, 'entity'>>
}[AuditEvent]

/** An audit entry that no other row of the demo implies. Without a story or an entity it is about the team's policy. */
export type DemoMoment = Said & {
  minutesAgo: number
  actor: DemoActor
  /** People act in the app where nothing else is said. */
  channel?: Channel
  /** Key of the story it is about. */
  story?: string
  /** Local id of the run. */
  run?: string
}
