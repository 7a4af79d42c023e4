import { Type } from 'typebox'
import { findingKinds } from '../guard/finding.ts'
import { isolationLevels } from '../isolation.ts'
import { runKey, teamSlug } from '../keys.ts'
import { maxPathLength, maxPolicyNumber, maxReasonLength, maxRunnerLabels } from '../limits.ts'
import { maintenanceSchedules } from '../maintenance.ts'
import { modelTools } from '../model-tools.ts'
import { cursor, limit, pageOf } from '../page.ts'
import { personAnswers } from '../presence.ts'
import { runnerLabel } from '../runner-facts.ts'
import { SecondReviewSettings } from '../second-review.ts'
import { nullable, type Of, oneOf, timestamp } from '../shapes.ts'
import { Policy, presets, whenIssueLeaves } from '../team.ts'
import { type Operations, operation } from './operation.ts'

const { executor, budgets, planApproval, mergePolicy } = Policy.properties
const whole = (minimum: number, description?: string) =>
  Type.Integer({ minimum, maximum: maxPolicyNumber, ...(description === undefined ? {} : { description }) })
const limitCents = (of: string) => nullable(whole(0, `for ${of}, in euro cents; null: no limit`))

/** What a preset sets: how closely people watch. Which coding agent does the work is the team's own choice. */
export const PresetSettings = Type.Object(
  {
    maxConcurrency: whole(1, 'how many runs at once'),
    budgets: Type.Object(
      {
        runCents: limitCents('a run'),
        dayCents: limitCents('a day'),
        monthCents: limitCents('a month'),
      },
      { additionalProperties: false },
    ),
    planApproval,
    mergePolicy,
    deniedPaths: Type.Array(Type.String({ minLength: 1, maxLength: maxPathLength }), {
      maxItems: 200,
      description: 'globs the service may not change; the whole list',
    }),
    acceptanceRequired: Type.Boolean({
      description: 'whether a story needs a working acceptance spec before it is implemented',
    }),
    gateFailureBudget: whole(0, 'how often one gate may fail in a run before a person is asked'),
    autoMergeMaxLines: nullable(
      whole(0, 'lines of the largest change that merges without asking; null: no limit of its own'),
    ),
    reworkOnReview: Type.Boolean({
      description: 'whether a review at the git host that asks for changes starts another attempt',
    }),
    /** contract/isolation.ts says what each level takes. */
    isolation: oneOf(isolationLevels, 'how strictly the agent must be sandboxed'),
    maintenance: Type.Object(
      {
        schedule: oneOf(maintenanceSchedules, 'how often'),
        surveyCents: whole(1, 'what one survey may cost'),
        monthCents: whole(1, 'what all of a month may cost'),
      },
      {
        additionalProperties: false,
        description: 'surveys of the repository for what is worth a story; all three together',
      },
    ),
    whenIssueLeaves: oneOf(
      whenIssueLeaves,
      'what a run does when its issue is closed, moved or deleted in the tracker',
    ),
    /** Left out: nothing. */
    allowedFindings: Type.Optional(
      Type.Array(oneOf(findingKinds), {
        maxItems: findingKinds.length,
        description: 'what a change may touch without a person being asked before it is merged',
      }),
    ),
    /** Left out: nothing. */
    modelTools: Type.Optional(
      Type.Array(oneOf(modelTools), {
        maxItems: modelTools.length,
        description: "what a model's provider may do on the network on its own, past the runner's gateway",
      }),
    ),
    /** Left out: none. */
    personAnswers: Type.Optional(
      Type.Array(oneOf(personAnswers), {
        maxItems: personAnswers.length,
        description: 'which decisions no token can answer',
      }),
    ),
    /** Left out: off. */
    secondReview: Type.Optional(SecondReviewSettings),
  },
  { additionalProperties: false },
)
export type PresetSettings = Of<typeof PresetSettings>

/** Everything a policy sets. The summary that readers of the REST API see leaves some of it out. */
export const PolicySettings = Type.Object(
  {
    executor,
    ...PresetSettings.properties,
    /** Left out: as it was. */
    runnerLabels: Type.Optional(
      Type.Array(runnerLabel, {
        maxItems: maxRunnerLabels,
        description: 'only a runner with all of these is given work',
      }),
    ),
  },
  { additionalProperties: false },
)
export type PolicySettings = Of<typeof PolicySettings>

