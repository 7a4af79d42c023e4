import type { KeyObject } from 'node:crypto'
import { openNote, readVerifierKey, signNote, textOf, verifierKey } from '../../../infra/signed-note.ts'

/** A key that a log is or was signed with. */
interface LogKey {
  publicKey: KeyObject
  /** The last size that it alone could sign for; null: it was not replaced, as far as is known. */
  until: number | null
}

export type LogKeys = readonly [LogKey, ...LogKey[]]

/** That the key of a log was replaced when it had this many entries, with this root. */
export interface KeyChange {
  /** Names the log, in the form of its checkpoints. */
  origin: string
  size: number
  root: Buffer
  at: Date
}

const form = /^signalbox\/key-change\n(\S+)\n(\S+)\n(\S+)\n(0|[1-9]\d{0,14})\n[A-Za-z0-9+/]{43}=\n\S{24}\n$/

/**
 * Signed with both keys: the new one vouches for what the old one has signed up to here, and for nothing after it; the
 * old one says which key comes next. So a check with either of them follows to the other.
 */
export function signKeyChange(
  { origin, size, root, at }: KeyChange,
  before: { privateKey: KeyObject; publicKey: KeyObject },
  after: { privateKey: KeyObject; publicKey: KeyObject },
): string {
  const keys = [before, after].map(({ publicKey }) => verifierKey(origin, publicKey))
  const lines = ['signalbox/key-change', origin, ...keys, size, root.toString('base64'), at.toISOString()]
  return signNote(`${lines.join('\n')}\n`, origin, after.privateKey, before.privateKey)
}

interface Opened {
  before: KeyObject
  after: KeyObject
  size: number
}

/** Null unless both keys that it names have signed it, in the name of this log. */
function openKeyChange(note: string, origin: string): Opened | null {
  try {
    const [, of, old, next, size] = form.exec(textOf(note)) ?? []
    if (of !== origin || !old || !next) return null
    const [before, after] = [readVerifierKey(old), readVerifierKey(next)]
    const isOurs = [before, after].every(
      ({ name, publicKey }) => name === origin && openNote(note, publicKey).name === origin,
    )
    return isOurs ? { before: before.publicKey, after: after.publicKey, size: Number(size) } : null
  } catch {
    return null
  }
}

/**
 * The keys that a log was signed with, from one that is trusted: its predecessors, each up to where it was replaced. With
 * `successors`, for a check elsewhere that was given an old key, also those that came after it. Never from a predecessor
 * forward: an old key may have got into other hands, which could name any next one.
 */
export function followKeys(
  trusted: KeyObject,
  notes: readonly string[],
  origin: string,
  { successors = false }: { successors?: boolean } = {},
): LogKeys {
  const changes = notes.flatMap((note) => openKeyChange(note, origin) ?? [])
  const keys: [LogKey, ...LogKey[]] = [{ publicKey: trusted, until: null }]
  const isKnown = (key: KeyObject) => keys.some(({ publicKey }) => publicKey.equals(key))
  const walk = (from: LogKey, onward: boolean) => {
    for (const { before, after, size } of changes) {
      const [here, other] = onward ? [before, after] : [after, before]
      if (!here.equals(from.publicKey) || isKnown(other)) continue
      const found = { publicKey: other, until: onward ? null : size }
      if (onward) from.until = size
      keys.push(found)
      walk(found, onward)
    }
  }
  walk(keys[0], false)
  if (successors) walk(keys[0], true)
  return keys
}
