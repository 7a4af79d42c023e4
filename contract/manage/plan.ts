import { Type } from 'typebox'
import { resourceKinds } from '../resource-kinds.ts'
import { nullable, type Of, oneOf } from '../shapes.ts'
import { Configuration } from './configuration.ts'

export const planActions = ['create', 'change', 'delete', 'release'] as const

const kind = oneOf(resourceKinds)
const named = { kind, name: Type.String() }

/** One resource that differs from the file. */
export const PlannedChange = Type.Object(
  {
    action: oneOf(planActions),
    ...named,
    fields: Type.Array(
      Type.Object(
        { field: Type.String(), before: Type.Unknown(), after: Type.Unknown() },
        { additionalProperties: false },
      ),
    ),
  },
  { $id: 'PlannedChange', additionalProperties: false },
)
export type PlannedChange = Of<typeof PlannedChange>

const reference = Type.Object(named, { additionalProperties: false })

/** What applying a file would do. */
export const Plan = Type.Object(
  {
    changes: Type.Array(PlannedChange, { description: 'in the order in which they are made' }),
    adopted: Type.Array(reference, {
      description: 'as the file says already, and not managed by it or unlocked; applying marks them',
    }),
    abandoned: Type.Array(reference, {
      description: 'managed, and no longer in the file: deleted only when prune is set',
    }),
    unmanaged: Type.Integer({ description: 'how many other resources there are, made in the app' }),
    fingerprint: Type.String({ description: 'of this plan; apply takes it' }),
  },
  { $id: 'Plan', additionalProperties: false },
)
export type Plan = Of<typeof Plan>

const prune = Type.Optional(
  Type.Boolean({ description: 'delete what was managed by the file and is no longer in it' }),
)

export const PlanRequest = Type.Object(
  { configuration: Configuration, prune },
  { additionalProperties: false },
)

export const ApplyRequest = Type.Object(
  {
    configuration: Configuration,
    prune,
    fingerprint: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'of the plan that was shown: if it would now do something else, it is refused with 409',
      }),
    ),
  },
  { additionalProperties: false },
)

/** What was done. Each change is a transaction of its own; the first that fails ends it. */
export const Applied = Type.Object(
  {
    done: Type.Array(PlannedChange),
    failed: nullable(
      Type.Object(
        { ...named, code: Type.String(), message: Type.String() },
        { additionalProperties: false, description: 'what came after it was not tried' },
      ),
    ),
    left: Type.Integer({ description: 'changes that were not tried' }),
  },
  { $id: 'Applied', additionalProperties: false },
)
export type Applied = Of<typeof Applied>
