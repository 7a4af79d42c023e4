import type { Clock } from '../../../infra/clock.ts'
import type { Db } from '../../../infra/db/db.ts'
import type { PullRequests } from '../../ports/pull-requests.ts'
import { housekeeping } from '../../record/audit/change.ts'
import {
  closeOthersOfRun,
  insertPullRequest,
  lockNumbers,
  selectOpenReverts,
  selectPullRequest,
  updateClosed,
  updateHead,
  updateMerged,
} from './store.ts'

/**
 * Pull requests for hosts that have none of their own. What they lead to is told by the step of the run, with its entry
 * in the log: these rows are the host's memory.
 */
export const keepPullRequests = ({ db, clock }: { db: Db; clock: Clock }): PullRequests => ({
  find: async (workspaceId, repository, number) =>
    (await selectPullRequest(db, workspaceId, repository, { number })) ?? null,

  open: (workspaceId, repository, wanted) =>
    housekeeping(db, 'keep a pull request', async (tx) => {
      const { branch } = wanted
      const at = clock.now()
      await lockNumbers(tx, workspaceId, repository)
      const open = await selectPullRequest(tx, workspaceId, repository, { branch })
      if (open) await updateHead(tx, workspaceId, repository, open.number, wanted)
      else {
        await closeOthersOfRun(tx, workspaceId, repository, wanted, at)
        await insertPullRequest(tx, workspaceId, repository, wanted, at)
      }
      return (await selectPullRequest(tx, workspaceId, repository, { branch }))!
    }),

  openReverts: (workspaceId, repository) => selectOpenReverts(db, workspaceId, repository),

  close: (workspaceId, repository, number, why) =>
    housekeeping(db, 'keep that a pull request is closed', (tx) =>
      updateClosed(tx, workspaceId, repository, number, why, clock.now()),
    ),

  markMerged: (workspaceId, repository, number, commit) =>
    housekeeping(db, 'keep that a pull request is merged', (tx) =>
      updateMerged(tx, workspaceId, repository, number, commit, clock.now()),
    ),
})
