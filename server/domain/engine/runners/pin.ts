import { invalidate } from '../../../infra/cluster.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { announceOffer } from '../orders/orders.ts'
import { lockRunner, selectTeamIds, updateTeams } from './store.ts'
import { wakeTeams } from './wake-teams.ts'

/** Has a runner work for these teams alone; for none of them: for all. What it works on now it finishes. */
export async function pinRunner(ctx: Context, id: string, teams: readonly string[]): Promise<void> {
  requireRole(ctx, 'admin', 'choose the teams of a runner')
  await change(ctx, async (tx) => {
    const runner = await lockRunner(tx, ctx.workspaceId, { id }, ctx.clock.now())
    if (!runner || runner.state === 'removed') throw notFound('runner', id)
    const slugs = [...new Set(teams)].sort()
    const found = await selectTeamIds(tx, ctx.workspaceId, slugs)
    const missing = slugs.find((slug) => !found.some((team) => team.slug === slug))
    if (missing !== undefined) throw notFound('team', missing)
    const ids = found.map((team) => team.id)
    await updateTeams(tx, ctx.workspaceId, id, ids)
    await invalidate(tx)
    // A runner that was given nothing may be given something now, and the other way round.
    await announceOffer(ctx, tx)
    await wakeTeams(ctx, tx)
    return {
      value: undefined,
      audit: {
        event: 'runner_changed',
        entity: { type: 'runner', id, name: runner.name },
        details: { change: 'pinned', teams: slugs },
      },
    }
  })
}
