import type { Db, Tx } from '../../../infra/db/db.ts'
import type { TeamRepository } from '../../ports/git-host.ts'
import { selectRepositories } from './store.ts'

/**
 * Where a team's code is: the repository of that name, else the first of its repositories by name. Null: no one has set
 * one, or it is no longer the team's.
 */
export async function teamRepository(
  db: Db | Tx,
  workspaceId: string,
  teamId: string,
  name: string | null = null,
): Promise<TeamRepository | null> {
  const all = await selectRepositories(db, workspaceId, { teamId })
  return (name === null ? all[0] : all.find((one) => one.name === name)) ?? null
}

/** All of a team's repositories, by name. */
export const teamRepositories = (
  db: Db | Tx,
  workspaceId: string,
  teamId: string,
): Promise<readonly TeamRepository[]> => selectRepositories(db, workspaceId, { teamId })

/** The same, for callers that know the team by its slug. */
export const repositoryOf = async (
  db: Db,
  workspaceId: string,
  team: string,
  name?: string,
): Promise<TeamRepository | null> => {
  const all = await selectRepositories(db, workspaceId, { team })
  return (name === undefined ? all[0] : all.find((one) => one.name === name)) ?? null
}

export const repositoriesOf = (
  db: Db,
  workspaceId: string,
  team: string,
): Promise<readonly TeamRepository[]> => selectRepositories(db, workspaceId, { team })

/**
 * The team's repository with that name or address, or its first one for null. Other teams' repositories are not found.
 */
export async function repositoryWith(
  db: Db,
  workspaceId: string,
  team: string,
  named: string | null,
): Promise<TeamRepository | null> {
  const all = await selectRepositories(db, workspaceId, { team })
  const known = (one: TeamRepository) => [one.name, one.address].map((text) => text.replace(/\.git$/, ''))
  return (
    (named === null ? all[0] : all.find((one) => known(one).includes(named.replace(/\.git$/, '')))) ?? null
  )
}
