import { Type } from 'typebox'
import { teamSlug } from '../keys.ts'
import type { Of } from '../shapes.ts'

/** A channel in which a team's decisions and incidents are shown. */
export const ManagedPlace = Type.Object(
  {
    team: teamSlug,
    connection: Type.String({
      maxLength: 254,
      description: 'the connection to the chat tool, by its name in the file',
    }),
    channel: Type.String({
      pattern: '^[CG][A-Z0-9]{6,20}$',
      description: 'the id of the channel, the last part of its link',
      examples: ['C0123ABCD'],
    }),
  },
  { $id: 'Place', additionalProperties: false },
)
export type ManagedPlace = Of<typeof ManagedPlace>
