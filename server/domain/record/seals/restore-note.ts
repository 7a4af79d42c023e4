import type { KeyObject } from 'node:crypto'
import { openNote, signNote } from '../../../infra/signed-note.ts'
import { originOf } from './checkpoint.ts'

/** That a log was set back, by someone who has the key: to this many entries, from a backup of then, at that time. */
export interface Restored {
  workspaceId: string
  size: number
  root: Buffer
  takenAt: Date
  restoredAt: Date
}

const form =
  /^signalbox\/restored\/([0-9a-f-]{36})\n(0|[1-9]\d{0,14})\n([A-Za-z0-9+/]{43}=)\n(\S{24})\n(\S{24})\n$/

/**
 * The entry alone would not do: a person who can write to the database could add one, and explain away what they have
 * cut off. Signed with the key of the log, in its name.
 */
export function signRestored(restored: Restored, privateKey: KeyObject): string {
  const { workspaceId, size, root, takenAt, restoredAt } = restored
  const lines = [`signalbox/restored/${workspaceId}`, size, root.toString('base64')]
  const times = [takenAt.toISOString(), restoredAt.toISOString()]
  return signNote(`${[...lines, ...times].join('\n')}\n`, originOf(workspaceId), privateKey)
}

/** Null unless this key signed it, for this log. */
export function openRestored(note: string, workspaceId: string, publicKey: KeyObject): Restored | null {
  try {
    const { text, name } = openNote(note, publicKey)
    const [, of, size, root, takenAt, restoredAt] = form.exec(text) ?? []
    if (of !== workspaceId || name !== originOf(workspaceId)) return null
    return {
      workspaceId,
      size: Number(size),
      root: Buffer.from(root!, 'base64'),
      takenAt: new Date(takenAt!),
      restoredAt: new Date(restoredAt!),
    }
  } catch {
    return null
  }
}
