import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { Chat } from '../../ports/chat.ts'
import type { GitHost } from '../../ports/git-host.ts'
import { addEffect } from '../../record/outbox/add.ts'
import type { Performer } from '../../record/outbox/perform.ts'
import type { Opening } from '../../tools/connections/open.ts'
import { readDecisionPage } from '../decisions/read-page.ts'
import { decisionMessage } from './decision-message.ts'
import { show } from './show.ts'
import { selectAnswered, selectPlacesOfSubject, selectPlacesOfTeam } from './store.ts'

/** Has a new decision shown in every place of its team. */
export async function showInChat(ctx: Context, tx: Tx, key: string, teamId: string): Promise<void> {
  for (const place of await selectPlacesOfTeam(tx, ctx.workspaceId, teamId))
    await addEffect(ctx, tx, {
      kind: 'show_decision',
      key: `show_decision/${key}/${place}/raised`,
      data: { decision: key, place },
    })
}

/** Has every message about a decision updated to its outcome, however that came about. */
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

/** Shows a decision in a place as it is now: a message while it waits, the same message changed once it is over. */
export const showDecision =
  (
    chat: Chat | null,
    gitHost: GitHost | null,
    { secrets, publicUrl }: Pick<Opening, 'secrets'> & { publicUrl: () => string },
  ): Performer<'show_decision'> =>
  (ctx, effect) => {
    const { decision: key, place } = effect.data
    return show(ctx, { chat, secrets }, effect, {
      ...{ place, subject: key, under: null },
      async compose(isShown) {
        const answered = await selectAnswered(ctx.db, ctx.workspaceId, key)
        if (!answered) return null
        const page = await readDecisionPage(ctx, gitHost, key)
        // Answered before it was ever shown: a message that no one is waiting for is noise.
        if (!isShown && page.decision.status !== 'pending') return null
        return decisionMessage(page, {
          url: `${publicUrl()}/${answered.workspace}/decisions/${key}`,
          answeredBy: answered.name,
        })
      },
      // It may have been answered while it was on its way, when no message was known to follow.
      posted: (tx) =>
        addEffect(ctx, tx, {
          kind: 'show_decision',
          key: `show_decision/${key}/${place}/posted`,
          data: { decision: key, place },
        }),
    })
  }
