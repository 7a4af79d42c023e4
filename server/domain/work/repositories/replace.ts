import type { Tx } from '../../../infra/db/db.ts'
import type { TeamRepository } from '../../ports/git-host.ts'
import { deleteRepositories, insertRepository, selectRepositories } from './store.ts'

/**
 * Gives a team these repositories in the place of those it had, which are returned. What stays as it is keeps what is
 * known of it: a main branch that is red stays red, whatever is added beside it.
 */
export async function replaceRepositories(
  tx: Tx,
  workspaceId: string,
  teamId: string,
  repositories: readonly (TeamRepository & { url?: string | null })[],
): Promise<readonly TeamRepository[]> {
  const before = await selectRepositories(tx, workspaceId, { teamId })
  const stay = before.filter((former) => repositories.some((one) => isAsBefore(former, one)))
  const names = stay.map(({ name }) => name)
  await deleteRepositories(tx, workspaceId, teamId, names)
  for (const repository of repositories.filter(({ name }) => !names.includes(name)))
    await insertRepository(tx, workspaceId, teamId, { ...repository, ...insideAsBefore(before, repository) })
  return before
}

const isAsBefore = (former: TeamRepository, now: TeamRepository): boolean =>
  (['name', 'host', 'address', 'branch', 'connectionId', 'remoteId'] as const).every(
    (field) => former[field] === now[field],
  )

/** A repository that stays keeps what its work runs in, by whatever name it goes now. */
function insideAsBefore(
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
