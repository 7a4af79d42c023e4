import type { TeamRepository } from '@signalbox/contract/app/teams.ts'
import type { Context } from '../../context.ts'
import { requireTeam } from '../teams/read.ts'
import { repositoriesOf } from './of-team.ts'

/** Where a team's code is on the server, for people; those at a git host are among its bindings. */
export async function readFolders(ctx: Context, slug: string): Promise<{ repositories: TeamRepository[] }> {
  await requireTeam(ctx, slug)
  const all = await repositoriesOf(ctx.db, ctx.workspaceId, slug)
  const folders = all.filter(({ connectionId }) => connectionId === null)
  return { repositories: folders.map(({ name, address, branch }) => ({ name, address, branch })) }
}
