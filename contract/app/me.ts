import { Type } from 'typebox'
import { roles } from '../roles.ts'
import { nullable, type Of, oneOf, recordOf, uuid } from '../shapes.ts'
import { type Operations, operation } from './operation.ts'

/** Who is signed in, and where that person may go. */
export const Me = Type.Object({
  id: uuid,
  name: Type.String(),
  email: Type.String(),
  /**
   * What is set today of what a refusal can ask for, for a person who can set it: an owner of the installation on the machine of the server.
   * Null for everyone else, who is told whom to ask.
   */
  setToday: nullable(recordOf(Type.String())),
  workspaces: Type.Array(
    Type.Object({
      slug: Type.String(),
      name: Type.String(),
      role: oneOf(roles),
      /** Whether its owners own the installation. */
      isFirst: Type.Boolean(),
    }),
  ),
})
export type Me = Of<typeof Me>

export const reads = {
  me: operation(Type.Object({}), Me),
} satisfies Operations
