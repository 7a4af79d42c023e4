import type { Json } from '@signalbox/contract/shapes.ts'
import type { Team } from '@signalbox/contract/team.ts'
import type { Context } from '../../context.ts'
import { selectTeams } from './store.ts'

/** All teams of the workspace, by name. */
export async function listTeams(ctx: Context): Promise<Json<Team>[]> {
  return (await selectTeams(ctx.db, ctx.workspaceId)).map((team) => team.json)
}
