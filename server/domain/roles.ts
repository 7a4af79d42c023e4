import { isAtLeast, type Role } from '@signalbox/contract/roles.ts'
import type { Context } from './context.ts'
import { DomainError } from './errors.ts'

/** Lets people of that role or above through, and the product and its operator. */
export function requireRole(ctx: Context, needed: Role, action: string): void {
  if (ctx.actor.type !== 'human' || isAtLeast(ctx.actor.role, needed)) return
  const who = needed === 'owner' ? 'an owner' : needed === 'admin' ? 'an owner or admin' : 'a member'
  throw new DomainError(
    'insufficient_role',
    `To ${action}, you must be ${who} of the workspace. Your role is ${ctx.actor.role}.`,
  )
}
