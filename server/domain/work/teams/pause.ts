import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { lockTeam } from './lock.ts'
import { updatePaused } from './store.ts'

/** A paused team starts no new work; what runs is finished. */
export async function pauseTeam(ctx: Context, slug: string, reason?: string): Promise<void> {
  requireRole(ctx, 'admin', 'pause a team')
  await change(ctx, async (tx) => {
    const team = await lockTeam(tx, ctx.workspaceId, slug)
    if (team.paused_at) throw new DomainError('conflict', `Team \`${slug}\` is already paused.`)
    const paused = { by: ctx.actor.name, reason: reason || null }
    await updatePaused(tx, ctx.workspaceId, team.id, paused, ctx.clock.now())
    return {
      value: undefined,
      audit: {
        event: 'team_paused',
        team: slug,
        entity: { type: 'team', id: slug, name: team.name },
        ...(reason ? { details: { reason } } : {}),
      },
    }
  })
}
