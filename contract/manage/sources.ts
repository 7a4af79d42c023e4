import { Type } from 'typebox'
import { maxNameLength } from '../limits.ts'
import { type Of, oneOf, recordOf } from '../shapes.ts'
import { sourceKinds } from '../source.ts'
import { Secret } from './secret.ts'

/** Where alerts of one sender arrive. */
export const ManagedSource = Type.Object(
  {
    kind: oneOf(sourceKinds, 'the sender; it cannot be changed later'),
    name: Type.String({ minLength: 1, maxLength: maxNameLength }),
    services: Type.Optional(
      Type.Array(Type.String({ maxLength: 254 }), {
        maxItems: 200,
        description: 'the services it feeds, by their names in the file',
      }),
    ),
    settings: Type.Optional(recordOf(Type.Unknown())),
    secret: Type.Optional(Secret),
  },
  { $id: 'Source', additionalProperties: false },
)
export type ManagedSource = Of<typeof ManagedSource>
