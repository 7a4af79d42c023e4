import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { lstat, mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Writable } from 'node:stream'
import { whyNoFolder, whyNotWritable } from '@signalbox/contract/folders.ts'
import type { ClientConfig } from 'pg'
import { readArchive, writeArchive } from '../infra/backup/archive.ts'
import {
  checkedContents,
  type DatabaseEnd,
  type DatabaseManifest,
  endName,
  jsonEntry,
  type Manifest,
  manifestName,
  piecesOf,
  readJson,
  readManifest,
} from '../infra/backup/contents.ts'
import { copyOut, type Taken } from '../infra/backup/copy-out.ts'
import type { TarEntry } from '../infra/backup/tar.ts'
import { secretsFrom } from '../infra/secrets.ts'
import { checkpointFile } from './checkpoint-log.ts'
import type { Config } from './config.ts'
import { erasedPeopleFile } from './erased-people.ts'
import { previousKeyFile, readPreviousKey, readSecretKey, secretKeyFile } from './secret-keys.ts'
import { StorageError } from './storage.ts'
import { version } from './version.ts'

/** The parts of a backup, and what their files are called. */
const parts = ['database', 'secrets'] as const
export type BackupPart = (typeof parts)[number]
const fileOf = (part: BackupPart, isEncrypted: boolean) => `${part}.tar.zst${isEncrypted ? '.age' : ''}`

/**
 * Rows of the moment, which say nothing in another installation or would do harm there: who is signed in and who is just
 * about to, which nodes are up, what open pages are told. Migrations are made again.
 */
const leaveOut = [
  'migrations',
  'nodes',
  'audit_news',
  'last_writes',
  'sessions',
  'verifications',
  'device_codes',
]

/** What a backup is made of. */
export interface BackupSource {
  config: Pick<Config, 'dataDir' | 'secretKey' | 'secretKeyPrevious'>
  connection: ClientConfig
  id: string
  passphrase: string | null
}

export interface MadeBackup {
  id: string
  takenAt: Date
  bytes: number
  rows: number
  tables: number
}

/**
 * Makes a backup in a folder that is not there yet, or empty: the database in one file, the secrets in another, so that
 * they can be kept apart. Both are read back before the folder has its name; until then it is called `.unfinished`.
 */
export async function makeBackup(
  source: BackupSource,
  folder: string,
  signal?: AbortSignal,
): Promise<MadeBackup> {
  const wrong = await whyNoBackupFolder(folder)
  if (wrong) throw new StorageError(wrong)
  const { passphrase } = source
  const unfinished = unfinishedOf(folder)
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { recursive: true, mode: 0o700 })
  const file = (part: BackupPart) => path.join(unfinished, fileOf(part, passphrase !== null))
  try {
    // First what the log has at most: its checkpoints are then all of entries that are in the backup.
    const secrets = await writeSecrets(source, toFile(file('secrets')), signal)
    const { taken, used } = await writeDatabase(source, toFile(file('database')), signal)
    signal?.throwIfAborted()
    await readBackSecrets(createReadStream(file('secrets')), passphrase)
    await readBackDatabase(createReadStream(file('database')), passphrase)
    if (existsSync(folder)) await rmdir(folder)
    await rename(unfinished, folder)
    await flush(path.dirname(folder))
    return summary(taken, secrets.bytes + used.bytes)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    throw error
  }
}

/** Writes one part of a backup, such as to standard output; nothing of it can be read back. */
export async function writePart(
  source: BackupSource,
  part: BackupPart,
  to: Writable,
): Promise<MadeBackup | null> {
  if (part === 'secrets') {
    await writeSecrets(source, to)
    return null
  }
  const { taken, used } = await writeDatabase(source, to)
  return summary(taken, used.bytes)
}

const summary = ({ manifest, end }: Taken, bytes: number): MadeBackup => ({
  id: manifest.id,
  takenAt: new Date(manifest.takenAt),
  bytes,
  rows: Object.values(end.tables).reduce((total, { rows }) => total + rows, 0),
  tables: manifest.tables.length,
})

/** Created by us alone, and on the disk when it is closed. */
const toFile = (file: string) => createWriteStream(file, { mode: 0o600, flags: 'wx', flush: true })

