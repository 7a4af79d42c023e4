import type { TeamOverview } from '@signalbox/contract/app/teams.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import type { Context } from '../context.ts'
import { notFound } from '../errors.ts'
import { selectOverviews } from './store.ts'

/** All teams of the workspace, by name, each with what goes on in it now. */
export async function listTeamOverviews(ctx: Context): Promise<Json<TeamOverview>[]> {
  return (await selectOverviews(ctx.db, ctx.workspaceId, ctx.clock.now())).map((team) => team.json)
}

export async function readTeamOverview(ctx: Context, slug: string): Promise<Json<TeamOverview>> {
  const [team] = await selectOverviews(ctx.db, ctx.workspaceId, ctx.clock.now(), slug)
  if (!team) throw notFound('team', slug)
  return team.json
}
