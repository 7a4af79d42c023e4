import type { Context } from '../../context.ts'
import { type RepositoryPullRequest, selectPullRequests } from './store.ts'

/** The pull requests of a run in several repositories, in the order in which they are merged; none of a run in one. */
export const readPullRequests = (
  { db, workspaceId }: Context,
  key: string,
): Promise<readonly RepositoryPullRequest[]> => selectPullRequests(db, workspaceId, key)
