import { Type } from 'typebox'
import { resourceKinds } from '../resource-kinds.ts'
import { nullable, type Of, oneOf, timestamp, uuid } from '../shapes.ts'
import { type Operations, operation } from './operation.ts'

const kind = oneOf(resourceKinds)

/** Something that a file manages. */
export const ManagedResource = Type.Object({
  kind,
  name: Type.String({ description: 'in the file' }),
  id: uuid,
  managedAt: timestamp,
  /** Until the file is applied again. */
  unlockedAt: nullable(timestamp),
})
export type ManagedResource = Of<typeof ManagedResource>

/** Something that differs from what the file said when it was applied last. */
export const Drift = Type.Object({
  kind,
  name: Type.String({ description: 'in the file' }),
  id: uuid,
  fields: Type.Array(Type.Object({ field: Type.String(), file: Type.Unknown(), now: Type.Unknown() })),
})
export type Drift = Of<typeof Drift>

export const reads = {
  'managed.list': operation(Type.Object({}), Type.Object({ data: Type.Array(ManagedResource) })),
  /** For owners and admins: it shows values. */
  'managed.drift': operation(Type.Object({}), Type.Object({ data: Type.Array(Drift) })),
} satisfies Operations

export const writes = {
  'managed.unlock': operation(Type.Object({ kind, id: uuid }, { additionalProperties: false }), Type.Null()),
} satisfies Operations
