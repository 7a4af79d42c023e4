import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { pauseTeam } from '../domain/teams/pause.ts'
import { Node } from '../infra/cluster.ts'
import { readSlowly } from '../infra/db/db.ts'
import { AnsweringPool } from '../infra/db/silence.ts'
import { testApp, urlOf } from './app.ts'
import { template } from './cluster.ts'
import { emptyDatabase } from './database.ts'
import { aMember, aTeam, aToken, aWorkspace } from './factories.ts'
import { SilentNetwork } from './silent-network.ts'
import { until } from './until.ts'

/** Packets to the database are dropped, not refused: nobody waits for long, and readiness tells the truth. */

const network = new SilentNetwork()
const database = await emptyDatabase(template)
const connection = await network.open(database)
const app = await testApp({
  databaseUrl: urlOf(connection),
  env: { RATE_LIMIT_PER_MINUTE: '100000', DATABASE_STATEMENT_SECONDS: '5' },
})
after(async () => {
  network.mend()
  await app.stop()
  await network.close()
})
const owner = await aMember(await aWorkspace(app.storage.db), 'owner')
const team = await aTeam(owner)
const { token } = await aToken(owner, ['read', 'write'])

/** The operating system would give up after a quarter of an hour; a statement may take half a minute. */
const longestMs = 30_000

async function status(path: string, init: RequestInit = {}): Promise<number> {
  const response = await app.get(path, token, { ...init, signal: AbortSignal.timeout(longestMs) })
  await response.arrayBuffer()
  return response.status
}

/** Both lines of the reader, and both pools, have been used. */
async function warm(): Promise<void> {
  await until('it is ready', async () => (await status('/readyz')) === 200)
  await until('reads are answered', async () => {
    const reads = Array.from({ length: 100 }, (_, n) => status(`/v1/decisions?limit=${1 + n}`))
    return (await Promise.all(reads)).every((answer) => answer === 200)
  })
  await readSlowly(app.storage.db, sql`select`)
  await app.storage.pool.query('select')
}

test('connections that have gone silent are replaced, and what was asked on them is answered', async () => {
  await warm()
  network.loseConnections({ silent: false })
  const reads = Array.from({ length: 40 }, (_, n) => status(`/v1/decisions?limit=${1 + n}`))
  assert.deepEqual(new Set(await Promise.all(reads)), new Set([200]))
  // A statement that is under way when the network goes silent ends with an error; the next one is answered.
  const succeeds = (work: () => Promise<unknown>) =>
    work().then(
      () => true,
      () => false,
    )
  await until('a write succeeds', () => succeeds(() => pauseTeam(owner, team.slug)))
  await until('a slow read succeeds', () => succeeds(() => readSlowly(app.storage.db, sql`select`)))
  await until('it is ready', async () => (await status('/readyz')) === 200)
})

test('a pool asks a connection that it has not heard of for a while before it hands it out', async () => {
  const pool = new AnsweringPool({ ...connection, max: 1, query_timeout: longestMs })
  pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}))
  const session = async () => (await pool.query('select pg_backend_pid() as pid')).rows[0].pid
  const before = await session()
  const heardAt = performance.now()
  network.loseConnections({ silent: false })
  // For a second it is trusted; what is begun then, the statement's own limit ends.
  await until('it is not trusted any more', () => performance.now() - heardAt > 1_000)
  assert.notEqual(await session(), before)
  await pool.close()
})

test('a listening connection that has gone silent is replaced', async () => {
  const direct = new pg.Pool({ ...database, max: 2 })
  const node = new Node({ pool: direct, connection, onError: () => {} })
  await node.join({ onInvalidated: () => {}, onCompany: async () => {} })
  const listening = async (): Promise<number[]> => {
    const { rows } = await direct.query(
      `select pid from pg_stat_activity
       where datname = current_database() and application_name = 'signalbox listen'`,
    )
    return rows.map(({ pid }) => pid)
  }
  const before = await listening()
  network.loseConnections({ silent: false })
  await until('others listen', async () => (await listening()).every((pid) => !before.includes(pid)))
  await until('both listen', async () => (await listening()).length === before.length)
  await node.stop()
  await direct.end()
})

test('a node that stops while it asks after its listening connection does not listen anew', async () => {
  const direct = new pg.Pool({ ...database, max: 2 })
  const itsNetwork = new SilentNetwork()
  const node = new Node({ pool: direct, connection: await itsNetwork.open(database), onError: () => {} })
  await node.join({ onInvalidated: () => {}, onCompany: async () => {} })
  itsNetwork.loseConnections({ silent: false })
  await until('it asks', () => itsNetwork.hasLost)
  await node.stop()
  // Whatever it had still begun would have arrived.
  for (let time = 0; time < 20; time += 1) await direct.query('select')
  assert.equal(itsNetwork.connections, 1)
  await itsNetwork.close()
  await direct.end()
})

test('while the whole network is silent it is not ready, and nobody waits for ever; then all is well again', async () => {
  await warm()
  network.loseConnections({ silent: true })
  const [ready, ...reads] = await Promise.all([
    status('/readyz'),
    ...Array.from({ length: 10 }, (_, n) => status(`/v1/decisions?limit=${1 + n}`)),
  ])
  assert.equal(ready, 503)
  assert.deepEqual(new Set(reads), new Set([503]))
  assert.equal(await status('/healthz'), 200)
  network.mend()
  await until('it is ready', async () => (await status('/readyz')) === 200)
  assert.equal(await status('/v1/decisions'), 200)
})
