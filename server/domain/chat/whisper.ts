import { findConnection } from '../connections/find.ts'
import type { Opening } from '../connections/open.ts'
import type { Performed, Performer } from '../outbox/perform.ts'
import type { Chat } from '../ports/chat.ts'
import { type Connection, ToolRefused } from '../ports/connection.ts'

const done: Performed = { settle: async () => [] }

/** Says something to one person in a chat tool. */
export const whisper =
  (chat: Chat | null, { secrets }: Pick<Opening, 'secrets'>): Performer<'whisper'> =>
  async (ctx, { data: { connection: id, text, ...to } }) => {
    const connection = chat && (await findConnection({ db: ctx.db, secrets }, ctx.workspaceId, id))
    return connection ? sayTo(chat, connection, to, text) : done
  }

/** What nobody can be told any more is not tried again. */
export async function sayTo(
  chat: Chat,
  connection: Connection,
  to: { channel: string; user: string },
  text: string,
): Promise<Performed> {
  try {
    await chat.whisper(connection, to, text)
  } catch (error) {
    if (!(error instanceof ToolRefused)) throw error
  }
  return done
}
