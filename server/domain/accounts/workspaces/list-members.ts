import type { Member } from '@signalbox/contract/app/members.ts'
import { isAtLeast } from '@signalbox/contract/roles.ts'
import type { Context } from '../../context.ts'
import { selectMembers } from './store.ts'

/** Everyone in the workspace, by name. Only owners and admins see when a person was last here, and their tokens. */
export async function listMembers(ctx: Context): Promise<Member[]> {
  const members = await selectMembers(ctx.db, ctx.workspaceId, ctx.clock.now())
  const mayKnow = ctx.actor.type !== 'human' || isAtLeast(ctx.actor.role, 'admin')
  return members.map((member) => (mayKnow ? member : { ...member, lastSeenAt: null, activeTokens: null }))
}
