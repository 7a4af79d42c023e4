import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { isBackupDue } from '../domain/installation/backups/due.ts'
import { recordBackup } from '../domain/installation/backups/record.ts'
import { endQuietly } from '../infra/db/end-quietly.ts'
import { patience } from '../infra/db/timeouts.ts'
import { every } from '../infra/every.ts'
import { makeBackup } from './backup.ts'
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
  return withLock(connection, async () => {
    // Another node may have made it while this one asked.
    if (!(await isBackupDue({ db, clock }, everyMs))) return false
    const place = path.join(dir, nameOf(clock.now()))
    const about = { cause: 'schedule' as const, place, encrypted: passphrase !== null }
    const made = await recordBackup({ db, clock }, about, (id) =>
      makeBackup({ config, connection, id, passphrase }, place, signal),
    )
    log.info({ place, bytes: made.bytes, rows: made.rows }, 'made a backup')
    await deleteOld(dir, keep)
    return true
  })
}

/** Of several nodes one makes it; the others go on. */
async function withLock(connection: pg.ClientConfig, work: () => Promise<boolean>): Promise<boolean> {
  const client = new pg.Client({ ...connection, ...patience, application_name: 'signalbox backup' })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query('select pg_try_advisory_lock($1) as free', [backupLock])
    return rows[0].free ? await work() : false
  } finally {
    await endQuietly(client)
  }
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
