import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { after, test } from 'node:test'
import pg from 'pg'
import { revokeToken } from '../../domain/accounts/tokens/revoke.ts'
import { changeRole } from '../../domain/accounts/workspaces/change-role.ts'
import { deleteWorkspace } from '../../domain/accounts/workspaces/delete.ts'
import { removeMember } from '../../domain/accounts/workspaces/remove-member.ts'
import { Node } from '../../infra/cluster.ts'
import { RateLimiter } from '../../infra/http/rate-limit.ts'
import { unusedPort } from '../../infra/http/server.ts'
import { testApp, urlOf } from '../app.ts'
import { template } from '../cluster.ts'
import { emptyDatabase } from '../database.ts'
import { aMember, aToken, aWorkspace } from '../factories.ts'
import { patienceMs } from '../patience.ts'
import { until } from '../until.ts'

/** Two nodes over one database behave as one. */

const one = await testApp()
const two = await testApp({ databaseUrl: one.databaseUrl })
after(async () => {
  await two.stop()
  await one.stop()
})

const status = async (node: typeof one, token: string, path = '/v1/teams') => {
  const response = await node.get(path, token)
  await response.body?.cancel()
  return response.status
}

const anyPort = () => unusedPort({ host: '127.0.0.1', port: 0 })

/** Both nodes have the token in memory. */
async function warmed(token: string, path?: string) {
  for (const node of [one, two, one, two]) assert.equal(await status(node, token, path), 200)
}

test('a token revoked on one node is refused by the other before the revoke returns', async () => {
  const owner = await aMember(await aWorkspace(one.storage.db), 'owner')
  for (let round = 0; round < 10; round += 1) {
    const { id, token } = await aToken(owner)
    await warmed(token)
    await revokeToken(owner, id)
    assert.deepEqual(await Promise.all([status(two, token), status(one, token)]), [401, 401])
  }
})

test('requests under way during a revoke leave nothing behind in memory', async () => {
  const owner = await aMember(await aWorkspace(one.storage.db), 'owner')
  for (let round = 0; round < 5; round += 1) {
    const { id, token } = await aToken(owner)
    const storm = Promise.all(Array.from({ length: 20 }, () => status(two, token)))
    await revokeToken(owner, id)
    const after = await Promise.all(Array.from({ length: 5 }, () => status(two, token)))
    assert.deepEqual(new Set(after), new Set([401]))
    await storm
  }
})

test('a token dies with the membership, on both nodes', async () => {
  const workspace = await aWorkspace(one.storage.db)
  const member = await aMember(workspace, 'member')
  const { token } = await aToken(member)
  await warmed(token)
  await removeMember(workspace, member.personId)
  assert.deepEqual([await status(one, token), await status(two, token)], [401, 401])
})

test('a token dies with the workspace, on both nodes', async () => {
  const workspace = await aWorkspace(one.storage.db)
  const { token } = await aToken(await aMember(workspace, 'owner'))
  await warmed(token)
  await deleteWorkspace(workspace, { slug: workspace.slug, name: workspace.slug })
  assert.deepEqual([await status(one, token), await status(two, token)], [401, 401])
})

test('a token acts with its creator’s present role', async () => {
  const workspace = await aWorkspace(one.storage.db)
  const member = await aMember(workspace, 'admin')
  const { token } = await aToken(member)
  await warmed(token, '/v1/audit')
  await changeRole(workspace, member.personId, 'member')
  assert.deepEqual([await status(one, token, '/v1/audit'), await status(two, token, '/v1/audit')], [403, 403])
})

test('120 requests spread over both nodes are the limit of both together', async () => {
  const { token } = await aToken(await aMember(await aWorkspace(one.storage.db), 'owner'))
  const seen: number[] = []
  for (let n = 0; n < 120; n += 1) {
    const response = await (n % 2 ? one : two).get('/v1/teams', token)
    assert.equal(response.status, 200, `request ${n + 1}`)
    seen.push(Number(response.headers.get('x-ratelimit-remaining')))
    await response.body?.cancel()
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 120 }, (_, n) => 119 - n),
  )
  assert.deepEqual([await status(one, token), await status(two, token)], [429, 429])
})

test('requests that were counted before a node joined count with it, and after it has left', async () => {
  const { token } = await aToken(await aMember(await aWorkspace(one.storage.db), 'owner'))
  const alone = await testApp()
  const owner = await aMember(await aWorkspace(alone.storage.db), 'owner')
  const counted = await aToken(owner)
  for (let n = 0; n < 60; n += 1) assert.equal(await status(alone, counted.token), 200)
  const joined = await testApp({ databaseUrl: alone.databaseUrl })
  for (let n = 0; n < 30; n += 1) assert.equal(await status(joined, counted.token), 200)
  await joined.stop()
  for (let n = 0; n < 30; n += 1) assert.equal(await status(alone, counted.token), 200, `request ${91 + n}`)
  assert.equal(await status(alone, counted.token), 429)
  await alone.stop()
  assert.equal(await status(one, token), 200)
})

