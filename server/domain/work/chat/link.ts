import { createHash, randomBytes } from 'node:crypto'
import { visible } from '@signalbox/contract/visible.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { Chat } from '../../ports/chat.ts'
import { type Connection, ToolBusy, ToolRefused } from '../../ports/connection.ts'
import { change, housekeeping } from '../../record/audit/change.ts'
import { type Opening, openConnection } from '../../tools/connections/open.ts'
import { insertCode, selectCode, spendCode, upsertLink } from './store.ts'

const minutesToLink = 15

const hashOf = (code: string): Buffer => createHash('sha256').update(code).digest()

/** Makes the code of a page on which a person says that this user of the chat tool is them. */
export async function offerLink(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  connection: Pick<Connection, 'id' | 'workspaceId'>,
  user: { id: string; name: string },
): Promise<string> {
  const code = randomBytes(24).toString('base64url')
  const at = clock.now()
  const expiresAt = new Date(at.getTime() + minutesToLink * 60_000)
  await housekeeping(db, 'offer to link a chat account', (tx) =>
    insertCode(tx, connection.workspaceId, {
      ...{ hash: hashOf(code), connectionId: connection.id, at, expiresAt },
      ...{ user: user.id, name: user.name.slice(0, 100) },
    }),
  )
  return code
}

/**
 * Whom the code would link, before anything is done. People choose their own names; the id, and the email if the tool
 * has confirmed it, come from the tool and are fetched now. Null: the tool does not say.
 */
export async function readLink(
  ctx: Context,
  { chat, secrets }: { chat: Chat | null } & Pick<Opening, 'secrets'>,
  code: string,
): Promise<{ team: string; user: string; name: string; email: string | null }> {
  const found = await selectCode(ctx.db, ctx.workspaceId, hashOf(code), ctx.clock.now())
  if (!found) throw linkOver()
  const connection = await openConnection({ db: ctx.db, secrets }, ctx.workspaceId, found.connectionId)
  const stated = await chat?.findUser(connection, found.user).catch((error: unknown) => {
    if (error instanceof ToolBusy || error instanceof ToolRefused) return null
    throw error
  })
  return {
    team: connection.account ?? connection.name,
    user: found.user,
    name: visible(stated?.name ?? found.name),
    email: stated?.email ?? null,
  }
}

/** The signed-in person is that user of the chat tool from now on. */
export async function confirmLink(ctx: Context, code: string): Promise<void> {
  const { actor } = ctx
  if (actor.type !== 'human')
    throw new DomainError('insufficient_role', 'Only a person can link a chat account.')
  await change(ctx, async (tx) => {
    const at = ctx.clock.now()
    const found = await spendCode(tx, ctx.workspaceId, hashOf(code), at)
    if (!found) throw linkOver()
    const { connectionId, user } = found
    await upsertLink(tx, ctx.workspaceId, { connectionId, user, personId: actor.userId, at })
    return {
      value: undefined,
      audit: {
        event: 'chat_linked',
        entity: { type: 'member', id: actor.userId, name: actor.name },
        people: namesInChat(actor.userId, user, found.name),
        details: { tool: 'slack', user, name: found.name, by: 'link' },
      },
    }
  })
}

/** The same where the workspace takes a verified email address for proof. */
export async function linkByEmail(
  ctx: Context,
  { id: connectionId }: Pick<Connection, 'id'>,
  { id: user, name }: { id: string; name: string },
  member: { id: string; name: string },
): Promise<void> {
  await change(ctx, async (tx) => {
    const at = ctx.clock.now()
    await upsertLink(tx, ctx.workspaceId, { connectionId, user, personId: member.id, at })
    return {
      value: undefined,
      audit: {
        byService: true,
        event: 'chat_linked',
        entity: { type: 'member', id: member.id, name: member.name },
        people: namesInChat(member.id, user, name),
        details: { tool: 'slack', user, name, by: 'email' },
      },
    }
  })
}

/** By these they are known over there. */
const namesInChat = (id: string, ...names: string[]) => names.map((name) => ({ id, name }))

const linkOver = () =>
  new DomainError(
    'not_found',
    'This link has expired or was used. Type `/signalbox link` in Slack for a new one.',
  )
