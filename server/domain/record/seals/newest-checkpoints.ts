import type { Db } from '../../../infra/db/db.ts'
import { newestNotesOfAllWorkspaces } from './store.ts'

/** The newest signed checkpoint of every workspace: what is worth keeping outside the database. */
export async function newestCheckpoints(db: Db): Promise<string[]> {
  return newestNotesOfAllWorkspaces(db)
}
