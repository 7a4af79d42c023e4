import { Type } from 'typebox'
import { decisionKinds, decisionStatuses } from '../decision.ts'
import { decisionKey, runKey, storyKey, teamSlug } from '../keys.ts'
import { maxNoteLength } from '../limits.ts'
import { GiveBack, LocalHolder, LocalWork } from '../local-work.ts'
import { cursor, limit, pageOf } from '../page.ts'
import { roles } from '../roles.ts'
import { Evidence, failureClasses, Run, RunListed, runStages, runStatuses } from '../run.ts'
import { cents, nullable, type Of, oneOf, timestamp } from '../shapes.ts'
import { executor } from '../team.ts'
import { type Operations, operation } from './operation.ts'

/**
 * Where a run stands, finer than its status: opening the pull request, merging, watching main and reverting are what
 * happens after the work.
 */
export const runPhases = [
  'queued',
  'working',
  'waiting',
  'opening',
  'merging',
  'watching',
  'reverting',
  'succeeded',
  'failed',
  'timed_out',
  'stopped',
] as const

const standing = {
  phase: oneOf(runPhases),
  reason: nullable(Type.String({ description: 'why it does not move just now' })),
  stuckSince: nullable(timestamp),
}

export const RunRow = Type.Object(
  {
    ...RunListed.properties,
    ...standing,
    teamName: Type.String(),
    waitsFor: nullable(decisionKey),
    local: nullable(LocalHolder),
  },
  { additionalProperties: false },
)
export type RunRow = Of<typeof RunRow>

const RunDecision = Type.Object(
  {
    key: decisionKey,
    kind: oneOf(decisionKinds),
    status: oneOf(decisionStatuses),
    title: Type.String(),
    authority: oneOf(roles),
    answer: nullable(Type.String({ description: 'label of the chosen option' })),
    note: nullable(Type.String()),
    createdAt: timestamp,
    resolvedAt: nullable(timestamp),
    expiresAt: nullable(timestamp),
  },
  { additionalProperties: false },
)
export type RunDecision = Of<typeof RunDecision>

/** A stretch of a run's time: queued, at work, waiting for a person, or being merged. `to` is null while it lasts. */
const Segment = Type.Object(
  {
    attempt: Type.Integer(),
    kind: oneOf(['queue', 'work', 'wait', 'merge']),
    stage: oneOf(runStages),
    from: timestamp,
    to: nullable(timestamp),
  },
  { additionalProperties: false },
)
export type Segment = Of<typeof Segment>

/** Reports of a worker that end a step of a stage. */
export const stepEnds = [
  'begun',
  'plan_ready',
  'question_asked',
  'spec_pinned',
  'spec_failed',
  'change_ready',
  'gates_ran',
  'finished',
  'main_checked',
  'failed',
] as const

const Budget = Type.Object(
  { spentCents: cents, limitCents: nullable(cents) },
  { additionalProperties: false },
)

/** One pull request of a run in several repositories. */
export const RepositoryPullRequest = Type.Object(
  { repository: Type.String(), number: Type.Integer(), url: Type.String() },
  { additionalProperties: false },
)

