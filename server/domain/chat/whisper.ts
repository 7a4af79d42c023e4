import { findConnection } from '../connections/find.ts'
import { heedRefusals } from '../connections/heed-refusals.ts'
import type { Opening } from '../connections/open.ts'
import type { Context } from '../context.ts'
import type { DueEffect } from '../outbox/effect.ts'
import type { Performed, Performer } from '../outbox/perform.ts'
import type { Chat } from '../ports/chat.ts'
import type { Connection } from '../ports/connection.ts'
import { isGoneThere } from './is-gone-there.ts'

const done: Performed = { settle: async () => [] }

/** Says something to one person in a chat tool. */
export const whisper =
  (chat: Chat | null, { secrets }: Pick<Opening, 'secrets'>): Performer<'whisper'> =>
  async (ctx, effect) => {
    const { connection: id, text, ...to } = effect.data
    const connection = chat && (await findConnection({ db: ctx.db, secrets }, ctx.workspaceId, id))
    if (!connection) return done
    return inPlace(ctx, effect, connection, () => sayTo(chat, connection, to, text))
  }

/** What the channel or the whole tool refuses waits until it is mended. */
export const inPlace = (
  ctx: Context,
  effect: DueEffect<'whisper' | 'offer_chat_link'>,
  { id }: Connection,
  work: () => Promise<Performed>,
): Promise<Performed> =>
  heedRefusals(ctx, effect, { connectionId: id, place: `channel/${effect.data.channel}` }, work)

/** Whoever has left is not told any more. */
export async function sayTo(
  chat: Chat,
  connection: Connection,
  to: { channel: string; user: string },
  text: string,
): Promise<Performed> {
  try {
    await chat.whisper(connection, to, text)
  } catch (error) {
    if (!isGoneThere(error)) throw error
  }
  return done
}
