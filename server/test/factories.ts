import { randomBytes } from 'node:crypto'
import type { Role } from '@signalbox/contract/member.ts'
import type { Permission } from '@signalbox/contract/token.ts'
import type { Context } from '../domain/context.ts'
import { createToken } from '../domain/tokens/create.ts'
import { addPerson } from '../domain/workspaces/add-person.ts'
import { createWorkspace } from '../domain/workspaces/create.ts'
import { type Clock, systemClock } from '../infra/clock.ts'
import type { Db } from '../infra/db/db.ts'

/** A workspace of its own for a test, with the operator as actor. */
export async function aWorkspace(db: Db, clock: Clock = systemClock): Promise<Context & { slug: string }> {
  const slug = `ws-${randomBytes(5).toString('hex')}`
  const operator = { db, clock, actor: { type: 'system', name: 'test' }, channel: 'operator' } as const
  const workspace = await createWorkspace(operator, { slug, name: slug })
  return { ...operator, workspaceId: workspace.id, slug }
}

/** A member, as the context in which that person acts. */
export async function aMember(
  ctx: Context,
  role: Role,
): Promise<Context & { personId: string; email: string }> {
  const email = `${role}-${randomBytes(4).toString('hex')}@example.com`
  const person = await addPerson(ctx, { email, name: `A ${role}`, role })
  return {
    ...ctx,
    personId: person.id,
    email,
    actor: { type: 'human', name: person.name, userId: person.id, role },
    channel: 'app',
  }
}

export async function aToken(
  member: Context & { personId: string },
  permissions: Permission[] = ['read'],
  expires: '30d' | '90d' | '1y' = '30d',
): Promise<{ id: string; token: string }> {
  return createToken(member, { personId: member.personId, name: 'test', permissions, expires })
}
