import { type Asked, exitCodes } from '@signalbox/contract/command-line.ts'
import { readConfig } from '../app/config.ts'
import { borrowDatabase, openStorage, requireDatabase } from '../app/storage.ts'
import { type Plan, type PlannedMigration, planMigrations } from '../infra/db/plan-migrations.ts'
import { createLog } from '../infra/log.ts'
import type { migrateLine } from './command-lines.ts'
import { print, printJson } from './print.ts'

/** Brings the database up to date; the server does the same when it starts. Or says what that would do. */
export async function run({ values }: Asked<typeof migrateLine>): Promise<void> {
  if (values.check || values.plan) return look(values)
  const config = readConfig(process.env)
  const storage = await openStorage(config, createLog({ level: config.logLevel }), 'command')
  await storage.close()
  if (values.json) printJson({ database: 'up to date' })
  else print('The database is up to date.')
}

async function look({ check, json }: Asked<typeof migrateLine>['values']): Promise<void> {
  const config = readConfig(process.env)
  requireDatabase(config)
  const { connection, close } = await borrowDatabase(config, createLog({ level: config.logLevel }))
  const plan = await planMigrations(connection).finally(close)
  const { newest, isNewer, pending } = plan
  if (check && pending.length > 0) process.exitCode = migrationsPending
  if (json) {
    const asked = check ? pending.map(({ name }) => name) : pending
    printJson({ database: standing(plan), newest, pending: asked })
  } else if (isNewer)
    print(
      `The database is newer than this version, which can still use it. It ends with migration ${newest}.`,
    )
  else if (pending.length === 0) print('The database is up to date.')
  else {
    print(pending.length === 1 ? '1 migration is pending.' : `${pending.length} migrations are pending.`)
    for (const migration of pending)
      for (const line of check ? [migration.name] : described(migration)) print(line)
  }
}

/** As the help says. */
const migrationsPending = exitCodes.usage + 1

const standing = ({ isNewer, pending }: Plan) =>
  isNewer ? 'newer' : pending.length > 0 ? 'migrations pending' : 'up to date'

const works = {
  index: 'builds an index',
  rewrite: 'rewrites the table',
  rows: 'changes rows',
  scan: 'checks every row',
}

function described({ name, online, contract, tables, seconds }: PlannedMigration): string[] {
  const time = online ? `${duration(seconds)}, without holding up anyone for long` : duration(seconds)
  return [
    '',
    `${name}: ${time}`,
    ...tables.map(({ table, work, waiting, rows, bytes }) => {
      const does = work.map((one) => works[one]).join(', ') || 'changes the catalog only'
      const size = `${Math.round(rows).toLocaleString('en')} rows, ${megabytes(bytes)}`
      return `  ${table} (${size}): ${does}; ${waiting} ${waiting === 'no one' ? 'waits' : 'wait'}`
    }),
    ...(tables.length === 0 ? ['  no existing table'] : []),
    ...(contract > 0 ? [`  nodes that do not know migration ${contract} stop serving`] : []),
  ]
}

const duration = (seconds: number) =>
  seconds < 1
    ? 'under a second'
    : seconds < 90
      ? `about ${Math.ceil(seconds)} s`
      : `about ${Math.ceil(seconds / 60)} min`

const megabytes = (bytes: number) => `${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB`
