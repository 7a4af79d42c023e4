import assert from 'node:assert/strict'
import { after, before, describe, mock, test } from 'node:test'
import pg from 'pg'
import { createToken } from '../../domain/accounts/tokens/create.ts'
import { revokeToken } from '../../domain/accounts/tokens/revoke.ts'
import { read } from '../../infra/db/db.ts'
import type { Connection } from '../../infra/db/embedded.ts'
import { migrate } from '../../infra/db/migrate.ts'
import { Statement } from '../../infra/db/statement.ts'
import { testApp, urlOf } from '../app.ts'
import { template } from '../cluster.ts'
import { emptyDatabase, superuserIn } from '../database.ts'
import { aMember, aPolicy, aStory, aTeam, aToken, aWorkspace } from '../factories.ts'
import { noPgBouncer, PgBouncer } from '../serving/pgbouncer.ts'
import { until } from '../until.ts'

/** A real PgBouncer in transaction mode, whose version keeps no prepared statements: Debian's. */

const rounds = process.env.FAULTS === 'all' ? 40 : 4

const whoami = new Statement<
  { n: number },
  { user: string; readOnly: string; style: string; patience: string; pid: number; n: number }
>(`select current_user::text as "user", current_setting('transaction_read_only') as "readOnly",
  concat_ws(', ', current_setting('DateStyle'), current_setting('TimeZone'), current_setting('search_path')) as style,
  current_setting('statement_timeout') as patience, pg_backend_pid() as pid, :n::int as n`)

