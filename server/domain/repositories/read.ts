import type { TeamRepository } from '@signalbox/contract/app/teams.ts'
import type { Context } from '../context.ts'
import { requireTeam } from '../teams/read.ts'
import { repositoryOf } from './of-team.ts'

/** Where a team's code is, for people. */
export async function readRepository(
  ctx: Context,
  slug: string,
): Promise<{ repository: TeamRepository | null }> {
  await requireTeam(ctx, slug)
  const found = await repositoryOf(ctx.db, ctx.workspaceId, slug)
  return { repository: found && { name: found.name, address: found.address, branch: found.branch } }
}
