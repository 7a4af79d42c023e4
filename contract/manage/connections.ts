import { Type } from 'typebox'
import { connectionKinds } from '../connection-kinds.ts'
import { maxNameLength } from '../limits.ts'
import { type Of, oneOf, recordOf } from '../shapes.ts'
import { Secret } from './secret.ts'

/** An account at an outside tool. */
export const ManagedConnection = Type.Object(
  {
    kind: oneOf(connectionKinds, 'the tool; it cannot be changed later'),
    name: Type.String({ minLength: 1, maxLength: maxNameLength }),
    baseUrl: Type.Optional(
      Type.String({ maxLength: 300, description: 'left out: where most customers are' }),
    ),
    credentials: Type.Optional(recordOf(Secret, { longest: 40, most: 20 })),
  },
  { $id: 'Connection', additionalProperties: false },
)
export type ManagedConnection = Of<typeof ManagedConnection>
