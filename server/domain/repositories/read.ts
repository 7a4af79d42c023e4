import type { TeamRepository } from '@signalbox/contract/app/teams.ts'
import type { Context } from '../context.ts'
import { requireTeam } from '../teams/read.ts'
import { repositoryOf } from './of-team.ts'

/** Where a team's code is on the server, for people; those at a git host are among its bindings. */
export async function readRepository(
  ctx: Context,
  slug: string,
): Promise<{ repository: TeamRepository | null }> {
  await requireTeam(ctx, slug)
  const found = await repositoryOf(ctx.db, ctx.workspaceId, slug)
  const folder = found?.connectionId === null ? found : null
  return { repository: folder && { name: folder.name, address: folder.address, branch: folder.branch } }
}
