import type { Db, Tx } from '../../infra/db/db.ts'
import { selectTeamRepository, type TeamRepository } from './store.ts'

export type { TeamRepository } from './store.ts'

/** The repository that a team works in: of several, the first by name. */
export const teamRepository = async (
  db: Db | Tx,
  workspaceId: string,
  teamId: string,
): Promise<TeamRepository | null> => (await selectTeamRepository(db, workspaceId, teamId)) ?? null
