import type { Db, Tx } from '../../infra/db/db.ts'
import type { TeamRepository } from '../ports/git-host.ts'
import { selectRepositories } from './store.ts'

/**
 * Where a team's code is: the repository of that name, else the first of its repositories by name. Null: nobody has said,
 * or it is not the team's any more.
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

/** The same, for whoever knows the team by its slug. */
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
