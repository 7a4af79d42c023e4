import { createHash } from 'node:crypto'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { Chat, ChatMessage } from '../../ports/chat.ts'
import type { DueEffect } from '../../record/outbox/effect.ts'
import type { Performed } from '../../record/outbox/perform.ts'
import { type Opening, openConnection } from '../../tools/connections/open.ts'
import { parkWhenRefused } from '../../tools/connections/park-when-refused.ts'
import { withChannelRateLimit } from './channel-rate-limit.ts'
import { isGoneThere } from './is-gone-there.ts'
import { insertMessage, selectShown, updateShown } from './store.ts'

const nothing: Performed = { isMoot: true, settle: async () => [] }

interface Subject {
  place: string
  /** What the message is about: it has one message in each place. */
  subject: string
  /** The subject whose thread it is posted in; null: it starts a thread. */
  under: string | null
  /** As it is now; null: there is nothing to show. */
  compose: (isShown: boolean) => Promise<ChatMessage | null>
  /** Called once it is posted, to catch up with what changed before the message was known. */
  posted?: (tx: Tx) => Promise<unknown>
}

/** Of what a message shows, so that the same is not sent twice. */
export const digestOf = (message: ChatMessage): Buffer =>
  createHash('sha256').update(JSON.stringify(message)).digest()

/**
 * Shows something in a place as it is when its turn comes: one message, changed when there is something new to show.
 * However often it changed in between, only the last state is sent.
 */
export async function show(
  ctx: Context,
  { chat, secrets }: { chat: Chat | null } & Pick<Opening, 'secrets'>,
  effect: DueEffect,
  { place, subject, under, compose, posted }: Subject,
): Promise<Performed> {
  const look = async () => {
    const shown = await selectShown(ctx.db, ctx.workspaceId, place, subject)
    if (!shown?.connectionId) return null
    const parent = under ? await selectShown(ctx.db, ctx.workspaceId, place, under) : undefined
    if (under && !parent?.message) return null
    const message = await compose(shown.message !== null)
    const isNews = message && !(shown.shown && digestOf(message).equals(shown.shown))
    return isNews ? { ...shown, content: message, parent: parent?.message ?? null } : null
  }
  const first = await look()
  if (!chat || !first) return nothing
  const connection = await openConnection({ db: ctx.db, secrets }, ctx.workspaceId, first.connectionId!)
  const channel = { connectionId: connection.id, channel: first.channel }
  const speak = async () => {
    const now = await look()
    if (!now) return { hasSpoken: false, performed: nothing }
    const shown = digestOf(now.content)
    try {
      if (now.message) {
        await chat.update(connection, now.channel, now.message, now.content)
        const settle = async (tx: Tx) => {
          await updateShown(tx, ctx.workspaceId, place, subject, shown)
          return []
        }
        return { hasSpoken: true, performed: { settle } }
      }
      const message = await chat.post(connection, {
        ...{ channel: now.channel, key: effect.key, message: now.content, under: now.parent },
        mayBeThere: effect.attempts > 1,
      })
      const settle = async (tx: Tx) => {
        const at = ctx.clock.now()
        await insertMessage(tx, ctx.workspaceId, { placeId: place, subject, message, shown, at })
        await posted?.(tx)
        return []
      }
      return { hasSpoken: true, performed: { settle } }
    } catch (error) {
      // People have deleted the message, or the one above it: they want to see it no more.
      if (isGoneThere(error)) return { hasSpoken: true, performed: nothing }
      throw error
    }
  }
  const reached = { connectionId: connection.id, place: `channel/${first.channel}` }
  return parkWhenRefused(ctx, effect, reached, () => withChannelRateLimit(ctx, chat, channel, subject, speak))
}
