import type { Json } from '@signalbox/contract/shapes.ts'
import type { Team } from '@signalbox/contract/team.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { selectTeam, teamExists } from './store.ts'

export async function readTeam(ctx: Context, slug: string): Promise<Json<Team>> {
  const team = await selectTeam(ctx.db, ctx.workspaceId, { slug })
  if (!team) throw notFound('team', slug)
  return team.json
}

export async function findTeam(
  ctx: Context,
  by: { slug: string } | { id: string },
): Promise<Json<Team> | undefined> {
  return (await selectTeam(ctx.db, ctx.workspaceId, by))?.json
}

/** Tells an empty list from a list of a team that does not exist. */
export async function requireTeam(ctx: Context, slug: string): Promise<void> {
  if (!(await teamExists(ctx.db, ctx.workspaceId, slug))) throw notFound('team', slug)
}
