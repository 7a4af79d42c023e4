import { Type } from 'typebox'
import { trackerKinds } from '../connection-kinds.ts'
import { storyKey, teamSlug } from '../keys.ts'
import { nullable, type Of, oneOf, recordOf, timestamp } from '../shapes.ts'
import { columnRoles } from '../story.ts'
import { type Operations, operation } from './operation.ts'

const text = Type.String()

/** How the mirror of a team's tracker fares. */
export const MirrorPage = Type.Object({
  tool: oneOf(trackerKinds),
  connectionName: text,
  project: text,
  projectUrl: nullable(text),
  label: nullable(text),
  /** Issues that became stories in the first import. */
  imported: Type.Integer(),
  /** How many there are, where the tool says so. */
  total: nullable(Type.Integer()),
  importedAt: nullable(timestamp),
  sweptAt: nullable(timestamp),
  dueAt: nullable(timestamp),
  lastError: nullable(text),
  /** Stories that say something else than their issues. */
  notInStep: Type.Integer(),
  /** Whether webhooks reach us; otherwise changes are polled for. */
  webhooks: Type.Boolean(),
  /** Whether a person has confirmed the mapping. */
  isConfirmed: Type.Boolean(),
  /** Every status of the project; null: it says nothing about the column. */
  statuses: Type.Array(Type.Object({ id: text, name: text, column: nullable(oneOf(columnRoles)) })),
})
export type MirrorPage = Of<typeof MirrorPage>

/** How an issue stands to its story. */
export const StoryMirror = Type.Object({
  tool: oneOf(trackerKinds),
  /** Null: they differ, or something is being written. */
  inStepSince: nullable(timestamp),
  left: nullable(oneOf(['closed', 'moved', 'deleted'])),
  notice: nullable(text),
  /** Something waits to be written over there. */
  isWriting: Type.Boolean(),
  /** Why the tool cannot be reached. */
  trouble: nullable(text),
  isBound: Type.Boolean(),
  /** What was edited on both sides at once; the tracker's is kept until a person says otherwise. */
  conflicts: Type.Array(Type.Object({ field: text, ours: text, theirs: text })),
})
export type StoryMirror = Of<typeof StoryMirror>

const theTeam = Type.Object({ team: teamSlug })

export const reads = {
  'mirror.read': operation(theTeam, nullable(MirrorPage)),
} satisfies Operations

export const writes = {
  'mirror.map': operation(
    Type.Object(
      { team: teamSlug, mapping: recordOf(nullable(oneOf(columnRoles))) },
      { additionalProperties: false },
    ),
    Type.Null(),
  ),
  'mirror.sweep': operation(Type.Object({ team: teamSlug }, { additionalProperties: false }), Type.Null()),
  'mirror.settle': operation(
    Type.Object({ key: storyKey, keep: oneOf(['ours', 'theirs']) }, { additionalProperties: false }),
    Type.Null(),
  ),
} satisfies Operations
