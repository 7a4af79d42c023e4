import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { forgetMark } from '../../record/managed/mark.ts'
import { refuseManaged } from '../../record/managed/refuse-managed.ts'
import { requireRole } from '../../roles.ts'
import { lockTeam } from '../teams/lock.ts'
import { deletePlace } from './store.ts'

/** Stops posting about the team in that channel. Messages that are already there stay. */
export async function removePlace(ctx: Context, slug: string, id: string): Promise<void> {
  requireRole(ctx, 'admin', 'remove a channel from a team')
  await change(ctx, async (tx) => {
    const team = await lockTeam(tx, ctx.workspaceId, slug)
    await refuseManaged(ctx, tx, 'places', id)
    const name = await deletePlace(tx, ctx.workspaceId, team.id, id)
    if (!name) throw new DomainError('not_found', 'The team doesn’t post in that channel.')
    return {
      value: undefined,
      audit: [
        {
          event: 'team_changed',
          team: slug,
          entity: { type: 'team', id: slug, name: team.name },
          details: { changes: [{ field: 'channel', before: name, after: null }] },
        },
        ...(await forgetMark(ctx, tx, 'places', id)),
      ],
    }
  })
}
