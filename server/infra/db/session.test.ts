import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { testApp, urlOf } from '../../test/app.ts'
import { template } from '../../test/cluster.ts'
import { emptyDatabase, superuserIn } from '../../test/database.ts'
import { aMember, aToken, aWorkspace } from '../../test/factories.ts'
import { Pooler } from '../../test/serving/pooler.ts'
import { until } from '../../test/until.ts'
import { UnguardedSession } from './away.ts'
import { openDatabase, read } from './db.ts'
import type { Connection } from './embedded.ts'
import { Statement } from './statement.ts'

/** Whatever stands between the server and PostgreSQL, it acts as the role that cannot rewrite the audit log, or not at all. */

let direct: Connection
let pooled: Connection
const pooler = new Pooler()
before(async () => {
  direct = await emptyDatabase(template)
  pooled = await pooler.open(direct)
})
after(() => pooler.close())

const whoami = `select current_user::text as "user", current_setting('transaction_read_only') as "readOnly",
  current_setting('statement_timeout') as patience, pg_backend_pid() as pid`
const read1 = new Statement<{ n: number }, { user: string; readOnly: string; patience: string; pid: number }>(
  `${whoami}, :n::int as n`,
)

async function assertGuarded(connection: pg.ClientConfig): Promise<void> {
  const database = openDatabase({ connection, connections: 3, asAppRole: true, onError: () => {} })
  try {
    const reading = { user: 'signalbox_app', readOnly: 'on' }
    // First answered by the pool, then by a line of the reader, which others wait for.
    const pids = new Map<number, string>()
    await until('both have read', async () => {
      const [row] = await read(database.db, read1, { n: 1 })
      const { pid, user, readOnly, patience } = row!
      assert.deepEqual({ user, readOnly }, reading)
      return pids.set(pid, patience).size > 1
    })
    // Both end what takes long soon: it is then asked among the slow reads.
    assert.deepEqual([...pids.values()], ['500ms', '500ms'])
    const { pid: _, ...writing } = (await database.pool.query(whoami)).rows[0]
    assert.deepEqual(writing, { ...reading, readOnly: 'off', patience: '30s' })
    await assert.rejects(database.pool.query('delete from audit_entries'), { code: '42501' })
  } finally {
    await database.close()
  }
}

test('options in DATABASE_URL do not replace role and read-only', () =>
  assertGuarded({ connectionString: `${urlOf(direct)}?options=-c%20work_mem%3D8MB` }))

test('a pooler that refuses startup parameters is enough', () => assertGuarded({ ...pooled }))

/** As a DBA may have set it for all who use the database, most of them by the place they are in. */
const otherwise = [
  `DateStyle = 'German'`,
  `IntervalStyle = 'sql_standard'`,
  `TimeZone = 'Asia/Kathmandu'`,
  'extra_float_digits = -5',
  'standard_conforming_strings = off',
  'search_path = elsewhere',
  `statement_timeout = '20ms'`,
]

async function setOtherwise(database: string): Promise<void> {
  const superuser = new pg.Client(superuserIn({ ...direct, database }))
  await superuser.connect()
  for (const setting of otherwise) await superuser.query(`alter database ${database} set ${setting}`)
  await superuser.end()
}

const written = new Statement<
  Record<never, never>,
  { at: Date; json: string; long: string; share: number; text: string; here: string }
>(
  `select timestamptz '2026-11-19T01:02:03Z' as at, to_json(timestamptz '2026-11-19T01:02:03Z')::text as json,
    interval '1 day -1 hour'::text as long, 1.23456789012345::float8 as share, '\\d' as text,
    to_regclass('stories')::text as here`,
)

/** Behind PgBouncer, server/test/faults/pgbouncer.test.ts asks the same. */
test('whatever was set for the database, values are written in one way', async () => {
  const connection = await emptyDatabase(template)
  await setOtherwise(connection.database)
  const database = openDatabase({ connection, connections: 3, asAppRole: true, onError: () => {} })
  const { rows } = await database.pool.query(written.bind({}).text)
  for (const found of [await read(database.db, written, {}), rows])
    assert.deepEqual(found, [
      {
        ...{ at: new Date('2026-11-19T01:02:03Z'), json: '"2026-11-19T01:02:03+00:00"' },
        ...{ long: '1 day -01:00:00', share: 1.23456789012345, text: '\\d', here: 'stories' },
      },
    ])
  await database.close()
})

test('a server starts on an empty database that was set otherwise, and starts there again', async () => {
  const connection = await emptyDatabase()
  await setOtherwise(connection.database)
  for (const _ of [1, 2]) {
    const app = await testApp({ databaseUrl: urlOf(connection) })
    const { token } = await aToken(await aMember(await aWorkspace(app.storage.db), 'owner'))
    const response = await app.get('/v1/audit', token)
    const { data } = (await response.json()) as { data: { timestamp: string }[] }
    assert.match(data[0]!.timestamp, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    await app.stop()
  }
})

test('the server does not start where sessions do not keep their role, and says what to do', async () => {
  pooler.forgets = true
  const starting = testApp({ databaseUrl: urlOf(pooled) })
  starting.then(
    (app) => app.stop(),
    () => {},
  )
  await assert.rejects(starting, (error) => {
    assert.ok(error instanceof UnguardedSession)
    assert.match(
      error.message,
      /acts as signalbox_server instead of signalbox_app.*Connect directly, or through PgBouncer/,
    )
    return true
  })
  pooler.forgets = false
})

test('a session that is opened later is asked as well: it is not used, and the server is not ready', async () => {
  const app = await testApp({ databaseUrl: urlOf(pooled) })
  const { token } = await aToken(await aMember(await aWorkspace(app.storage.db), 'owner'))
  const owner = new pg.Client(direct)
  await owner.connect()
  try {
    assert.equal((await app.get('/readyz')).status, 200)
    pooler.forgets = true
    await owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'signalbox'`,
    )
    await until('it is not ready', async () => (await app.get('/readyz')).status === 503)
    const refusal = () => app.storage.pool.query('select').catch((error) => error)
    await until('none is used', async () => (await refusal()) instanceof UnguardedSession)
    const refused = await app.get('/v1/teams', token)
    assert.deepEqual([refused.status, /signalbox_|role/.test(await refused.text())], [503, false])
    await until('the log says why', async () => {
      await (await app.get('/readyz')).text()
      return app.log.some((line) => line.includes('not ready') && line.includes('instead of signalbox_app'))
    })
    pooler.forgets = false
    await until('it is ready again', async () => (await app.get('/readyz')).status === 200)
  } finally {
    pooler.forgets = false
    await owner.end()
    await app.stop()
  }
})
