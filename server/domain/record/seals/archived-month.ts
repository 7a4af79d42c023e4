import { createHash, type KeyObject } from 'node:crypto'
import { openNote, signNote } from '../../../infra/signed-note.ts'
import { originOf } from './checkpoint.ts'
import type { LogKeys } from './log-keys.ts'

/** That the entries of a month are in a file: this many, with these hashes, in a log of this size and root. */
export interface ArchivedMonth {
  workspaceId: string
  /** Such as 2026-05, in UTC. */
  month: string
  entries: number
  digest: string
  size: number
  root: Buffer
  at: Date
}

const form =
  /^signalbox\/archived\/([0-9a-f-]{36})\n(\d{4}-\d{2})\n([1-9]\d{0,14})\n([A-Za-z0-9+/]{43}=)\n([1-9]\d{0,14})\n([A-Za-z0-9+/]{43}=)\n(\S{24})\n$/

/**
 * Signed with the key of the log: a person who can write to the database could delete a month and add a row that says it
 * was archived.
 */
export function signArchivedMonth(archived: ArchivedMonth, ...privateKeys: KeyObject[]): string {
  const { workspaceId, month, entries, digest, size, root, at } = archived
  const lines = [`signalbox/archived/${workspaceId}`, month, entries, digest, size, root.toString('base64')]
  return signNote(`${[...lines, at.toISOString()].join('\n')}\n`, originOf(workspaceId), ...privateKeys)
}

/** Null unless a key of this log signed it, while that key was in use. */
export function openArchivedMonth(note: string, workspaceId: string, keys: LogKeys): ArchivedMonth | null {
  for (const { publicKey, until } of keys) {
    const archived = openedWith(note, workspaceId, publicKey)
    if (archived && (until === null || archived.size <= until)) return archived
  }
  return null
}

function openedWith(note: string, workspaceId: string, publicKey: KeyObject): ArchivedMonth | null {
  try {
    const { text, name } = openNote(note, publicKey)
    const [, of, month, entries, digest, size, root, at] = form.exec(text) ?? []
    if (of !== workspaceId || name !== originOf(workspaceId)) return null
    return {
      ...{ workspaceId, month: month!, entries: Number(entries), digest: digest! },
      ...{ size: Number(size), root: Buffer.from(root!, 'base64'), at: new Date(at!) },
    }
  } catch {
    return null
  }
}

/** How many entries a month has, and a digest of their hashes in the order of the log. */
export class MonthTally {
  readonly #hash = createHash('sha256')
  entries = 0

  add(leaf: Buffer): void {
    this.#hash.update(leaf)
    this.entries += 1
  }

  digest(): string {
    return this.#hash.copy().digest('base64')
  }
}
