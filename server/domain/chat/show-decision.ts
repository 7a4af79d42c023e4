import type { Tx } from '../../infra/db/db.ts'
import { type Opening, openConnection } from '../connections/open.ts'
import type { Context } from '../context.ts'
import { readDecisionPage } from '../decisions/read-page.ts'
import { addEffect } from '../outbox/add.ts'
import type { Performed, Performer } from '../outbox/perform.ts'
import type { Chat } from '../ports/chat.ts'
import { ToolRefused } from '../ports/connection.ts'
import type { GitHost } from '../ports/git-host.ts'
import { decisionMessage } from './decision-message.ts'
import {
  insertMessage,
  selectAnswered,
  selectPlacesOfSubject,
  selectPlacesOfTeam,
  selectShown,
} from './store.ts'

/** Has a new decision shown in every place of its team. */
export async function showInChat(ctx: Context, tx: Tx, key: string, teamId: string): Promise<void> {
  for (const place of await selectPlacesOfTeam(tx, ctx.workspaceId, teamId))
    await addEffect(ctx, tx, {
      kind: 'show_decision',
      key: `show_decision/${key}/${place}/raised`,
      data: { decision: key, place },
    })
}

/** Has every message about a decision brought up to what became of it, however that came about. */
export async function followInChat(
  ctx: Context,
  tx: Tx,
  key: string,
  status: 'resolved' | 'expired' | 'cancelled' | 'superseded',
): Promise<void> {
  for (const place of await selectPlacesOfSubject(tx, ctx.workspaceId, key))
    await addEffect(ctx, tx, {
      kind: 'show_decision',
      key: `show_decision/${key}/${place}/${status}`,
      data: { decision: key, place },
    })
}

const nothing: Performed = { settle: async () => [] }

/** Shows a decision in a place as it is now: a message while it waits, the same message changed once it is over. */
export const showDecision =
  (
    chat: Chat | null,
    gitHost: GitHost | null,
    { secrets, publicUrl }: Pick<Opening, 'secrets'> & { publicUrl: () => string },
  ): Performer<'show_decision'> =>
  async (ctx, effect) => {
    const { decision: key, place } = effect.data
    const [shown, answered] = await Promise.all([
      selectShown(ctx.db, ctx.workspaceId, place, key),
      selectAnswered(ctx.db, ctx.workspaceId, key),
    ])
    if (!chat || !answered || !shown?.connectionId) return nothing
    const page = await readDecisionPage(ctx, gitHost, key)
    // Answered before it was ever shown: a message that nobody waits for is noise.
    if (!shown.message && page.decision.status !== 'pending') return nothing
    const message = decisionMessage(page, {
      url: `${publicUrl()}/${answered.workspace}/decisions/${key}`,
      answeredBy: answered.name,
    })
    const connection = await openConnection({ db: ctx.db, secrets }, ctx.workspaceId, shown.connectionId)
    try {
      if (shown.message) {
        await chat.update(connection, shown.channel, shown.message, message)
        return nothing
      }
      const posted = await chat.post(connection, {
        ...{ channel: shown.channel, key: effect.key, message, under: null },
        mayBeThere: effect.attempts > 1,
      })
      return {
        settle: async (tx) => {
          const at = ctx.clock.now()
          await insertMessage(tx, ctx.workspaceId, { placeId: place, subject: key, message: posted, at })
          // It may have been answered while it was on its way, when no message was known to follow.
          await followIfOver(ctx, tx, key, place)
          return []
        },
      }
    } catch (error) {
      // The channel is gone, or the message is: nobody reads it there, whatever we try.
      if (error instanceof ToolRefused) return nothing
      throw error
    }
  }

const followIfOver = (ctx: Context, tx: Tx, key: string, place: string) =>
  addEffect(ctx, tx, {
    kind: 'show_decision',
    key: `show_decision/${key}/${place}/posted`,
    data: { decision: key, place },
  })
