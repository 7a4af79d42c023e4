import { readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import path from 'node:path'
import { isBackupDue } from '../domain/installation/backups/due.ts'
import { recordBackup } from '../domain/installation/backups/record.ts'
import { every } from '../infra/every.ts'
import { silentQueue } from '../infra/jobs/queue.ts'
import { makeBackup } from './backup.ts'
import { onOneNode } from './on-one-node.ts'
import type { Base, Part } from './parts.ts'

const lookEveryMs = 60_000
/** Held by the node that makes a backup, for as long as it does. */
const backupLock = 4420

/** Makes a backup when one is due, if BACKUP_DIR is set. Stopping breaks off one that is under way. */
export function startBackups(base: Omit<Base, 'metrics'>, lookMs = lookEveryMs): Part {
  const { config, log } = base
  const { dir } = config.backup
  if (dir === null) return { stop: () => {} }
  const stopping = new AbortController()
  const loop = every(lookMs, 'make a backup', log, async () => {
    try {
      await backUpIfDue(base, dir, stopping.signal)
    } catch (error) {
      if (!stopping.signal.aborted) throw error
    }
  })
  return {
    stop() {
      stopping.abort()
      return loop.stop()
    },
  }
}

export async function backUpIfDue(
  { config, clock, storage, log }: Omit<Base, 'metrics'>,
  dir: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const { db, connection } = storage
  const { everyMs, keep, passphrase } = config.backup
  if (!(await isBackupDue({ db, clock }, everyMs))) return false
  const done = await onOneNode(connection, { lock: backupLock, name: 'backup' }, async () => {
    // Another node may have made it while this one asked.
    if (!(await isBackupDue({ db, clock }, everyMs))) return false
    const place = path.join(dir, nameOf(clock.now()))
    const about = {
      ...{ part: 'all' as const, place, encrypted: passphrase !== null },
      ...{ host: hostname(), by: null },
    }
    const made = await recordBackup({ db, clock, queue: silentQueue }, about, (id) =>
      makeBackup({ config, connection, id, passphrase }, place, signal),
    )
    log.info({ place, bytes: made.bytes, rows: made.rows }, 'made a backup')
    await deleteOld(dir, keep)
    return true
  })
  return done ?? false
}

const form = /^signalbox-\d{8}T\d{6}Z$/
const nameOf = (at: Date) => `signalbox-${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`

/** Only what has the name of a backup of ours is deleted: the oldest, and what a killed node has left unfinished. */
async function deleteOld(dir: string, keep: number): Promise<void> {
  const names = await readdir(dir)
  const old = names
    .filter((name) => form.test(name))
    .sort()
    .slice(0, -keep)
  const left = names.filter((name) => name.endsWith('.unfinished') && form.test(name.slice(0, -11)))
  for (const name of [...old, ...left]) await rm(path.join(dir, name), { recursive: true, force: true })
}
