import type { Tx } from '../../../infra/db/db.ts'
import { emptyFrontier, rootOf } from '../../../infra/merkle.ts'
import type { SigningKey } from '../../../infra/secrets.ts'
import { originOf } from './checkpoint.ts'
import { signKeyChange } from './log-keys.ts'
import { insertKeyChange, newestCheckpoint } from './store.ts'

/** Signs, with both keys, that the log of a workspace goes on with the new one from where it is now. */
export async function changeLogKey(
  tx: Tx,
  workspaceId: string,
  { before, after, at }: { before: SigningKey; after: SigningKey; at: Date },
): Promise<{ entries: number; signedNote: string }> {
  const newest = await newestCheckpoint(tx, workspaceId)
  const { size, root } = newest ?? { size: 0, root: rootOf(emptyFrontier()) }
  const signedNote = signKeyChange({ origin: originOf(workspaceId), size, root, at }, before, after)
  await insertKeyChange(tx, workspaceId, signedNote, at)
  return { entries: size, signedNote }
}
