import type { KeyObject } from 'node:crypto'
import { readVerifierKey } from '../../../infra/signed-note.ts'
import { type Checkpoint, openWithAny, originOf } from './checkpoint.ts'
import { followKeys } from './log-keys.ts'

/** What a file brings with it to be checked without us. */
interface Sealed {
  workspace: string
  checkpoint: string
  key: string
  keyChanges?: readonly string[] | undefined
}

/**
 * The checkpoint in a file; throws unless it is signed with the trusted key, or with one that signed notes in the file
 * lead to from there. Without a key of one's own, the one in the file is trusted.
 */
export function openSealed(
  { workspace, checkpoint, key, keyChanges = [] }: Sealed,
  trusted: KeyObject | null,
): Checkpoint {
  const from = trusted ?? readVerifierKey(key).publicKey
  return openWithAny(checkpoint, followKeys(from, keyChanges, originOf(workspace), { successors: true }))
}