/** Two agents that work on one story, side by side. */
export const Race = Type.Object(
  {
    proposed: nullable(Type.Union([Type.Literal(0), Type.Literal(1)])),
    because: nullable(
      oneOf(['only', 'gates', 'size', 'cost', 'first'], 'the rule by which it is; null: a person chose it'),
    ),
    agents: Type.Array(
      Type.Object(
        {
          executor,
          state: oneOf(['waiting', 'working', 'verified', 'failed']),
          passed: Type.Integer({ description: 'how many gates' }),
          failed: Type.Array(Type.String(), { description: 'gates, by name' }),
          files: Type.Integer(),
          additions: Type.Integer(),
          deletions: Type.Integer(),
          costCents: cents,
          failure: nullable(Type.String({ description: 'why it cannot be merged' })),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)
export type Race = Of<typeof Race>

export const RunPage = Type.Object(
  {
    run: Run,
    pullRequests: Type.Array(RepositoryPullRequest, {
      description: 'of a run in several repositories: all of them, in the order in which they are merged',
    }),
    ...standing,
    team: Type.Object(
      { slug: teamSlug, name: Type.String(), paused: Type.Boolean(), day: Budget, month: Budget },
      { additionalProperties: false },
    ),
    criteria: Type.Array(
      Type.Object({ id: Type.String(), text: Type.String() }, { additionalProperties: false }),
    ),
    demonstrate: nullable(Type.String()),
    /** Who has worked on it on their own machine, and what they say of it. */
    local: nullable(LocalWork),
    changes: nullable(Evidence.properties.changes),
    race: nullable(Race),
    decisions: Type.Array(RunDecision, { description: 'newest first' }),
    timeline: Type.Array(Segment),
    costs: Type.Array(
      Type.Object(
        { attempt: Type.Integer(), stage: nullable(oneOf(runStages)), cents: Type.Number() },
        { additionalProperties: false },
      ),
      { description: 'what was billed, by attempt and stage; empty where only totals are known' },
    ),
    models: Type.Array(
      Type.Object(
        {
          /** `gateway`: counted by the runner's gateway; `agent`: the agent's own number; null: it was not said. */
          source: nullable(oneOf(['gateway', 'agent'])),
          provider: nullable(Type.String()),
          model: nullable(Type.String()),
          /** null: no table was used, or none has the model. */
          priceTable: nullable(Type.String()),
          bills: Type.Integer(),
          /** Tokens; null: they were not said. What was read from and written to a cache is part of the input. */
          input: nullable(Type.Integer()),
          cacheRead: nullable(Type.Integer()),
          cacheWrite: nullable(Type.Integer()),
          output: nullable(Type.Integer()),
          cents: Type.Number(),
        },
        { additionalProperties: false },
      ),
      { description: 'the same by model, dearest first' },
    ),
    /** Another run that works on the story, for which a retry would have to wait. */
    otherRun: nullable(runKey),
    logLines: Type.Integer(),
    /** When work at a runner last made progress; heartbeats alone are none. Null: no runner works on it. */
    progressAt: nullable(timestamp),
    /** Whether there is evidence that its runner has signed. */
    hasSignedEvidence: Type.Boolean(),
  },
  { additionalProperties: false },
)
export type RunPage = Of<typeof RunPage>

export const LogLine = Type.Object(
  {
    position: Type.Integer(),
    attempt: Type.Integer(),
    at: timestamp,
    text: Type.String(),
    colours: nullable(Type.String({ description: 'as contract/line-colours.ts writes them' })),
  },
  { additionalProperties: false },
)
export type LogLine = Of<typeof LogLine>

/** What the log stream sends as `lines`: some that were printed together. The first one has the number `from`. */
export interface LogPiece {
  from: number
  attempt: number
  at: string
  lines: string[]
  /** In which colours the lines were printed that have some, by their place in `lines`. */
  colours?: Record<number, string>
}

/** One file of a change, as git tells it. */
export const DiffFile = Type.Object(
  {
    path: Type.String(),
    oldPath: nullable(Type.String({ description: 'where it was, when it was renamed or copied' })),
    status: oneOf(['added', 'deleted', 'modified', 'renamed', 'copied']),
    /** Modes as git writes them, where they differ: `100644`, `100755`, `120000`. */
    mode: nullable(
      Type.Object({ before: Type.String(), after: Type.String() }, { additionalProperties: false }),
    ),
    additions: Type.Integer(),
    deletions: Type.Integer(),
    isBinary: Type.Boolean(),
    /** So long that it is shown folded. */
    isLarge: Type.Boolean(),
    hunks: nullable(
      Type.String({ description: 'unified, from the first @@ on; null: too long to come with the others' }),
    ),
  },
  { additionalProperties: false },
)
export type DiffFile = Of<typeof DiffFile>

/** The change of a run, kept by the server: it can be read when the branch is gone. */
export const Diff = Type.Object(
  {
    files: Type.Array(DiffFile),
    /** How many more files there are than are listed. */
    moreFiles: Type.Integer(),
    additions: Type.Integer(),
    deletions: Type.Integer(),
    findings: Type.Array(Type.String({ description: 'what stands out in the change' })),
  },
  { additionalProperties: false },
)
export type Diff = Of<typeof Diff>

/** A line of a changed file, by its number after the change. */
const ChangedLine = Type.Object(
  { path: Type.String(), line: Type.Integer() },
  { additionalProperties: false },
)
export type ChangedLine = Of<typeof ChangedLine>

/** What a criterion's proof can be followed to, as far as what is stored says so. */
export const CriterionTrace = Type.Object(
  {
    id: Type.String(),
    test: nullable(ChangedLine),
    logLine: nullable(Type.Integer({ description: 'of the log: the line that is quoted as the proof' })),
    hunks: Type.Array(ChangedLine, {
      description: 'where the change begins in each file that the test names',
    }),
  },
  { additionalProperties: false },
)
export type CriterionTrace = Of<typeof CriterionTrace>

/** What a stretch of work came to: the report that ended it, what it cost and what was logged in it. */
export const RunStep = Type.Object(
  {
    attempt: Type.Integer(),
    stage: oneOf(runStages),
    ended: nullable(oneOf(stepEnds)),
    from: timestamp,
    to: nullable(timestamp),
    cents: Type.Number(),
    lines: nullable(
      Type.Object({ first: Type.Integer(), last: Type.Integer() }, { additionalProperties: false }),
    ),
  },
  { additionalProperties: false },
)
export type RunStep = Of<typeof RunStep>

const none = Type.Object({}, { additionalProperties: false })
const key = { key: runKey }

export const reads = {
  'runs.list': operation(
    Type.Object({
      team: Type.Optional(teamSlug),
      story: Type.Optional(storyKey),
      status: Type.Optional(oneOf(runStatuses)),
      failure: Type.Optional(oneOf(failureClasses)),
      executor: Type.Optional(executor),
      limit: Type.Optional(limit),
      cursor: Type.Optional(cursor),
    }),
    pageOf(RunRow),
  ),
  'runs.read': operation(Type.Object(key), RunPage),
  /** With a path: that file alone, however long it is. With an agent: of a race, the change of the first or the second. */
  'runs.diff': operation(
    Type.Object({
      ...key,
      path: Type.Optional(Type.String({ maxLength: 4_000 })),
      agent: Type.Optional(oneOf(['first', 'second'])),
    }),
    Type.Object(
      {
        diff: nullable(Diff),
        removedAt: nullable(Type.String({ description: 'when it was removed because of its age' })),
      },
      { additionalProperties: false },
    ),
  ),
  /** A file that `signalbox verify-evidence` checks offline: an EvidencePack of contract/runner/evidence.ts. */
  'runs.evidence': operation(
    /** Of a run in several repositories: of which; left out, of the first that has any. */
    Type.Object({ ...key, repository: Type.Optional(Type.String({ maxLength: 300 })) }),
    Type.Unknown(),
  ),
  'runs.trace': operation(
    Type.Object(key),
    Type.Object({ criteria: Type.Array(CriterionTrace) }, { additionalProperties: false }),
  ),
  'runs.steps': operation(
    Type.Object(key),
    Type.Object({ steps: Type.Array(RunStep) }, { additionalProperties: false }),
  ),
  'runs.logTail': operation(
    Type.Object({ ...key, lines: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 20 })) }),
    Type.Object({ total: Type.Integer(), lines: Type.Array(LogLine) }, { additionalProperties: false }),
  ),
} satisfies Operations

export const writes = {
  'runs.stop': operation(
    Type.Object(
      { ...key, reason: Type.Optional(Type.String({ maxLength: maxNoteLength })) },
      { additionalProperties: false },
    ),
    none,
  ),
  'runs.giveBack': operation(
    Type.Object({ ...key, ...GiveBack.properties }, { additionalProperties: false }),
    none,
  ),
  'runs.retry': operation(
    Type.Object(
      { ...key, guidance: Type.Optional(Type.String({ maxLength: maxNoteLength })) },
      { additionalProperties: false },
    ),
    Type.Object({ attempt: Type.Integer() }, { additionalProperties: false }),
  ),
} satisfies Operations
