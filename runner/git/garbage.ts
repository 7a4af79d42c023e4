import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import type { GitStore, Stores } from './store.ts'

export interface Keeping {
  /** What all stores may hold together. */
  quotaBytes: number
  /** A worktree that was not used for so long is removed. */
  idleMs: number
  /**
   * Work and objects that nothing leads to any more are kept for so long; at least a day, since some are being written.
   */
  keepMs: number
  now: Date
}

/** What was done, for the log. */
export interface Collected {
  worktrees: number
  stores: number
  bytes: number
}

const hour = 3_600_000
const day = 24 * hour

/**
 * Housekeeping at low priority: what is old goes, and over the quota what was used longest ago. Whatever is in use
 * stays, however much it is.
 */
export async function collectGarbage(stores: Stores, keeping: Keeping): Promise<Collected> {
  const { now, quotaBytes, idleMs } = keeping
  const before = new Date(now.getTime() - Math.max(keeping.keepMs, day))
  const done: Collected = { worktrees: 0, stores: 0, bytes: 0 }
  const idle = async () => {
    const lists = await Promise.all(
      (await stores.all()).map(async (store) => (await store.pool.idle()).map((one) => ({ store, ...one }))),
    )
    return lists.flat().sort((a, b) => a.usedAt - b.usedAt)
  }
  const drop = async ({ store, id }: Awaited<ReturnType<typeof idle>>[number]) => {
    if (await store.pool.drop(id)) done.worktrees += 1
    await store.trash.empty()
  }

  for (const one of await idle()) if (now.getTime() - one.usedAt > idleMs) await drop(one)
  for (const store of await stores.all()) {
    await store.forgetRuns(before)
    await store.trash.empty()
    if (await store.isLoose()) await store.pack(before)
  }
  await stores.trash.empty()

  done.bytes = await bytesOf(await stores.all())
  for (const one of await idle()) {
    if (done.bytes <= quotaBytes) return done
    await drop(one)
    done.bytes = await bytesOf(await stores.all())
  }
  for (const store of await unused(stores, now)) {
    if (done.bytes <= quotaBytes) return done
    await stores.forget(store)
    await stores.trash.empty()
    done.stores += 1
    done.bytes = await bytesOf(await stores.all())
  }
  return done
}

/** Longest ago first. One that was fetched within the hour is about to be used. */
async function unused(stores: Stores, now: Date): Promise<GitStore[]> {
  const all = await Promise.all(
    (await stores.all()).map(async (store) => ({ store, usedAt: await store.usedAt() })),
  )
  return all
    .filter(({ store, usedAt }) => !store.pool.isInUse && now.getTime() - usedAt > hour)
    .sort((a, b) => a.usedAt - b.usedAt)
    .map(({ store }) => store)
}

async function bytesOf(stores: GitStore[]): Promise<number> {
  let bytes = 0
  for (const { folder } of stores) bytes += await sizeOf(folder)
  return bytes
}

/** What it takes on the disk. Files that vanish in the meantime are no error. */
function sizeOf(folder: string): Promise<number> {
  const child = spawn('du', ['-sk', '--', folder], { stdio: ['ignore', 'pipe', 'ignore'] })
  if (child.pid) setPriority(child.pid, constants.priority.PRIORITY_LOW)
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString()
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => resolve((Number.parseInt(printed, 10) || 0) * 1_024))
  })
}
