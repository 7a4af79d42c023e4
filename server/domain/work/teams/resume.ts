import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { lockTeam } from './lock.ts'
import { updatePaused } from './store.ts'

/** Lets a paused team take Ready stories again. */
export async function resumeTeam(ctx: Context, slug: string): Promise<void> {
  requireRole(ctx, 'admin', 'resume a team')
  await change(ctx, async (tx) => {
    const team = await lockTeam(tx, ctx.workspaceId, slug)
    if (!team.paused_at) throw new DomainError('conflict', `Team \`${slug}\` is not paused.`)
    await updatePaused(tx, ctx.workspaceId, team.id, null, ctx.clock.now())
    await ctx.queue.send(tx, { task: 'team', workspaceId: ctx.workspaceId, id: team.id })
    return {
      value: undefined,
      audit: {
        event: 'team_resumed',
        team: slug,
        entity: { type: 'team', id: slug, name: team.name },
        details: { changes: [{ field: 'pausedAt', before: team.paused_at.toISOString(), after: null }] },
      },
    }
  })
}
