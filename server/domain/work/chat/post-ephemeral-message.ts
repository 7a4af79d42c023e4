import type { Context } from '../../context.ts'
import type { Chat } from '../../ports/chat.ts'
import type { Connection } from '../../ports/connection.ts'
import type { DueEffect } from '../../record/outbox/effect.ts'
import type { Performed, Performer } from '../../record/outbox/perform.ts'
import { findConnection } from '../../tools/connections/find.ts'
import type { Opening } from '../../tools/connections/open.ts'
import { parkWhenRefused } from '../../tools/connections/park-when-refused.ts'
import { isGoneThere } from './is-gone-there.ts'

const done: Performed = { settle: async () => [] }

/** Posts a message that only one person in the channel sees. */
export const postEphemeralMessage =
  (chat: Chat | null, { secrets }: Pick<Opening, 'secrets'>): Performer<'post_ephemeral_message'> =>
  async (ctx, effect) => {
    const { connection: id, text, ...to } = effect.data
    const connection = chat && (await findConnection({ db: ctx.db, secrets }, ctx.workspaceId, id))
    if (!connection) return done
    return inPlace(ctx, effect, connection, () => sayTo(chat, connection, to, text))
  }

/** What the channel or the whole tool refuses waits until it is mended. */
export const inPlace = (
  ctx: Context,
  effect: DueEffect<'post_ephemeral_message' | 'offer_chat_link'>,
  { id }: Connection,
  work: () => Promise<Performed>,
): Promise<Performed> =>
  parkWhenRefused(ctx, effect, { connectionId: id, place: `channel/${effect.data.channel}` }, work)

/** A person who has left the channel or the tool gets nothing, and that is no failure. */
export async function sayTo(
  chat: Chat,
  connection: Connection,
  to: { channel: string; user: string },
  text: string,
): Promise<Performed> {
  try {
    await chat.postEphemeral(connection, to, text)
  } catch (error) {
    if (!isGoneThere(error)) throw error
  }
  return done
}
