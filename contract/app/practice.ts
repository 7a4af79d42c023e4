import { Type } from 'typebox'
import { runKey, storyKey, teamSlug } from '../keys.ts'
import { runStages, runStatuses } from '../run.ts'
import { nullable, type Of, oneOf, timestamp, uuid } from '../shapes.ts'
import { type Operations, operation } from './operation.ts'

/** What comes next, in order; `asked` and `ended` are out of it: the run asks something else, or is over. */
export const practiceSteps = [
  ...(['starting', 'planning', 'plan', 'working', 'merge', 'merging'] as const),
  ...(['alert', 'investigating', 'revert', 'reverting', 'done', 'asked', 'ended'] as const),
] as const

export const Practice = Type.Object({
  step: oneOf(practiceSteps),
  startedBy: Type.String(),
  startedAt: timestamp,
  team: teamSlug,
  story: Type.Object({ key: storyKey, title: Type.String() }),
  service: uuid,
  run: nullable(Type.Object({ key: runKey, status: oneOf(runStatuses), stage: oneOf(runStages) })),
  /** What waits for an answer. */
  decision: nullable(Type.Object({ key: Type.String(), kind: Type.String() })),
  incident: nullable(
    Type.Object({ key: Type.String(), status: oneOf(['open', 'resolved']), isInvestigated: Type.Boolean() }),
  ),
  runner: oneOf(['starting', 'online', 'trouble']),
  trouble: nullable(Type.String()),
})
export type Practice = Of<typeof Practice>

/** What the server's machine lacks for a practice project. */
export const PracticeObstacle = Type.Object({
  why: Type.String(),
  /** To be pasted on that machine; null: no line helps. */
  line: nullable(Type.String()),
})
export type PracticeObstacle = Of<typeof PracticeObstacle>

export const PracticeOffer = Type.Object({
  project: nullable(Practice),
  /** Why none can be started; null as well while there is a project. */
  obstacle: nullable(PracticeObstacle),
})
export type PracticeOffer = Of<typeof PracticeOffer>

export const reads = {
  'practice.read': operation(Type.Object({}), PracticeOffer),
} satisfies Operations

const nothing = Type.Object({}, { additionalProperties: false })

export const writes = {
  'practice.start': operation(nothing, Type.Null()),
  /** Sends an alert about what was merged. */
  'practice.alert': operation(nothing, Type.Null()),
  /** Everything of it but the audit log goes. */
  'practice.remove': operation(nothing, Type.Null()),
} satisfies Operations
