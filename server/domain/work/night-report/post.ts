import type { Chat } from '../../ports/chat.ts'
import type { Performed, Performer } from '../../record/outbox/perform.ts'
import { findConnection } from '../../tools/connections/find.ts'
import type { Opening } from '../../tools/connections/open.ts'
import { parkWhenRefused } from '../../tools/connections/park-when-refused.ts'
import { isGoneThere } from '../chat/is-gone-there.ts'
import { recipientOf } from './recipient.ts'
import { selectChatUser } from './store.ts'
import { messageOf, partsOf, titleOf } from './text.ts'

const done: Performed = { settle: async () => [] }
const nothing: Performed = { ...done, isMoot: true }

/** Posts the report of a morning to a person alone, in the chat tool where they have linked their account. */
export const postReport =
  (
    chat: Chat | null,
    { secrets, publicUrl }: Pick<Opening, 'secrets'> & { publicUrl: () => string },
  ): Performer<'post_report'> =>
  async (ctx, effect) => {
    const { person, morning } = effect.data
    const user = chat && (await selectChatUser(ctx.db, ctx.workspaceId, person))
    const connection =
      user && (await findConnection({ db: ctx.db, secrets }, ctx.workspaceId, user.connection))
    const found = connection && (await recipientOf(ctx, effect.data))
    if (!found) return nothing
    const url = `${publicUrl()}/${found.workspace}`
    const message = messageOf(
      titleOf(morning),
      partsOf(found.report, url),
      `${url}/report/${morning}`,
      'Choose when you get this report in your account, under Notifications.',
    )
    const place = `user/${user.user}`
    return parkWhenRefused(ctx, effect, { connectionId: connection.id, place }, async () => {
      try {
        const channel = await chat.openDirect(connection, user.user)
        const mayBeThere = effect.attempts > 1
        await chat.post(connection, { channel, key: effect.key, message, under: null, mayBeThere })
      } catch (error) {
        // They have left the tool: that is no failure.
        if (!isGoneThere(error)) throw error
      }
      return done
    })
  }
