import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { Node } from '../infra/cluster.ts'
import { readSlowly } from '../infra/db/db.ts'
import { AnsweringPool } from '../infra/db/silence.ts'
import { testApp, urlOf } from './app.ts'
import { template } from './cluster.ts'
import { emptyDatabase } from './database.ts'
import { aMember, aTeam, aToken, aWorkspace } from './factories.ts'
import { type Silence, SilentNetwork } from './silent-network.ts'
import { until } from './until.ts'

/**
 * The network between a node and its database is silent: packets are dropped in both directions or in one.
 * Two nodes, both busy, because then every connection was heard of a moment ago: nobody waits for long, readiness
 * tells the truth, and the other node does not notice.
 */

const network = new SilentNetwork()
const database = await emptyDatabase(template)
const connection = await network.open(database)
const env = { RATE_LIMIT_PER_MINUTE: '1000000', DATABASE_STATEMENT_SECONDS: '600' }
const app = await testApp({ databaseUrl: urlOf(connection), env })
const other = await testApp({ databaseUrl: urlOf(database), env })
after(async () => {
  network.mend()
  await other.stop()
  await app.stop()
  await network.close()
})
const owner = await aMember(await aWorkspace(app.storage.db), 'owner')
const team = await aTeam(owner)
const { token } = await aToken(owner, ['read', 'write'])

/** A statement may take ten minutes here, so what hangs on one hangs for longer than this; what is answered is not. */
const longestMs = 60_000

async function statusOf(node: typeof app, path: string, init: RequestInit = {}): Promise<number> {
  const response = await node.get(path, token, { ...init, signal: AbortSignal.timeout(longestMs) })
  await response.arrayBuffer()
  return response.status
}

const status = (path: string) => statusOf(app, path)

const isReady = (node: typeof app) => async () => (await statusOf(node, '/readyz')) === 200

/** Reads without a pause, as many at once. Stopping tells how they were answered, whichever began before that. */
function keepBusy(node: typeof app): { answered: number[]; stop(): Promise<number[]> } {
  const answered: number[] = []
  let isOver = false
  const paths = [`/v1/teams/${team.slug}`, '/v1/decisions?limit=5', '/v1/runs', '/v1/teams']
  const read = async (place: number) => {
    for (let n = place; !isOver; n += 1) answered.push(await statusOf(node, paths[n % paths.length]!))
  }
  const reading = Promise.all(Array.from({ length: 12 }, (_, place) => read(place)))
  reading.catch(() => {})
  return {
    answered,
    async stop() {
      isOver = true
      await reading
      return answered
    },
  }
}

async function bothBusy() {
  await until('one is ready', isReady(app))
  await until('the other is ready', isReady(other))
  const [here, there] = [keepBusy(app), keepBusy(other)]
  await until('both are busy', () => here.answered.length > 100 && there.answered.length > 100)
  assert.deepEqual(new Set([...here.answered, ...there.answered]), new Set([200]))
  return { here, there }
}

/** All that is read from now on, until as much again was. */
async function readOn(...loads: { answered: number[] }[]): Promise<void> {
  const before = loads.map(({ answered }) => answered.length)
  await until('reads go on', () => loads.every(({ answered }, n) => answered.length > before[n]! + 100))
}

const silences: [string, Silence][] = [
  ['lose everything', 'drop'],
  ['lose every answer', 'half-open'],
]

for (const [what, by] of silences)
  test(`connections of a busy node that ${what} are replaced, and what was asked on them is answered`, async () => {
    const { here, there } = await bothBusy()
    network.loseConnections({ silent: false, by })
    await readOn(here, there)
    // A statement that is under way when the network goes silent ends with an error; the next one is answered.
    const succeeds = (work: () => Promise<unknown>) =>
      work().then(
        () => true,
        () => false,
      )
    await until('a write succeeds', () => succeeds(() => aTeam(owner)))
    await until('a slow read succeeds', () => succeeds(() => readSlowly(app.storage.db, sql`select`)))
    await until('it is ready', isReady(app))
    assert.deepEqual(new Set([...(await here.stop()), ...(await there.stop())]), new Set([200]))
  })

for (const [what, by] of silences)
  test(`while all connections of a busy node ${what} it is not ready, and nobody waits for long; the other node serves`, async () => {
    const { here, there } = await bothBusy()
    network.loseConnections({ silent: true, by })
    await until('it is not ready', async () => (await status('/readyz')) === 503)
    await until('its reads are refused', () => here.answered.includes(503))
    assert.equal(await status('/readyz'), 503)
    assert.equal(await status('/healthz'), 200)
    await readOn(there)
    network.mend()
    await until('it is ready', isReady(app))
    await until('a read is answered', async () => (await status('/v1/decisions')) === 200)
    assert.deepEqual(new Set(await here.stop()), new Set([200, 503]))
    assert.deepEqual(new Set(await there.stop()), new Set([200]))
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
  // The other node does not go through this network, and keeps its own.
  const kept = async () => (await listening()).filter((pid) => before.includes(pid)).length
  await until('others listen', async () => (await kept()) === 1)
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