test('a node whose company goes and comes again counts nothing twice', async () => {
  const limiter = new RateLimiter({ limit: 120, pool: one.storage.pool })
  const id = randomUUID()
  for (let n = 0; n < 40; n += 1) limiter.count(id)
  for (let n = 1; n <= 3; n += 1) {
    await limiter.share(true)
    assert.equal((await limiter.take(id)).remaining, 80 - 2 * n + 1)
    await limiter.share(false)
    assert.equal((await limiter.take(id)).remaining, 80 - 2 * n)
  }
})

test('neither a revoke nor a newcomer waits for a node that is gone, though the clock was set back in between', {
  timeout: patienceMs,
}, async () => {
  const owner = await aMember(await aWorkspace(one.storage.db), 'owner')
  const { id, token } = await aToken(owner)
  await warmed(token)
  // Seen from an hour earlier, the lease of a node that was killed lasts an hour.
  await one.storage.pool.query(
    `insert into nodes (id, lease_until, applied) values (gen_random_uuid(), clock_timestamp() + interval '1 hour', -1)`,
  )
  await revokeToken(owner, id)
  assert.deepEqual([await status(one, token), await status(two, token)], [401, 401])
  const three = await testApp({ databaseUrl: one.databaseUrl })
  assert.equal(await status(three, token), 401)
  await three.stop()
})

test('a node that is late with its lease is still company, until it has been gone for a while', async () => {
  const connection = await emptyDatabase(template)
  const pool = new pg.Pool(connection)
  const heard: boolean[] = []
  let now = 1_000
  const node = new Node({ pool, connection, now: () => now, onError: assert.ifError })
  await node.join({ onInvalidated: () => {}, onCompany: async (company) => void heard.push(company) })
  /** It has renewed its own lease, and so looked at those of the others, after this call. */
  const looked = async () => {
    const { rows } = await pool.query('select lease_until from nodes where id = $1', [node.id])
    await until('it has looked', async () => {
      const later = await pool.query('select from nodes where id = $1 and lease_until > $2', [
        node.id,
        rows[0].lease_until,
      ])
      return later.rowCount === 1
    })
  }
  const lease = (until: string) =>
    pool.query(
      `insert into nodes (id, lease_until, applied) values ('00000000-0000-0000-0000-000000000001', ${until}, 1000)
       on conflict (id) do update set lease_until = excluded.lease_until`,
    )
  await lease(`clock_timestamp() + interval '1 hour'`)
  await until('it is noticed', () => heard.length > 0)
  await looked()
  await lease(`clock_timestamp() - interval '1 second'`)
  await looked()
  now += 9_000
  await looked()
  assert.deepEqual(heard, [true])
  now += 2_000
  await until('it has gone', () => heard.length > 1)
  assert.deepEqual(heard, [true, false])
  await node.stop()
  await pool.end()
})

test('where the database is its own, a node does not wait for the one that was killed before it', async () => {
  const connection = await emptyDatabase(template)
  const pool = new pg.Pool(connection)
  await pool.query(
    `insert into nodes (id, lease_until, applied) values (gen_random_uuid(), clock_timestamp() + interval '1 hour', -1)`,
  )
  let asked = 0
  const counting = {
    query(text: string, values?: unknown[]) {
      if (text.includes('applied <')) asked += 1
      return pool.query(text, values)
    },
  } as pg.Pool
  const node = new Node({ pool: counting, connection, alone: true, onError: () => {} })
  await node.join({ onInvalidated: () => {}, onCompany: async () => {} })
  assert.equal(asked, 1, 'it asks once whether anybody is left behind')
  await node.stop()
  await pool.end()
})

test('two nodes on one machine have names of their own', async (t) => {
  const databaseUrl = urlOf(await emptyDatabase(template))
  const ports = [await anyPort(), await anyPort()]
  for (const port of ports) {
    const node = await testApp({ databaseUrl, env: { PORT: String(port) } })
    t.after(() => node.stop())
  }
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const { rows } = await client.query<{ host: string }>('select host from nodes order by started_at')
  await client.end()
  assert.deepEqual(
    rows.map(({ host }) => host),
    ports.map((port) => `${hostname()}:${port}`),
  )
})
