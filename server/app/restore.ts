import { existsSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { eraseAgain } from '../domain/installation/erasure/erase-again.ts'
import { type Settled, settleRestore } from '../domain/installation/restores/settle.ts'
import { newestCheckpoints } from '../domain/record/seals/newest-checkpoints.ts'
import { sealAll } from '../domain/record/seals/seal.ts'
import { isServerRunning } from '../domain/record/seals/server-running.ts'
import { type LogReport, verifyLog } from '../domain/record/seals/verify-log.ts'
import { readArchive } from '../infra/backup/archive.ts'
import { type DatabaseManifest, readManifest } from '../infra/backup/contents.ts'
import { copyIn, finishRestore, NotEmpty } from '../infra/backup/copy-in.ts'
import { BrokenArchive, type TarEntry } from '../infra/backup/tar.ts'
import { type Clock, systemClock } from '../infra/clock.ts'
import { refuseUnknownMigrations } from '../infra/db/migrate.ts'
import { silentQueue } from '../infra/jobs/queue.ts'
import type { Logger } from '../infra/log.ts'
import { secretsFrom } from '../infra/secrets.ts'
import { type KeptSecrets, readBackSecrets } from './backup.ts'
import { CheckpointLog, checkpointFile } from './checkpoint-log.ts'
import type { Config } from './config.ts'
import { appendToDataFile, createSecretFile } from './data-file.ts'
import { ErasedPeople, erasedIn, erasedPeopleFile } from './erased-people.ts'
import { operator } from './operator.ts'
import { previousKeyFile, readPreviousKey, readSecretKey, secretKeyFile } from './secret-keys.ts'
import { borrowDatabase, openStorage, type Storage, StorageError } from './storage.ts'

export interface RestoreOptions {
  log: Logger
  clock?: Clock
  passphrase: string | null
  /** The part with the rows. */
  database: AsyncIterable<Buffer>
  /** The part with the key; null: the key is configured. */
  secrets: AsyncIterable<Buffer> | null
  /** Whether every team is paused, so that no agent starts before someone has looked. */
  pauseTeams: boolean
}

export interface RestoreResult {
  takenAt: Date
  restoredAt: Date
  rows: number
  settled: Settled
  /** People whom the backup had brought back, although they had been erased. */
  erasedAgain: number
  /** What verifying the audit log found. */
  log: LogReport
}

/**
 * Restores a backup into the configured database, which must be empty, and the data folder. Whatever can be refused is
 * refused before anything is written. The embedded database is made for it, and is gone again when it fails.
 */
export async function restoreBackup(config: Config, options: RestoreOptions): Promise<RestoreResult> {
  const { log, clock = systemClock, passphrase } = options
  await refuseUsedDataFolder(config)
  const kept = options.secrets && (await readBackSecrets(options.secrets, passphrase))
  const { manifest, entries } = await peekManifest(readArchive(options.database, passphrase))
  await refuseUnknownMigrations(manifest.migrations)
  await refuseOtherKey(config, kept, manifest)
  const wasThere = existsSync(config.dataDir)
  try {
    const { connection, close } = await borrowDatabase(config, log)
    try {
      const { end } = await copyIn(connection, entries)
      await putSecrets(config, kept)
      const storage = await openStorage(config, log, 'command', { isRestoring: true })
      try {
        const done = await settle(config, storage, clock, {
          backup: manifest.id,
          takenAt: new Date(manifest.takenAt),
          pauseTeams: options.pauseTeams,
        })
        await finishRestore(connection)
        const rows = Object.values(end.tables).reduce((total, one) => total + one.rows, 0)
        return { ...done, rows }
      } finally {
        await storage.close()
      }
    } finally {
      await close()
    }
  } catch (error) {
    if (!config.databaseUrl && !(error instanceof NotEmpty)) await clear(config.dataDir, wasThere)
    throw error
  }
}

/** For a database that was set back in another way, such as to a point in time: what a restore does after the rows. */
export async function recordRestore(
  config: Config,
  { log, takenAt, pauseTeams }: { log: Logger; takenAt: Date; pauseTeams: boolean },
): Promise<Omit<RestoreResult, 'rows'>> {
  const storage = await openStorage(config, log, 'command')
  try {
    if (await isServerRunning(storage.db))
      throw new StorageError('A server is running on this database. Stop every node first.')
    return await settle(config, storage, systemClock, { backup: null, takenAt, pauseTeams })
  } finally {
    await storage.close()
  }
}

async function settle(
  config: Config,
  { db, secrets }: Storage,
  clock: Clock,
  about: { backup: string | null; takenAt: Date; pauseTeams: boolean },
): Promise<Omit<RestoreResult, 'rows'>> {
  const by = { db, clock, queue: silentQueue, channel: 'operator' as const, actor: operator() }
  // The log ends with what was recorded before, sealed; its end is in the signed entry.
  await sealAll(db, secrets.signing, clock)
  const restoredAt = clock.now()
  const settled = await settleRestore(by, secrets.signing, about)
  const erasedAgain = await eraseAgain(
    by,
    (await new ErasedPeople(config.dataDir).read()).map(({ id }) => id),
  )
  await sealAll(db, secrets.signing, clock)
  const checkpoints = new CheckpointLog(config.dataDir)
  const knownCheckpoints = await checkpoints.read()
  await checkpoints.append(await newestCheckpoints(db), clock.now())
  const log = await verifyLog(db, secrets.signing.publicKey, { now: clock.now(), knownCheckpoints })
  return { takenAt: about.takenAt, restoredAt, settled, erasedAgain, log }
}

/**
 * Beside an own database, the folder of a node holds little, and its checkpoints are worth keeping. Who was erased is to
 * be put there before.
 */
async function refuseUsedDataFolder({ dataDir, databaseUrl }: Config): Promise<void> {
  if (databaseUrl) return
  const entries = await readdir(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  if (entries.some((entry) => entry !== path.basename(erasedPeopleFile(dataDir))))
    throw new NotEmpty(
      `The data folder ${dataDir} is not empty. Set DATA_DIR to a new folder, so that nothing is overwritten.`,
    )
}

async function peekManifest(
  archive: AsyncGenerator<TarEntry>,
): Promise<{ manifest: DatabaseManifest; entries: AsyncIterable<TarEntry> }> {
  const first = await archive.next()
  if (first.done) throw new BrokenArchive('The file is not a backup of Signalbox.')
  const manifest = readManifest(first.value, 'database') as DatabaseManifest
  async function* entries() {
    yield first.value as TarEntry
    yield* archive
  }
  return { manifest, entries: entries() }
}

async function refuseOtherKey(
  config: Config,
  kept: KeptSecrets | null,
  { fingerprint }: DatabaseManifest,
): Promise<void> {
  const file = path.join(config.dataDir, secretKeyFile)
  const there = await readSecretKey({ ...config, secretKey: null })
  const secretKey = config.secretKey ?? there ?? kept?.secretKey
  const previous = (await readPreviousKey(config)) ?? kept?.previousKey
  if (!secretKey)
    throw new StorageError(
      'A backup needs the SECRET_KEY of its server. Set SECRET_KEY, or name the file with the secrets of the backup.',
    )
  if (!secretsFrom(secretKey, previous).known.includes(fingerprint))
    throw new StorageError(
      `The backup was made with a different key than the one in ${config.secretKey ? 'SECRET_KEY' : there ? file : 'the secrets'}. Use the key of the server that it is from.`,
    )
}

/** Also the checkpoints: those that are there already, newer than the backup, stay. */
async function putSecrets(config: Config, kept: KeptSecrets | null): Promise<void> {
  if (!kept) return
  const put = async (name: string, given: string | null, key: string | null) => {
    const file = path.join(config.dataDir, name)
    if (given === null && key !== null && !existsSync(file)) await createSecretFile(file, `${key}\n`)
  }
  await put(secretKeyFile, config.secretKey, kept.secretKey)
  await put(previousKeyFile, config.secretKeyPrevious, kept.previousKey)
  const checkpoints = checkpointFile(config.dataDir)
  const there = existsSync(checkpoints) ? await readFile(checkpoints, 'utf8') : ''
  const known = new Set(there.split('\n'))
  const missing = kept.checkpoints.split('\n').filter((line) => line !== '' && !known.has(line))
  if (missing.length > 0) await appendToDataFile(checkpoints, missing.map((line) => `${line}\n`).join(''))
  await new ErasedPeople(config.dataDir).add(erasedIn(kept.erased))
}

/** It was empty before: what is there now is ours, except who was erased. A second attempt finds it as it was. */
async function clear(dataDir: string, wasThere: boolean): Promise<void> {
  if (!wasThere) return rm(dataDir, { recursive: true, force: true })
  const kept = path.basename(erasedPeopleFile(dataDir))
  for (const entry of (await readdir(dataDir)).filter((name) => name !== kept))
    await rm(path.join(dataDir, entry), { recursive: true, force: true })
}