export const PolicyVersion = Type.Object({
  ...PolicySettings.properties,
  budgets,
  preset: oneOf(presets),
  custom: Type.Boolean(),
  version: Type.Integer(),
})
export type PolicyVersion = Of<typeof PolicyVersion>

export const PolicyPage = Type.Object({
  /** null: the team has no policy yet. */
  policy: nullable(PolicyVersion),
  presets: Type.Record(oneOf(presets), PresetSettings),
  /** The coding agent of a first policy where none was chosen. */
  firstExecutor: executor,
  /** What no policy can allow. */
  alwaysDenied: Type.Array(Type.String()),
  /** What a run may spend where the policy sets no budget at all. */
  runCentsWithoutBudgets: Type.Integer(),
})
export type PolicyPage = Of<typeof PolicyPage>

export const PolicyChange = Type.Object({
  field: Type.String(),
  before: Type.Unknown(),
  after: Type.Unknown(),
})
export type PolicyChange = Of<typeof PolicyChange>

/** A version with who made it, when and why. */
export const KeptPolicyVersion = Type.Object({
  ...PolicyVersion.properties,
  at: timestamp,
  by: nullable(Type.String()),
  reason: nullable(Type.String()),
  /** Since the version before; of the first one, everything that it sets. */
  changes: Type.Array(PolicyChange),
})
export type KeptPolicyVersion = Of<typeof KeptPolicyVersion>

/** What a policy may make of a run: ask about it, hold it, or stop it for its cost. */
export const policyEffects = [
  'plan_approval',
  'policy_exception',
  'merge_approval',
  'merge_by_people',
  'isolation',
  'runner_labels',
  'model_tools',
  'acceptance_spec',
  'run_budget',
  'day_budget',
  'month_budget',
] as const
const effect = oneOf(policyEffects)

/** A run that would have gone differently. */
export const RehearsedRun = Type.Object({
  run: runKey,
  title: Type.String(),
  at: timestamp,
  costCents: Type.Integer(),
  /** Added and deleted; null where no change is recorded. */
  lines: nullable(Type.Integer()),
  differences: Type.Array(
    Type.Object({
      effect,
      /** Whether the proposed policy would do it and the current one would not, or the other way round. */
      more: Type.Boolean(),
      /** Denied ones that the run touches, of a policy exception. */
      paths: Type.Array(Type.String()),
    }),
  ),
})
export type RehearsedRun = Of<typeof RehearsedRun>

/** What a policy would have done to the runs of the last days, compared with the current one. */
export const Rehearsal = Type.Object({
  days: Type.Integer(),
  /** The current version, which it is compared with; null: the team has no policy yet. */
  baseline: nullable(Type.Integer()),
  /** How many runs were looked at. */
  runs: Type.Integer(),
  /** There were more; the newest were looked at. */
  more: Type.Boolean(),
  changed: Type.Array(RehearsedRun),
  /** Runs of which it cannot be known. */
  unknown: Type.Array(Type.Object({ effect, runs: Type.Integer() })),
})
export type Rehearsal = Of<typeof Rehearsal>

const reason = Type.Optional(Type.String({ maxLength: maxReasonLength }))
/** The version that was on the screen; 0 where there was none. */
const basedOn = whole(0)

export const reads = {
  'policies.read': operation(Type.Object({ team: teamSlug }), PolicyPage),
  'policies.versions': operation(
    Type.Object({ team: teamSlug, limit: Type.Optional(limit), cursor: Type.Optional(cursor) }),
    pageOf(KeptPolicyVersion),
  ),
} satisfies Operations

export const writes = {
  /** Only reads: a policy is too long for an address. */
  'policies.rehearse': operation(
    Type.Object(
      { team: teamSlug, preset: oneOf(presets), settings: PolicySettings },
      { additionalProperties: false },
    ),
    Rehearsal,
  ),
  'policies.change': operation(
    Type.Object(
      { team: teamSlug, preset: oneOf(presets), settings: PolicySettings, basedOn, reason },
      { additionalProperties: false },
    ),
    PolicyVersion,
  ),
  'policies.restore': operation(
    Type.Object({ team: teamSlug, version: whole(1), basedOn, reason }, { additionalProperties: false }),
    PolicyVersion,
  ),
} satisfies Operations
