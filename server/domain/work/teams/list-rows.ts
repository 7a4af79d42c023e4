import type { TeamRow } from '@signalbox/contract/app/teams.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { selectTeamRows } from './store.ts'

/** All teams of the workspace, by name, each with what goes on in it now. */
export async function listTeamRows(ctx: Context): Promise<Json<TeamRow>[]> {
  return (await selectTeamRows(ctx.db, ctx.workspaceId, ctx.clock.now())).map((team) => team.json)
}

export async function readTeamRow(ctx: Context, slug: string): Promise<Json<TeamRow>> {
  const [team] = await selectTeamRows(ctx.db, ctx.workspaceId, ctx.clock.now(), slug)
  if (!team) throw notFound('team', slug)
  return team.json
}
