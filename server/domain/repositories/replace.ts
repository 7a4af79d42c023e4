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
  for (const repository of repositories)
    await insertRepository(tx, workspaceId, teamId, { ...repository, ...insideAsBefore(before, repository) })
  return before
}

/** A repository that stays keeps what its work runs in, by whatever name it goes now. */
export function insideAsBefore(
  before: readonly TeamRepository[],
  { connectionId, remoteId, address }: TeamRepository,
): Pick<TeamRepository, 'inside' | 'image'> {
  const same = before.find((former) =>
    connectionId === null
      ? former.address === address
      : former.connectionId === connectionId && former.remoteId === remoteId,
  )
  return same ? { inside: same.inside ?? 'tools', image: same.image ?? null } : {}
}
