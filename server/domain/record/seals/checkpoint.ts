import type { KeyObject } from 'node:crypto'
import { isSignedWith, openNote, signNote } from '../../../infra/signed-note.ts'
import type { LogKeys } from './log-keys.ts'

/** What a signature attests: this workspace's log had this many entries, and they hash to this root. */
export interface Checkpoint {
  workspaceId: string
  size: number
  root: Buffer
}

const form =
  /^signalbox\/audit\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\n(0|[1-9]\d{0,14})\n([A-Za-z0-9+/]{43}=)\n$/

/** Names the log in its checkpoints, and its key in signatures. */
export function originOf(workspaceId: string): string {
  return `signalbox/audit/${workspaceId}`
}

export function signCheckpoint(checkpoint: Checkpoint, ...privateKeys: KeyObject[]): string {
  const origin = originOf(checkpoint.workspaceId)
  return signNote(
    `${origin}\n${checkpoint.size}\n${checkpoint.root.toString('base64')}\n`,
    origin,
    ...privateKeys,
  )
}

/** The checkpoint in a note; throws unless the note is one and this key signed it. */
export function openCheckpoint(note: string, publicKey: KeyObject): Checkpoint {
  const { text, name } = openNote(note, publicKey)
  const checkpoint = readCheckpoint(text)
  if (name !== originOf(checkpoint.workspaceId))
    throw new Error('The checkpoint is signed in the name of another log.')
  return checkpoint
}

/** The same for a log whose key was replaced: any of its keys will do, each as far as it was in use. */
export function openWithAny(note: string, keys: LogKeys): Checkpoint {
  const signers = keys.filter(({ publicKey }) => isSignedWith(note, publicKey))
  for (const { publicKey, until } of signers) {
    const checkpoint = openCheckpoint(note, publicKey)
    if (until === null || checkpoint.size <= until) return checkpoint
  }
  if (signers.length > 0)
    throw new Error('The note is signed with an old key of this log, which had been replaced by then.')
  return openCheckpoint(note, keys[0].publicKey)
}

/** Whether the note is exactly this checkpoint, signed with this key. */
export function isSigned(note: string, checkpoint: Checkpoint, publicKey: KeyObject): boolean {
  try {
    const { workspaceId, size, root } = openCheckpoint(note, publicKey)
    return workspaceId === checkpoint.workspaceId && size === checkpoint.size && root.equals(checkpoint.root)
  } catch {
    return false
  }
}

/** The checkpoint that the text of a note describes. */
export function readCheckpoint(text: string): Checkpoint {
  const [, workspaceId, size, root] = form.exec(text) ?? []
  if (!workspaceId || !size || !root) throw new Error('This is not a checkpoint of an audit log.')
  return { workspaceId, size: Number(size), root: Buffer.from(root, 'base64') }
}
