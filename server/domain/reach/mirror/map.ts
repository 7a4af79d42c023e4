import { columnRoles } from '@signalbox/contract/story.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { lockTeam } from '../../work/teams/lock.ts'
import type { Mapping } from './columns.ts'
import { rereadMirror, selectBindings, updateMapping } from './store.ts'

/** Says which status over there is which column here. Everything is read again under the new mapping. */
export async function mapStatuses(ctx: Context, slug: string, mapping: Mapping): Promise<void> {
  requireRole(ctx, 'admin', "change a team's settings")
  await change(ctx, async (tx) => {
    const team = await lockTeam(tx, ctx.workspaceId, slug)
    const [binding] = await selectBindings(tx, ctx.workspaceId, { teamId: team.id })
    if (!binding) throw new DomainError('conflict', `Team \`${slug}\` has no tracker connected.`)
    const known = new Set(binding.statuses?.map(({ id }) => id))
    for (const [status, role] of Object.entries(mapping)) {
      if (!known.has(status))
        throw new DomainError('invalid_request', `${binding.project.key} has no status \`${status}\`.`)
      if (role !== null && !columnRoles.includes(role))
        throw new DomainError('invalid_request', `Columns are ${columnRoles.join(', ')}.`)
    }
    await updateMapping(tx, ctx.workspaceId, team.id, mapping)
    await rereadMirror(tx, ctx.workspaceId, team.id, ctx.clock.now())
    return {
      value: undefined,
      audit: {
        event: 'team_changed',
        team: slug,
        entity: { type: 'team', id: slug, name: team.name },
        details: { changes: [{ field: 'trackerStatuses', before: binding.mapping, after: mapping }] },
      },
    }
  })
}
