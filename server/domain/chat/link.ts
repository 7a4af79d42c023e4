import { createHash, randomBytes } from 'node:crypto'
import { change, housekeeping } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import type { Connection } from '../ports/connection.ts'
import { insertCode, type LinkCode, selectCode, spendCode, upsertLink } from './store.ts'

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

/** Whom the code would link, before anything is done. */
export async function readLink(ctx: Context, code: string): Promise<Pick<LinkCode, 'name'>> {
  const found = await selectCode(ctx.db, ctx.workspaceId, hashOf(code), ctx.clock.now())
  if (!found) throw linkOver()
  return { name: found.name }
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
        details: { tool: 'slack', user, name: found.name, by: 'link' },
      },
    }
  })
}

/** The same where the workspace takes a verified e-mail address for proof. */
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
        details: { tool: 'slack', user, name, by: 'email' },
      },
    }
  })
}

const linkOver = () =>
  new DomainError(
    'not_found',
    'This link has expired or was used. Type `/signalbox link` in Slack for a new one.',
  )
