import type { Db } from '../../../infra/db/db.ts'
import { monthOf } from '../audit/month.ts'
import { checkpointCovering, type LeafWithEntry, leavesWithEntries, type StoredCheckpoint } from './store.ts'

const leavesPerRead = 2_000

/** The leaves of a month with their entries, by position; those of other months in between are left out. */
export async function* monthLeaves(
  db: Db,
  workspaceId: string,
  { month, first, last }: { month: string; first: number; last: number },
): AsyncGenerator<LeafWithEntry> {
  for (let from = first; from <= last; from += leavesPerRead) {
    const window = { from, to: Math.min(from + leavesPerRead, last + 1) }
    for (const leaf of await leavesWithEntries(db, workspaceId, window))
      if (monthOf(leaf.entry_id) === month) yield leaf
  }
}

/** The first checkpoint that covers the position, if there is one. */
export const checkpointOver = (
  db: Db,
  workspaceId: string,
  position: number,
): Promise<StoredCheckpoint | undefined> => checkpointCovering(db, workspaceId, position)
