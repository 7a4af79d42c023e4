import type { Tx } from '../../../infra/db/db.ts'
import { firstIdAt } from '../../../infra/ids.ts'
import {
  deleteFilesOfRun,
  deleteUnused,
  lockFiles,
  lockRunsWithOldFiles,
  markEvidence,
  markFilesRemoved,
  subtractFromWorkspace,
} from './old-store.ts'

/** In one transaction. A run that begins below the limit is taken whole. */
const mostAtATime = { runs: 100, bytes: 500_000_000 }

/**
 * Removes files of runs that ended before then: bundles, diffs and what else was uploaded. What was signed about a run
 * stays. A file that another run has too stays for that one. Returns how many files the runs have lost.
 */
export async function removeOldFiles(
  tx: Tx,
  workspaceId: string,
  { before, now }: { before: Date; now: Date },
  most = mostAtATime,
): Promise<number> {
  let count = 0
  let bytes = 0
  const old = { before, beforeId: firstIdAt(before), most: most.runs }
  for (const runId of await lockRunsWithOldFiles(tx, workspaceId, old)) {
    if (bytes >= most.bytes) break
    await markEvidence(tx, workspaceId, runId)
    const files = await deleteFilesOfRun(tx, workspaceId, runId)
    if (files.length === 0) continue
    // Two statements: the transaction that was waited for may have given a file to another run.
    await lockFiles(tx, workspaceId, files)
    for (const size of await deleteUnused(tx, workspaceId, files)) bytes += size
    await markFilesRemoved(tx, workspaceId, runId, now)
    count += files.length
  }
  // Last, because every upload waits for it.
  if (bytes > 0) await subtractFromWorkspace(tx, workspaceId, bytes)
  return count
}
