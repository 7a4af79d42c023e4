import { parentPort, workerData } from 'node:worker_threads'
import { type Guarding, guard } from '@signalbox/contract/guard/guard.ts'
import type { ReadChange, Unreadable } from '../../domain/ports/change-reader.ts'
import { openBundle, whyUnreadable } from './open-bundle.ts'

/** The thread in which one bundle is looked at; bundle-reader.ts starts it. */

export interface Question extends Guarding {
  /** Empty, and thrown away afterwards. */
  folder: string
  bytes: Uint8Array
}

export type Answer = ReadChange | Unreadable

/** Of the diff that people are shown. */
const mostOfADiff = 16_000_000

async function look({ folder, bytes, ...guarding }: Question): Promise<Answer> {
  const { base, head } = guarding
  try {
    const { objects, tree, commits, outside } = await openBundle(folder, Buffer.from(bytes), { base, head })
    // A thread is handed bytes as such.
    const pinned = new Map([...guarding.pinned].map(([path, content]) => [path, Buffer.from(content)]))
    const guarded = await guard(objects, { ...guarding, pinned })
    const all = await objects.changes(base, head)
    const changed = new Set(guarded.change.paths)
    const pinnedPaths = all.map(({ path }) => path).filter((path) => !changed.has(path))
    const diff = await objects.diff(base, head, mostOfADiff)
    return { ...guarded, tree, commits, outside, pinnedPaths, diff }
  } catch (error) {
    const unreadable = whyUnreadable(error)
    if (unreadable === null) throw error
    return { unreadable }
  }
}

parentPort!.postMessage(await look(workerData as Question))
