import { findMemberByEmail } from '../../accounts/workspaces/find-member.ts'
import type { Context } from '../../context.ts'
import type { Chat } from '../../ports/chat.ts'
import type { Connection } from '../../ports/connection.ts'
import type { Performed, Performer } from '../../record/outbox/perform.ts'
import { findConnection } from '../../tools/connections/find.ts'
import type { Opening } from '../../tools/connections/open.ts'
import { linkByEmail } from './link.ts'
import { linkAddress } from './link-address.ts'
import { inPlace, sayTo } from './post-ephemeral-message.ts'
import { selectByEmailAllowed } from './store.ts'

/**
 * Tells a stranger how to link their account. The code is made when it is sent, so that only its hash is ever stored.
 * If the workspace accepts a verified email address as proof, the account is linked immediately.
 */
export const offerChatLink =
  (
    chat: Chat | null,
    { secrets, publicUrl }: Pick<Opening, 'secrets'> & { publicUrl: () => string },
  ): Performer<'offer_chat_link'> =>
  async (ctx, effect) => {
    const { connection: id, ...to } = effect.data
    const connection = chat && (await findConnection({ db: ctx.db, secrets }, ctx.workspaceId, id))
    if (!connection) return { settle: async () => [] }
    return inPlace(ctx, effect, connection, () => offer(ctx, chat, { publicUrl }, connection, to))
  }

async function offer(
  ctx: Context,
  chat: Chat,
  { publicUrl }: { publicUrl: () => string },
  connection: Connection,
  to: { channel: string; user: string },
): Promise<Performed> {
  const user = await chat.findUser(connection, to.user)
  if (user.email && (await selectByEmailAllowed(ctx.db, ctx.workspaceId))) {
    const member = await findMemberByEmail(ctx.db, ctx.workspaceId, user.email)
    if (member) {
      await linkByEmail(ctx, connection, user, member)
      return sayTo(chat, connection, to, `You’re linked to ${member.name} in Signalbox now. Try again.`)
    }
  }
  const url = await linkAddress(ctx, { publicUrl }, connection, user)
  const hint = `Link your account: ${url} (valid for 15 minutes, then try again).`
  return sayTo(chat, connection, to, `Signalbox doesn’t know you yet. ${hint}`)
}
