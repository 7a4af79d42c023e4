import type { Tx } from '../../../infra/db/db.ts'
import { emptyFrontier, rootOf } from '../../../infra/merkle.ts'
import type { Secrets } from '../../../infra/secrets.ts'
import { signRestored } from './restore-note.ts'
import { newestCheckpoint } from './store.ts'

/** Signs that the log of a workspace goes on from where it is now, and that what was recorded after `takenAt` is lost. */
export async function noteRestored(
  tx: Tx,
  signing: Secrets['signing'],
  workspaceId: string,
  { takenAt, restoredAt }: { takenAt: Date; restoredAt: Date },
): Promise<{ entries: number; signedNote: string }> {
  const newest = await newestCheckpoint(tx, workspaceId)
  const { size, root } = newest ?? { size: 0, root: rootOf(emptyFrontier()) }
  const signedNote = signRestored({ workspaceId, size, root, takenAt, restoredAt }, signing.privateKey)
  return { entries: size, signedNote }
}
