import { change } from '../../server/domain/record/audit/change.ts'
import { changePolicy } from '../../server/domain/work/policies/change.ts'
import { pauseTeam } from '../../server/domain/work/teams/pause.ts'
import { insertTeam } from '../../server/domain/work/teams/store.ts'
import { newId } from '../../server/infra/ids.ts'
import { tables } from '../../server/test/tables.ts'
import type { DemoTeam } from '../script.ts'
import type { Past } from './past.ts'

export function addTeam(past: Past, team: DemoTeam): void {
  const { slug, name, description, keyPrefix, paused } = team
  // The verb gives a team its first policy, too; here that comes later, with a reason of its own, or never.
  past.did(team.createdBy, team.createdMinutesAgo, (ctx) =>
    change(ctx, async (tx) => {
      const at = ctx.clock.now()
      const id = newId(at)
      await insertTeam(tx, past.workspaceId, { id, slug, name, description, keyPrefix, at })
      const columns = await tables(tx)
        .selectFrom('columns')
        .select(['id', 'role'])
        .where('team_id', '=', id)
        .execute()
      past.teamIds.set(slug, id)
      for (const column of columns) past.columnIds.set(`${slug}/${column.role}`, column.id)
      return {
        value: null,
        audit: {
          event: 'team_created',
          team: slug,
          entity: { type: 'team', id: slug, name },
          details: { keyPrefix },
        },
      }
    }),
  )
  for (const { by, minutesAgo, ...input } of team.policies)
    past.did(by, minutesAgo, (ctx) => changePolicy(ctx, slug, input))
  if (paused) past.did(paused.by, paused.minutesAgo, (ctx) => pauseTeam(ctx, slug, paused.reason))
}
