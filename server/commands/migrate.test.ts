import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import pg from 'pg'
import { migrate } from '../infra/db/migrate.ts'
import { readMigrations } from '../infra/db/migration-files.ts'
import { type Plan, planMigrations } from '../infra/db/plan-migrations.ts'
import { urlOf } from '../test/app.ts'
import { emptyDatabase, superuserIn } from '../test/database.ts'

const main = path.join(import.meta.dirname, '..', 'main.ts')

async function command(databaseUrl: string, ...args: string[]) {
  const child = spawn(process.execPath, [main, 'migrate', ...args], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATABASE_URL: databaseUrl,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await closed, stdout, stderr }
}

test('what is pending is told with what it locks and for how long, and nothing is changed by asking', async () => {
  const connection = await emptyDatabase()
  const all = await readMigrations()
  const pending = all.slice(51).map(({ name }) => name)
  assert.deepEqual(
    (await planMigrations(connection)).pending.length,
    all.length,
    'an empty database lacks all',
  )
  await migrate(connection, { migrations: all.slice(0, 51) })
  const superuser = new pg.Client(superuserIn(connection))
  await superuser.connect()
  // A workspace with a history, as PostgreSQL has last counted it.
  await superuser.query(`update pg_class set reltuples = 2000000 where relname = 'runs'`)
  const url = urlOf(connection)

  const checked = await command(url, '--check')
  assert.deepEqual([checked.code, checked.stderr], [3, ''])
  assert.equal(checked.stdout, `${pending.length} migrations are pending.\n${pending.join('\n')}\n`)
  const planned = await command(url, '--plan', '--json')
  const plan: Plan & { database: string } = JSON.parse(planned.stdout)
  assert.deepEqual([planned.code, plan.database], [0, 'migrations pending'])
  const tableOf = (migration: string, table: string) =>
    plan.pending.find(({ name }) => name === migration)!.tables.find((one) => one.table === table)!
  const { waiting, work, rows, seconds } = tableOf('0052_main_checks.sql', 'runs')
  assert.deepEqual([waiting, work, rows, seconds], ['no one', ['index'], 2_000_000, 18])
  const validated = plan.pending.find(({ name }) => name === '0077_night_reports.sql')!.tables
  assert.deepEqual(
    validated.filter(({ table }) => table === 'notifications').map((one) => [one.waiting, one.work]),
    [
      ['readers and writers', []],
      ['no one', ['scan']],
    ],
    'each lock with what is done while it is held',
  )
  const effects = tableOf('0053_ephemeral_messages.sql', 'effects')
  assert.deepEqual([effects.waiting, effects.work], ['writers of the same rows', ['rows']])
  const teams = tableOf('0054_practice.sql', 'teams')
  assert.deepEqual([teams.waiting, teams.work, teams.seconds], ['writers', [], 0])
  const words = await command(url, '--plan')
  assert.match(words.stdout, /^0052_main_checks\.sql: about 18 s, without holding up anyone for long$/m)
  assert.match(words.stdout, /^ {2}runs \(2,000,000 rows, [\d.]+ MB\): builds an index; no one waits$/m)
  const { rows: newest } = await superuser.query('select max(number) as number from migrations')
  assert.deepEqual(newest, [{ number: 51 }])
  await superuser.end()

  await migrate(connection)
  const done = await command(url, '--check')
  assert.deepEqual([done.code, done.stdout], [0, 'The database is up to date.\n'])
})
