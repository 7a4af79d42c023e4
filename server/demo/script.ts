import type { PolicySettings } from '@signalbox/contract/app/policies.ts'
import type { Decision, DecisionOption } from '@signalbox/contract/decision.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import type { Attempt, Evidence, RunListed, Verification } from '@signalbox/contract/run.ts'
import type { AcceptanceCriterion, StoryListed } from '@signalbox/contract/story.ts'
import type { Policy, Team } from '@signalbox/contract/team.ts'
import type { Entry } from '../domain/audit/change.ts'
import type { Channel } from '../domain/context.ts'
import type { ProposedStory } from '../domain/proposed-story.ts'

/**
 * The shapes of the demo data. Every moment is counted in whole minutes back from the time of seeding
 * (`minutesAgo`), so that the demo always shows the days just before it was started.
 */

export interface DemoWorkspace {
  slug: string
  name: string
  createdMinutesAgo: number
}

export interface DemoPerson {
  email: string
  name: string
  /** The role the person has now. */
  role: Role
  /** The role at joining, where a `member_role_changed` moment changed it later; otherwise the same. */
  joinedAs: Role
  joinedMinutesAgo: number
}

export interface DemoPolicyVersion extends PolicySettings, Pick<Policy, 'preset' | 'custom' | 'version'> {
  /** Why this version was made. */
  reason: string
  /** E-mail of the owner or admin who made it. */
  by: string
  minutesAgo: number
}

export interface DemoTeam extends Pick<Team, 'slug' | 'name' | 'description' | 'keyPrefix'> {
  /** E-mail of the person who created the team. */
  createdBy: string
  createdMinutesAgo: number
  /** Set while the team is paused; the `team_paused` entry is among the moments. */
  pausedMinutesAgo: number | null
  /** Oldest first; the last one is in force. Empty for a team without a policy. */
  policyVersions: DemoPolicyVersion[]
}

export interface DemoCriterion extends Pick<AcceptanceCriterion, 'id' | 'text' | 'status'> {
  verifiedMinutesAgo: number | null
}

export interface DemoStory
  extends Pick<StoryListed, 'title' | 'draft' | 'size' | 'complexity' | 'classOfService' | 'tracker'> {
  teamSlug: string
  /** Unique in the team: the story key is `<keyPrefix>-<number>`. */
  number: number
  /** Markdown. */
  description: string
  acceptanceCriteria: DemoCriterion[]
  /** The Demonstrate block, Markdown; null where it has not been written yet. */
  demonstrate: string | null
  columnRole: StoryListed['column']['role']
  createdMinutesAgo: number
  updatedMinutesAgo: number
}

interface DemoVerification extends Pick<Verification, 'result' | 'gates'> {
  verifiedMinutesAgo: number
}

interface DemoAttempt
  extends Pick<Attempt, 'status' | 'stage' | 'executor' | 'costCents' | 'failureClass' | 'error'> {
  verification: DemoVerification | null
  startedMinutesAgo: number | null
  completedMinutesAgo: number | null
  /** E-mail of the person who stopped the attempt; its end is the moment. */
  stoppedBy?: string
  /** Set where a person, not the service, asked for this attempt. */
  retried?: { by: string; minutesAgo: number }
}

interface DemoEvidence extends Pick<Evidence, 'commit' | 'gates' | 'criteria' | 'changes' | 'demonstration'> {
  collectedMinutesAgo: number
}

export interface DemoRun extends Pick<RunListed, 'executor' | 'budgetCents' | 'pullRequest'> {
  /** Local name by which decisions and moments refer to the run; not the run key. */
  id: string
  storyKey: string
  /** Oldest first; the position gives the attempt number. */
  attempts: DemoAttempt[]
  evidence: DemoEvidence | null
  createdMinutesAgo: number
}

export type DemoOption = Pick<DecisionOption, 'id' | 'label' | 'action'>

interface DemoQuestion extends Pick<Decision, 'kind' | 'authority' | 'title' | 'body' | 'recommendation'> {
  options: DemoOption[]
  teamSlug: string
  storyKey: string | null
  /** Local id of the run. */
  run: string | null
  createdMinutesAgo: number
  /** What accepting a proposal files; without it the proposal becomes a requirement. */
  story?: ProposedStory
}

type DemoOutcome =
  | { status: 'pending'; expiresInMinutes: number }
  | {
      status: 'resolved'
      optionId: string
      note: string | null
      /** E-mail of the person who answered. */
      by: string
      via: NonNullable<Decision['resolvedVia']>
      resolvedMinutesAgo: number
    }
  | { status: 'expired'; expiredMinutesAgo: number }
  | { status: 'cancelled'; cancelledMinutesAgo: number }
  | { status: 'superseded'; supersededMinutesAgo: number }

export type DemoDecision = DemoQuestion & DemoOutcome

export type DemoActor =
  | { type: 'human'; email: string }
  | { type: 'service' }
  | { type: 'system'; name: string }

/** An audit entry that no other row of the demo implies. */
export type DemoMoment = Entry & {
  minutesAgo: number
  actor: DemoActor
  /** People act in the app where nothing else is said. */
  channel?: Channel
  teamSlug: string | null
  /** Local id of the run. */
  run: string | null
}