async function flush(folder: string): Promise<void> {
  // Not every system lets a folder be flushed.
  const handle = await open(folder).catch(() => null)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

/** It becomes the backup by being renamed, so the folder around it is what has to be writable. */
const unfinishedOf = (folder: string) => `${folder}.unfinished`

/** Why no backup can be made in a folder, and what to name instead; null: one can. Nothing is touched to find out. */
export async function whyNoBackupFolder(folder: string): Promise<string | null> {
  const another = 'Name a folder on a disk.'
  for (const one of [folder, unfinishedOf(folder)]) {
    const wrong = whyNoFolder(one)
    if (wrong) return `${one} ${wrong}. ${another}`
  }
  const around = path.dirname(folder)
  const locked = whyNotWritable(around)
  if (locked) return `${around} ${locked}. Let this account write to it, or name a folder elsewhere.`
  try {
    if ((await readdir(folder)).length > 0)
      return `The folder ${folder} is not empty. Name a new one: each backup has its own.`
    if ((await lstat(folder)).isSymbolicLink()) return `${folder} is a link. Name the folder itself.`
    if ((await lstat(folder)).dev !== (await stat(around)).dev)
      return `${folder} is where a disk is mounted. Name a new folder in it.`
    return null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? null : `${folder} cannot be read (${code}). ${another}`
  }
}

function writeDatabase(
  { connection, id, passphrase, config }: BackupSource,
  to: Writable,
  signal?: AbortSignal,
) {
  const options = { about: { id, version }, leaveOut }
  return copyOut(connection, options, (entries) =>
    writeArchive(refusingOtherKey(entries, config), passphrase, to, signal),
  )
}

/** A backup whose secrets do not fit its database would be noticed when it is needed. */
async function* refusingOtherKey(
  entries: AsyncIterable<TarEntry>,
  config: BackupSource['config'],
): AsyncGenerator<TarEntry> {
  const { known } = secretsFrom(await secretKeyOf(config), await readPreviousKey(config))
  for await (const entry of entries) {
    if (entry.name === manifestName && !known.includes(readJson<Manifest>(entry).fingerprint))
      throw new StorageError(
        'This database was set up with another SECRET_KEY. Set SECRET_KEY to the key of the server, or DATA_DIR to its data folder.',
      )
    yield entry
  }
}

async function writeSecrets(
  source: BackupSource,
  to: Writable,
  signal?: AbortSignal,
): Promise<{ bytes: number }> {
  return writeArchive(secretEntries(source), source.passphrase, to, signal)
}

const checkpointsName = 'audit-checkpoints'
const erasedName = 'erased-people'

async function* secretEntries({ config, id }: BackupSource): AsyncGenerator<TarEntry> {
  const secretKey = await secretKeyOf(config)
  const { fingerprint } = secretsFrom(secretKey)
  const takenAt = new Date().toISOString()
  yield jsonEntry(manifestName, { format: 1, part: 'secrets', id, takenAt, version, fingerprint })
  yield { name: secretKeyFile, bytes: Buffer.from(`${secretKey}\n`) }
  // While it is being replaced, some of the database needs the one before.
  const previous = await readPreviousKey(config)
  if (previous !== null) yield { name: previousKeyFile, bytes: Buffer.from(`${previous}\n`) }
  const file = checkpointFile(config.dataDir)
  if (existsSync(file)) yield* piecesOf(checkpointsName, 'jsonl', createReadStream(file))
  const erased = erasedPeopleFile(config.dataDir)
  if (existsSync(erased)) yield* piecesOf(erasedName, 'jsonl', createReadStream(erased))
}

/** It is never made here: a new one would fit nothing. */
async function secretKeyOf(config: BackupSource['config']): Promise<string> {
  const key = await readSecretKey(config)
  if (key !== null) return key
  throw new StorageError(
    `There is no secret.key in ${config.dataDir}. Set DATA_DIR to the data folder of the server, or SECRET_KEY.`,
  )
}

/** What the secrets of a backup hold. */
export interface KeptSecrets {
  manifest: Manifest
  secretKey: string
  /** The one before, if it was being replaced. */
  previousKey: string | null
  /** The lines of the checkpoint log. */
  checkpoints: string
  /** The lines that say who was erased. */
  erased: string
}

export async function readBackSecrets(
  source: AsyncIterable<Buffer>,
  passphrase: string | null,
): Promise<KeptSecrets> {
  let manifest: Manifest | undefined
  let secretKey: string | undefined
  let previousKey: string | null = null
  const lines: Buffer[] = []
  const erased: Buffer[] = []
  for await (const entry of readArchive(source, passphrase)) {
    manifest ??= readManifest(entry, 'secrets')
    if (entry.name === secretKeyFile) secretKey = entry.bytes.toString().trim()
    if (entry.name === previousKeyFile) previousKey = entry.bytes.toString().trim()
    if (entry.name.startsWith(`${checkpointsName}/`)) lines.push(entry.bytes)
    if (entry.name.startsWith(`${erasedName}/`)) erased.push(entry.bytes)
  }
  if (!manifest || !secretKey || secretsFrom(secretKey).fingerprint !== manifest.fingerprint)
    throw new StorageError('The secrets of the backup are damaged: they hold no key, or another one.')
  return {
    ...{ manifest, secretKey, previousKey },
    checkpoints: Buffer.concat(lines).toString(),
    erased: Buffer.concat(erased).toString(),
  }
}

/** Reads all of it, and fails unless everything is there as it was written. */
export async function readBackDatabase(
  source: AsyncIterable<Buffer>,
  passphrase: string | null,
): Promise<MadeBackup> {
  let manifest: DatabaseManifest | undefined
  let end: DatabaseEnd | undefined
  let bytes = 0
  const counted = async function* () {
    for await (const chunk of source) {
      bytes += chunk.length
      yield chunk
    }
  }
  for await (const entry of checkedContents(readArchive(counted(), passphrase))) {
    manifest ??= readJson<DatabaseManifest>(entry)
    if (entry.name === endName) end = readJson(entry)
  }
  return summary({ manifest: manifest!, end: end! }, bytes)
}

/** The file of a part in the folder of a backup; null: there is none. */
export function findPart(folder: string, part: BackupPart): string | null {
  const files = [false, true].map((isEncrypted) => path.join(folder, fileOf(part, isEncrypted)))
  return files.find((file) => existsSync(file)) ?? null
}
