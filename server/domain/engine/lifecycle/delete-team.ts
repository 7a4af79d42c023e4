import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { forgetMark } from '../../record/managed/mark.ts'
import { refuseManaged } from '../../record/managed/refuse-managed.ts'
import { requireRole } from '../../roles.ts'
import { endTeam } from '../../work/teams/end.ts'
import { lockTeam } from '../../work/teams/lock.ts'
import { cancelDecisionsOfTeam } from './cancel.ts'
import { selectHolding } from './team-store.ts'

/**
 * Deletes a team. Its stories, runs and audit entries stay; nothing of it is worked on any more. Refused while
 * something still depends on the team.
 */
export async function deleteTeam(ctx: Context, slug: string): Promise<void> {
  requireRole(ctx, 'owner', 'delete a team')
  await change(ctx, async (tx) => {
    const team = await lockTeam(tx, ctx.workspaceId, slug)
    await refuseManaged(ctx, tx, 'teams', team.id)
    const { runs, services } = await selectHolding(tx, ctx.workspaceId, team.id)
    if (runs.length > 0) {
      throw new DomainError(
        'conflict',
        `Team \`${slug}\` still has active runs: ${first(runs)}. Stop them or let them finish, then delete the team.`,
      )
    }
    if (services.length > 0) {
      throw new DomainError(
        'conflict',
        `Alerts for ${first(services)} go to team \`${slug}\`. Delete the service first.`,
      )
    }
    const cancelled = await cancelDecisionsOfTeam(ctx, tx, team, 'team_deleted')
    await endTeam(tx, ctx.workspaceId, team.id, ctx.clock.now())
    const unmarked: Entry[] = []
    // Its policy and its repositories have its id.
    for (const kind of ['teams', 'policies', 'repositories'] as const)
      unmarked.push(...(await forgetMark(ctx, tx, kind, team.id)))
    return {
      value: undefined,
      audit: [
        { event: 'team_deleted', team: slug, entity: { type: 'team', id: slug, name: team.name } },
        ...cancelled,
        ...unmarked,
      ],
    }
  })
}

const first = (names: string[]): string =>
  names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ')
