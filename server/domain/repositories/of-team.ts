import type { Db, Tx } from '../../infra/db/db.ts'
import type { TeamRepository } from '../ports/git-host.ts'
import { selectRepositories } from './store.ts'

/** Where a team's code is: the first of its repositories by name; null: nobody has said. */
export const teamRepository = async (
  db: Db | Tx,
  workspaceId: string,
  teamId: string,
): Promise<TeamRepository | null> => (await selectRepositories(db, workspaceId, { teamId }))[0] ?? null

/** The same, for whoever knows the team by its slug. */
export const repositoryOf = async (
  db: Db,
  workspaceId: string,
  team: string,
): Promise<TeamRepository | null> => (await selectRepositories(db, workspaceId, { team }))[0] ?? null
