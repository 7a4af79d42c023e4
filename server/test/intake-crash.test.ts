import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import pg from 'pg'
import { createService } from '../domain/services/create.ts'
import { addSource } from '../domain/sources/add.ts'
import { startCluster } from '../infra/db/embedded.ts'
import { testApp, urlOf } from './app.ts'
import { aMember, aTeam, aWorkspace } from './factories.ts'
import { until } from './until.ts'

/**
 * 202 is a promise: what it was said for is written down, and is understood sooner or later. It is kept whoever is
 * killed, and not made while it could not be kept.
 */

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-intake-'))
let cluster = await startCluster(folder, { log: () => {} })
const databaseUrl = urlOf(cluster.connection)
const secretKey = 'a key for tests that is long enough'
const running = new Set<ChildProcess>()

after(async () => {
  for (const child of running) child.kill('SIGKILL')
  await app.stop()
  await cluster.stop()
  await rm(folder, { recursive: true, force: true })
})

const services = ['checkout', 'labels', 'lockers']
const app = await testApp({ databaseUrl, env: { SECRET_KEY: secretKey } })
const source = await theSource()

/** It feeds several services, on which every alert opens an incident. */
async function theSource() {
  const owner = await aMember(await aWorkspace(app.storage.db), 'owner')
  const { slug: team } = await aTeam(owner)
  const ids: string[] = []
  for (const name of services)
    ids.push(fromJson(await createService(owner, { name, team, settings: { lowestSeverity: 'info' } })).id)
  const made = await addSource(owner, app.storage.secrets, {
    kind: 'generic',
    name: 'Scripts',
    services: ids,
  })
  return { token: fromJson(made.source).token, secret: made.secret! }
}

interface Accepted {
  deliveryId: string
  fingerprint: string
}

let sent = 0

