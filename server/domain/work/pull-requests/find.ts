import type { Db } from '../../../infra/db/db.ts'
import { revertPrefix } from '../../ports/pull-requests.ts'
import { selectOpenReverts, selectPullRequest } from './store.ts'

/** A pull request that is kept here, by its number. */
export async function findPullRequest(db: Db, workspaceId: string, repository: string, number: number) {
  const found = await selectPullRequest(db, workspaceId, repository, { number })
  return found && { ...found, isRevert: found.branch.startsWith(revertPrefix) }
}

/** Those that are open and take a merge back, newest first. */
export const openReverts = (db: Db, workspaceId: string, repository: string) =>
  selectOpenReverts(db, workspaceId, repository)
