import type { Tx } from '../../infra/db/db.ts'
import type { TeamRepository } from '../ports/git-host.ts'
import { deleteRepositories, insertRepository, selectRepositories } from './store.ts'

/** Gives a team these repositories in the place of those it had, which are returned. */
export async function replaceRepositories(
  tx: Tx,
  workspaceId: string,
  teamId: string,
  repositories: readonly (TeamRepository & { url: string | null })[],
): Promise<readonly TeamRepository[]> {
  const before = await selectRepositories(tx, workspaceId, { teamId })
  await deleteRepositories(tx, workspaceId, teamId)
  for (const repository of repositories) await insertRepository(tx, workspaceId, teamId, repository)
  return before
}
