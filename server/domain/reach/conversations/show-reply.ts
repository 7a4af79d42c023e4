import type { Chat } from '../../ports/chat.ts'
import type { Performer } from '../../record/outbox/perform.ts'
import type { Opening } from '../../tools/connections/open.ts'
import { show } from '../../work/chat/show.ts'
import { replyMessage } from './reply-message.ts'
import { selectReply } from './store.ts'

/** Shows a reply and its outcome in the thread of its requirement. */
export const showReply =
  (chat: Chat | null, { secrets }: Pick<Opening, 'secrets'>): Performer<'show_reply'> =>
  async (ctx, effect) => {
    const { reply: id, place } = effect.data
    const reply = await selectReply(ctx.db, ctx.workspaceId, id)
    if (!reply) return { settle: async () => [] }
    return show(ctx, { chat, secrets }, effect, {
      ...{ place, subject: `reply/${id}`, under: reply.requirement },
      async compose() {
        const now = await selectReply(ctx.db, ctx.workspaceId, id)
        return now ? replyMessage(now, 'slack') : null
      },
    })
  }