/** One alert that nobody has heard of; null when it was not accepted. */
async function send(
  base: string,
): Promise<{ status: number; accepted: Accepted | null; retryAfter: string | null }> {
  sent += 1
  const fingerprint = randomUUID()
  const body = JSON.stringify({
    title: `Alert ${sent}`,
    fingerprint,
    service: services[sent % services.length],
  })
  const response = await fetch(`${base}/${source.token}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-service-signature': `sha256=${createHmac('sha256', source.secret).update(body).digest('hex')}`,
    },
    body,
  })
  const reply = (await response.json()) as { deliveryId: string }
  const accepted = response.status === 202 ? { deliveryId: reply.deliveryId, fingerprint } : null
  return { status: response.status, accepted, retryAfter: response.headers.get('retry-after') }
}

async function query<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Row>(sql, values)).rows
  } finally {
    await client.end()
  }
}

/** Everything that was promised is there, once, and has become part of an incident. */
async function keepsItsPromise(promised: Accepted[]): Promise<void> {
  await until('everything is understood', async () => {
    const rows = await query('select from intake limit 1').catch(() => null)
    return rows?.length === 0
  })
  const lost = await query(
    `select id from unnest($1::uuid[]) as id where id not in (select id from deliveries)`,
    [promised.map(({ deliveryId }) => deliveryId)],
  )
  assert.deepEqual(lost, [], 'deliveries that were lost')
  const astray = await query(
    `select fingerprint from unnest($1::text[]) as fingerprint
     where fingerprint not in (select fingerprint from alerts where incident_id is not null)`,
    [promised.map(({ fingerprint }) => fingerprint)],
  )
  assert.deepEqual(astray, [], 'alerts in no incident')
  const [counted] = await query<{ deliveries: string; alerts: string; twice: string; incidents: string }>(`
    select (select count(*) from deliveries) as deliveries,
      (select count(*) from alerts) as alerts,
      (select count(*) from alerts where count <> 1) as twice,
      (select count(*) from incidents) as incidents`)
  assert.equal(counted!.alerts, counted!.deliveries, 'an alert for each delivery')
  assert.equal(counted!.twice, '0', 'alerts that count twice')
  assert.equal(counted!.incidents, String(services.length), 'one incident for each service')
  const [joined] = await query<{ alerts: string }>(`
    select sum(case type when 'opened' then 1 else (data->>'alerts')::int end) as alerts
    from incident_events where type in ('opened', 'joined')`)
  assert.equal(joined!.alerts, counted!.alerts, 'each joined an incident once')
}

const promised: Accepted[] = []

/** Sends over several connections until told to stop; gives what was answered besides 202. */
function keepSending(base: string, connections = 6) {
  let stopped = false
  const refusals: { status: number; retryAfter: string | null }[] = []
  const one = async () => {
    while (!stopped) {
      const reply = await send(base).catch(() => null)
      if (!reply) return
      if (reply.accepted) promised.push(reply.accepted)
      else refusals.push(reply)
    }
  }
  const ended = Promise.all(Array.from({ length: connections }, one))
  return {
    refusals,
    async stop() {
      stopped = true
      await ended
    },
  }
}

const postmaster = async () =>
  Number((await readFile(path.join(folder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0])

test('while the database is away, deliveries are answered with 503 and Retry-After, and with nothing else', async () => {
  const senders = keepSending(app.signalUrl)
  await until('some are accepted', () => promised.length >= 50)
  await cluster.stop()
  const before = promised.length
  const from = senders.refusals.length
  await until('many are refused', () => senders.refusals.length >= from + 100)
  // What was on its way when the database stopped may have been written; nothing after that can be.
  assert.ok(promised.length <= before + 6, `${promised.length - before} accepted without a database`)
  cluster = await startCluster(folder, { log: () => {} })
  const again = promised.length
  await until('they are accepted again', () => promised.length >= again + 20)
  await senders.stop()
  assert.deepEqual([...new Set(senders.refusals.map(({ status }) => status))], [503])
  for (const { retryAfter } of senders.refusals) assert.match(retryAfter ?? '', /^[1-9]\d*$/)
  await keepsItsPromise(promised)
})

test('a database that is killed loses nothing that was accepted', async () => {
  const senders = keepSending(app.signalUrl)
  const before = promised.length
  await until('some are accepted', () => promised.length >= before + 50)
  process.kill(await postmaster(), 'SIGKILL')
  await until('some are refused', () => senders.refusals.length > 0)
  const again = promised.length
  await until('they are accepted again', () => promised.length >= again + 20)
  await senders.stop()
  assert.deepEqual([...new Set(senders.refusals.map(({ status }) => status))], [503])
  await keepsItsPromise(promised)
})

async function serve(): Promise<{ child: ChildProcess; signalUrl: string }> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, '..', 'main.ts'), 'serve'], {
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      SECRET_KEY: secretKey,
      DATA_DIR: path.join(folder, 'served'),
      PORT: '0',
      OPERATOR_PORT: 'off',
      LOG_LEVEL: 'info',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const url = await new Promise<string>((resolve, reject) => {
    let seen = ''
    child.stderr!.on('data', (chunk) => {
      if (seen.includes('"msg":"serving"')) return
      seen += chunk
      const line = seen.split('\n').find((text) => text.includes('"msg":"serving"') && text.endsWith('}'))
      if (line) resolve(JSON.parse(line).url)
    })
    child.once('exit', () => reject(new Error(`The server ended: ${seen}`)))
  })
  return { child, signalUrl: `${url}/signals` }
}

test('every delivery that got its 202 survives kill -9 of the server under full intake, and becomes part of an incident', async () => {
  await app.stop()
  for (let round = 0; round < 2; round += 1) {
    const { child, signalUrl } = await serve()
    const before = promised.length
    const senders = keepSending(signalUrl, 8)
    // Not at the same point of its work each time.
    await until('many are accepted', () => promised.length >= before + 200 + round * 57)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await senders.stop()
    assert.deepEqual(senders.refusals, [])
  }
  const { child } = await serve()
  await keepsItsPromise(promised)
  child.kill('SIGTERM')
  await once(child, 'exit')
})
