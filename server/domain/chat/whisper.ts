import { housekeeping } from '../audit/change.ts'
import { findConnection } from '../connections/find.ts'
import type { Opening } from '../connections/open.ts'
import { asService, type Context } from '../context.ts'
import { addEffect } from '../outbox/add.ts'
import type { Performed, Performer } from '../outbox/perform.ts'
import type { Chat } from '../ports/chat.ts'
import { type Connection, ToolRefused } from '../ports/connection.ts'
import { findMemberByEmail } from '../workspaces/find-member.ts'
import { linkByEmail, offerLink } from './link.ts'
import { selectByEmailAllowed, selectWorkspaceSlug } from './store.ts'

type Services = Pick<Context, 'db' | 'clock' | 'queue'>

export interface Whispered {
  channel: string
  user: string
}

/** Has one person in a chat tool told something that nobody else there sees. */
export const planWhisper = (
  services: Services,
  { id, workspaceId }: Connection,
  to: Whispered,
  text: string,
) =>
  housekeeping(services.db, 'tell one person in chat', async (tx) => {
    const ctx = asService(services, workspaceId)
    const at = ctx.clock.now().getTime()
    const key = `whisper/${id}/${to.user}/${at}`
    await addEffect(ctx, tx, { kind: 'whisper', key, data: { connection: id, ...to, text } })
  })

/** Has a stranger told how to become known. */
export const planLinkOffer = (services: Services, { id, workspaceId }: Connection, to: Whispered) =>
  housekeeping(services.db, 'tell a stranger in chat how to link an account', async (tx) => {
    const ctx = asService(services, workspaceId)
    const key = `offer_chat_link/${id}/${to.user}/${ctx.clock.now().getTime()}`
    await addEffect(ctx, tx, { kind: 'offer_chat_link', key, data: { connection: id, ...to } })
  })

const nothing: Performed = { settle: async () => [] }

/** What nobody can be told any more is not tried again. */
async function said(chat: Chat, connection: Connection, to: Whispered, text: string): Promise<Performed> {
  try {
    await chat.whisper(connection, to, text)
  } catch (error) {
    if (!(error instanceof ToolRefused)) throw error
  }
  return nothing
}

export const whisper =
  (chat: Chat | null, { secrets }: Pick<Opening, 'secrets'>): Performer<'whisper'> =>
  async (ctx, { data: { connection: id, text, ...to } }) => {
    const connection = chat && (await findConnection({ db: ctx.db, secrets }, ctx.workspaceId, id))
    return connection ? said(chat, connection, to, text) : nothing
  }

/**
 * The code is made when it is sent, so that it stands nowhere. Where the workspace takes a verified e-mail address for
 * proof, the account is linked at once.
 */
export const offerChatLink =
  (
    chat: Chat | null,
    { secrets, publicUrl }: Pick<Opening, 'secrets'> & { publicUrl: () => string },
  ): Performer<'offer_chat_link'> =>
  async (ctx, { data: { connection: id, ...to } }) => {
    const connection = chat && (await findConnection({ db: ctx.db, secrets }, ctx.workspaceId, id))
    if (!connection) return nothing
    const user = await chat.findUser(connection, to.user)
    if (user.email && (await selectByEmailAllowed(ctx.db, ctx.workspaceId))) {
      const member = await findMemberByEmail(ctx.db, ctx.workspaceId, user.email)
      if (member) {
        await linkByEmail(ctx, connection, user, member)
        return said(chat, connection, to, `You’re linked to ${member.name} in Signalbox now. Try again.`)
      }
    }
    const url = await linkAddress(ctx, { publicUrl }, connection, user)
    return said(
      chat,
      connection,
      to,
      `Signalbox doesn’t know you yet. Link your account: ${url} (valid for 15 minutes, then try again).`,
    )
  }

/** The page on which a person says that this user of the chat tool is them. */
export async function linkAddress(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { publicUrl }: { publicUrl: () => string },
  connection: Connection,
  user: { id: string; name: string },
): Promise<string> {
  const code = await offerLink({ db, clock }, connection, user)
  return `${publicUrl()}/${await selectWorkspaceSlug(db, connection.workspaceId)}/link-chat/${code}`
}
