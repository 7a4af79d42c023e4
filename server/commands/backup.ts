import { hostname } from 'node:os'
import path from 'node:path'
import type { Asked } from '@signalbox/contract/command-line.ts'
import type { ClientConfig } from 'pg'
import { type BackupPart, type MadeBackup, makeBackup, whyNoBackupFolder, writePart } from '../app/backup.ts'
import { readConfig } from '../app/config.ts'
import { operator } from '../app/operator.ts'
import { borrowDatabase, requireDatabase } from '../app/storage.ts'
import type { CopiedBy } from '../domain/installation/backups/entries.ts'
import { recordBackup } from '../domain/installation/backups/record.ts'
import { systemClock } from '../infra/clock.ts'
import { openDatabase } from '../infra/db/db.ts'
import { schemaCheck } from '../infra/db/schema.ts'
import { newId } from '../infra/ids.ts'
import { silentQueue } from '../infra/jobs/queue.ts'
import { createLog } from '../infra/log.ts'
import type { backupLine } from './command-lines.ts'
import { passphraseFrom } from './passphrase.ts'
import { print, printJson } from './print.ts'
import { UsageError } from './usage-error.ts'

/** Makes a backup while the server runs, or while it does not. The database is not migrated: it may be older than this. */
export async function run({ values, positionals }: Asked<typeof backupLine>): Promise<void> {
  const config = readConfig(process.env)
  const passphrase = await passphraseFrom(values['passphrase-file'], config)
  const folder = positionals[0]! === '-' ? null : path.resolve(positionals[0]!)
  if (folder === null && process.stdout.isTTY)
    throw new UsageError('Standard output is a terminal. Send it to a file or to another program.')
  // Before anything is begun, and noted: the last backup did not fail because the next was asked for wrongly.
  const wrong = folder === null ? null : await whyNoBackupFolder(folder)
  if (wrong) throw new UsageError(wrong)
  requireDatabase(config)
  const log = createLog({ level: 'warn' })
  const { connection, close } = await borrowDatabase(config, log)
  try {
    const make = (id: string) =>
      folder === null
        ? toStdout({ config, connection, id, passphrase }, values.only as BackupPart)
        : makeBackup({ config, connection, id, passphrase }, folder)
    const made = await recorded(
      connection,
      {
        ...{ part: folder === null ? (values.only as BackupPart) : 'all', place: folder },
        ...{ encrypted: passphrase !== null, host: hostname(), by: operator() },
      },
      make,
    )
    if (folder === null) return
    if (values.json) printJson({ folder, encrypted: passphrase !== null, ...made })
    else for (const line of toldOf(folder, made, passphrase !== null)) print(line)
  } finally {
    await close()
  }
}

async function toStdout(source: Parameters<typeof writePart>[0], part: BackupPart): Promise<MadeBackup> {
  const made = await writePart(source, part, process.stdout)
  return made ?? { id: source.id, takenAt: new Date(), bytes: 0, rows: 0, tables: 0 }
}

/** Where the database knows of backups: one that is older than this version may not. */
async function recorded(
  connection: ClientConfig,
  about: CopiedBy,
  make: (id: string) => Promise<MadeBackup>,
): Promise<MadeBackup> {
  const database = openDatabase({ connection, connections: 2, asAppRole: false, onError: () => {} })
  try {
    const isKnown = await (await schemaCheck(database.db))().then(
      (difference) => difference === null,
      () => false,
    )
    if (!isKnown) return await make(newId(new Date()))
    const { db } = database
    return await recordBackup({ db, clock: systemClock, queue: silentQueue }, about, make)
  } finally {
    await database.close()
  }
}

function toldOf(folder: string, { rows, bytes, takenAt }: MadeBackup, isEncrypted: boolean): string[] {
  const size = `${rows.toLocaleString('en')} rows, ${(bytes / 1_000_000).toFixed(1)} MB`
  return [
    `Backed up to ${folder} as of ${takenAt.toISOString()}: ${size}, read back and complete.`,
    ...(isEncrypted
      ? []
      : [
          'It is not encrypted, and the file with the secrets holds SECRET_KEY. Keep the two files apart, or set BACKUP_PASSPHRASE.',
        ]),
  ]
}
