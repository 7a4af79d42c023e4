import { createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import type { Asked } from '@signalbox/contract/command-line.ts'
import { findPart, type MadeBackup, readBackDatabase, readBackSecrets } from '../app/backup.ts'
import { readConfig } from '../app/config.ts'
import { type RestoreResult, recordRestore, restoreBackup } from '../app/restore.ts'
import { createLog } from '../infra/log.ts'
import type { restoreLine } from './command-lines.ts'
import { passphraseFrom } from './passphrase.ts'
import { print, printJson } from './print.ts'
import { UsageError } from './usage-error.ts'

type Given = Asked<typeof restoreLine>

/** Restores a backup into an empty folder or database, only checks one, or records a restore that was done elsewhere. */
export async function run({ values, positionals }: Given): Promise<void> {
  const config = readConfig(process.env)
  const log = createLog({ level: 'warn' })
  const pauseTeams = !values['keep-running']
  if (values.record !== undefined) {
    const takenAt = new Date(values.record)
    return tell(await recordRestore(config, { log, takenAt, pauseTeams }), values.json)
  }
  const { database, secrets } = await filesOf(values, positionals[0])
  const passphrase = await passphraseFrom(values['passphrase-file'], config)
  if (values.check) {
    if (secrets !== null) await readBackSecrets(opened(secrets), passphrase)
    return tellChecked(await readBackDatabase(opened(database), passphrase), values.json)
  }
  const parts = { database: opened(database), secrets: secrets === null ? null : opened(secrets) }
  tell(await restoreBackup(config, { log, passphrase, pauseTeams, ...parts }), values.json)
}

async function filesOf({ database, secrets }: Given['values'], folder: string | undefined) {
  const files =
    folder === undefined
      ? { database: database!, secrets: secrets ?? null }
      : { database: findPart(folder, 'database'), secrets: findPart(folder, 'secrets') }
  if (files.database === null) throw new UsageError(`There is no backup in ${folder}.`)
  for (const file of [files.database, files.secrets])
    if (file !== null && file !== '-')
      await access(file).catch(() => {
        throw new UsageError(`The file ${file} cannot be read.`)
      })
  return { database: files.database, secrets: files.secrets }
}

const opened = (file: string): AsyncIterable<Buffer> =>
  file === '-' ? process.stdin : createReadStream(file)

function tellChecked({ id, takenAt, rows, tables, bytes }: MadeBackup, json: boolean | undefined): void {
  if (json) printJson({ complete: true, id, takenAt, rows, tables, bytes })
  else
    print(
      `The backup of ${takenAt.toISOString()} is complete: ${rows.toLocaleString('en')} rows in ${tables} tables.`,
    )
}

function tell(done: Omit<RestoreResult, 'rows'> & { rows?: number }, json: boolean | undefined): void {
  const { settled, erasedAgain, log, takenAt, restoredAt, rows } = done
  const findings = log.workspaces.flatMap((one) => one.findings)
  if (json) printJson({ takenAt, restoredAt, rows, ...settled, erasedAgain, findings })
  else for (const line of [...linesOf(done), ...findings]) print(line)
  process.exitCode = findings.length === 0 ? 0 : 1
}

function linesOf(done: Omit<RestoreResult, 'rows'> & { rows?: number }): string[] {
  const { settled, erasedAgain, log, takenAt, rows } = done
  const { withdrawn, outdated, paused } = settled
  const entries = log.workspaces.reduce((total, one) => total + one.entries, 0)
  const isIntact = log.workspaces.every(({ findings }) => findings.length === 0)
  return [
    rows === undefined
      ? `Recorded: the database is as of ${takenAt.toISOString()}.`
      : `Restored from the backup of ${takenAt.toISOString()}: ${rows.toLocaleString('en')} rows, compared with the backup.`,
    isIntact
      ? `The audit log is verified: ${entries.toLocaleString('en')} entries.`
      : 'The audit log does not match its seals:',
    ...(paused > 0
      ? [
          `${paused === 1 ? 'One team is' : `${paused} teams are`} paused. Look at what happened since the backup before you resume work.`,
        ]
      : []),
    ...(withdrawn > 0
      ? [
          `${withdrawn} messages to people were waiting and will not be sent, because they may already have been.`,
        ]
      : []),
    ...(erasedAgain > 0
      ? [`${erasedAgain} people had been erased after the backup, and were erased again.`]
      : []),
    ...(outdated > 0 ? [`${outdated} work orders were in progress. Each is given to a runner again.`] : []),
    'Everyone has to sign in again. Tokens that were revoked, people who were removed and secrets that were changed after the backup are back as they were: check them first.',
  ]
}
