import { Type } from 'typebox'
import { teamSlug } from '../keys.ts'
import { nullable, type Of, timestamp, uuid } from '../shapes.ts'
import { type Operations, operation, proven } from './operation.ts'
import { rowId } from './services.ts'

/** A channel in which a team's decisions and incidents are shown. */
export const Channel = Type.Object({
  id: uuid,
  name: Type.String(),
  /** Null: its connection is gone, and nothing reaches it. */
  connection: nullable(uuid),
  connectionName: nullable(Type.String()),
})
export type Channel = Of<typeof Channel>

const link = Type.String({ minLength: 1, maxLength: 500, description: 'as the chat tool copies it' })
const code = Type.String({ minLength: 1, maxLength: 100 })

export const reads = {
  'chat.channels': operation(Type.Object({ team: teamSlug }), Type.Object({ data: Type.Array(Channel) })),
  /** What a workspace lets people in the chat tool do, and whether their clicks arrive. */
  'chat.settings': operation(
    Type.Object({ connection: rowId }),
    Type.Object({
      byEmail: Type.Boolean(),
      clickedAt: nullable(timestamp),
      requestUrl: nullable(Type.String({ description: 'where the tool sends clicks; null for members' })),
    }),
  ),
  'chat.link': operation(
    Type.Object({ code }),
    Type.Object({
      team: Type.String({ description: 'where the account is, as the connection knows it' }),
      user: Type.String({ description: 'the id of the account, as the chat tool states it' }),
      name: Type.String({ description: 'chosen by the owner of the account' }),
      email: nullable(Type.String({ description: 'as the chat tool has confirmed it' })),
    }),
  ),
} satisfies Operations

export const writes = {
  'chat.addChannel': operation(
    Type.Object({ team: teamSlug, connection: uuid, link }, { additionalProperties: false }),
    Type.Object({ id: uuid, name: Type.String() }),
  ),
  'chat.removeChannel': operation(
    Type.Object({ team: teamSlug, channel: uuid }, { additionalProperties: false }),
    Type.Null(),
  ),
  'chat.linkByEmail': operation(
    Type.Object({ allowed: Type.Boolean() }, { additionalProperties: false }),
    Type.Null(),
  ),
  /** Posts a message with a button; pressing it proves that clicks arrive. */
  'chat.sendTest': operation(
    Type.Object({ connection: uuid, link }, { additionalProperties: false }),
    Type.Object({ name: Type.String() }),
  ),
  'chat.confirmLink': proven(operation(Type.Object({ code }, { additionalProperties: false }), Type.Null())),
} satisfies Operations