describe('behind PgBouncer in transaction mode', { skip: noPgBouncer }, () => {
  const bouncer = new PgBouncer()
  let direct: Connection
  let pooled: Connection
  let nodes: Awaited<ReturnType<typeof testApp>>[]
  before(async () => {
    direct = await emptyDatabase(template)
    const superuser = new pg.Client(superuserIn(direct))
    await superuser.connect()
    for (const setting of [`DateStyle = 'German'`, `TimeZone = 'Asia/Kathmandu'`, 'search_path = elsewhere'])
      await superuser.query(`alter database ${direct.database} set ${setting}`)
    await superuser.end()
    pooled = await bouncer.open(direct)
    const options = { databaseUrl: urlOf(pooled), env: { DATABASE_DIRECT_URL: urlOf(direct) } }
    nodes = [await testApp(options), await testApp(options)]
  })
  after(async () => {
    for (const node of nodes ?? []) await node.stop()
    await bouncer.close()
  })

  test('every transaction acts as the restricted role, whichever session it gets, and leaves none behind', async () => {
    const [{ storage }] = nodes as [(typeof nodes)[0]]
    const pids = new Set<number>()
    for (let round = 0; round < rounds; round += 1) {
      const seen = await Promise.all(Array.from({ length: 60 }, (_, n) => read(storage.db, whoami, { n })))
      for (const [n, [row]] of seen.entries()) {
        pids.add(row!.pid)
        assert.deepEqual(
          { ...row, pid: 0, patience: '' },
          { user: 'signalbox_app', readOnly: 'on', style: 'ISO, YMD, UTC, public', pid: 0, patience: '', n },
        )
        assert.match(row!.patience, /^(500ms|5min|10s)$/)
      }
      const writing = await Promise.all(
        Array.from({ length: 20 }, (_, n) => storage.pool.query(whoami.bind({ n }).text, [n])),
      )
      for (const { rows } of writing)
        assert.deepEqual([rows[0].user, rows[0].readOnly], ['signalbox_app', 'off'])
    }
    assert.ok(pids.size <= bouncer.sessions)
    for (const text of ['delete from audit_entries', 'select 1; delete from audit_entries'])
      await assert.rejects(storage.pool.query(text), { code: '42501' })
    await assert.rejects(storage.pool.query('delete from audit_entries where id = $1', [null]), {
      code: '42501',
    })
    const client = await storage.pool.connect()
    await client.query('begin')
    const { rows } = await client.query('select current_user::text as "user"')
    assert.equal(rows[0].user, 'signalbox_app')
    await assert.rejects(client.query('truncate audit_entries'), { code: '42501' })
    await client.query('rollback')
    client.release()
    // Others that use the pooler find its sessions as they were.
    const other = new pg.Client(pooled)
    await other.connect()
    for (let n = 0; n < 20; n += 1) {
      const { rows: found } = await other.query(`select current_user::text as "user",
        current_setting('transaction_read_only') as "readOnly", current_setting('statement_timeout') as patience`)
      assert.deepEqual(found[0], { user: direct.user, readOnly: 'off', patience: '0' })
    }
    await other.end()
  })

  test('a connection is asked one statement at a time: the next is sent when the one before it is answered', async () => {
    const [{ storage }] = nodes as [(typeof nodes)[0]]
    let [asked, early] = [0, 0]
    const { query } = pg.Client.prototype
    const asking = mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...given: unknown[]) {
      const { pipeline, _queryQueue: queue } = this as unknown as {
        pipeline: boolean
        _queryQueue: unknown[]
      }
      asked += 1
      // What the driver warns of, and will refuse.
      if (!pipeline && queue.length > 0) early += 1
      return query.apply(this, given as Parameters<typeof query>)
    } as typeof query)
    try {
      const seen = await Promise.all(Array.from({ length: 60 }, (_, n) => read(storage.db, whoami, { n })))
      assert.deepEqual(
        seen.map(([row]) => row!.n),
        Array.from({ length: 60 }, (_, n) => n),
      )
      const client = await storage.pool.connect()
      const sent = ['begin', 'select 1 as n', 'select 1 / 0', 'select 2 as n', 'rollback', 'select 3 as n']
      const ends = await Promise.allSettled(sent.map((text) => client.query(text)))
      client.release()
      assert.deepEqual(
        ends.map((end) =>
          end.status === 'fulfilled' ? (end.value.rows?.[0]?.n ?? 'done') : end.reason.code,
        ),
        ['done', 1, '22012', '25P02', 'done', 3],
      )
    } finally {
      asking.mock.restore()
    }
    assert.ok(asked >= 66)
    assert.equal(early, 0, 'asked before the one before it was answered')
  })

  test('people and programs work as ever: what is written on one node is read on the other', async () => {
    const [one, two] = nodes as [(typeof nodes)[0], (typeof nodes)[0]]
    const owner = await aMember(await aWorkspace(one.storage.db), 'owner')
    const team = await aTeam(owner, 'parcels')
    await aPolicy(owner, team, 'supervised')
    for (let round = 0; round < rounds; round += 1) {
      const stories = await Promise.all(Array.from({ length: 8 }, () => aStory(owner, team)))
      const { token } = await aToken(owner, ['read'])
      const paths = [
        '/v1/teams',
        '/v1/teams/parcels',
        '/v1/audit',
        ...stories.map(({ key }) => `/v1/stories/${key}`),
      ]
      const answers = await Promise.all(paths.flatMap((path) => [one.get(path, token), two.get(path, token)]))
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
      for (const answer of answers) await answer.body?.cancel()
    }
    for (const node of [one, two]) assert.equal((await node.get('/readyz')).status, 200)
    const serious = [one, two].flatMap(({ log }) => log.filter((line) => JSON.parse(line).level >= 40))
    assert.deepEqual(serious, [])
  })

  test('a token revoked on one node is refused by the other at once: nodes listen past the pooler', async () => {
    const [one, two] = nodes as [(typeof nodes)[0], (typeof nodes)[0]]
    const owner = await aMember(await aWorkspace(one.storage.db), 'owner')
    for (let round = 0; round < rounds; round += 1) {
      const { id, token } = await createToken(owner, {
        ...{ personId: owner.personId, name: 'test', permissions: ['read'], expires: '30d' },
      })
      for (const node of [one, two]) assert.equal((await node.get('/v1/teams', token)).status, 200)
      await revokeToken(owner, id)
      assert.equal((await two.get('/v1/teams', token)).status, 401)
    }
    const looker = new pg.Client({ ...direct, application_name: 'looker' })
    await looker.connect()
    const { rows } = await looker.query<{ listening: number; others: number }>(
      `select count(*) filter (where application_name = 'signalbox listen')::int as listening,
         count(*) filter (where application_name not in ('signalbox listen', 'looker'))::int as others
       from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`,
    )
    await looker.end()
    assert.equal(rows[0]!.listening, nodes.length, 'one each, and everything else is the pool')
    assert.ok(rows[0]!.others <= bouncer.sessions, `${rows[0]!.others} sessions`)
  })

  test('it is migrated and served through the pooler alone, and says what that costs', async () => {
    const empty = await emptyDatabase()
    const through = { ...pooled, database: empty.database }
    await Promise.all([migrate(through), migrate(through), migrate(through)])
    const app = await testApp({ databaseUrl: urlOf(through) })
    try {
      const { token } = await aToken(await aMember(await aWorkspace(app.storage.db), 'owner'))
      assert.equal((await app.get('/v1/teams', token)).status, 200)
      await until('it says so', async () => app.log.some((line) => line.includes('DATABASE_DIRECT_URL')))
    } finally {
      await app.stop()
    }
    // No lock is left on a session that others use now.
    await migrate(through)
  })
})
