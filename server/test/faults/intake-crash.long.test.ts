import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fromJson } from '@signalbox/contract/shapes.ts'
import pg from 'pg'
import { createService } from '../../domain/on-call/services/create.ts'
import { addSource } from '../../domain/on-call/sources/add.ts'
import { verifyLog } from '../../domain/record/seals/verify-log.ts'
import { openDatabase } from '../../infra/db/db.ts'
import { startCluster } from '../../infra/db/embedded.ts'
import { secretsFrom } from '../../infra/secrets.ts'
import { testApp, urlOf } from '../app.ts'
import { aMember, aTeam, aWorkspace } from '../factories.ts'
import { until } from '../until.ts'

/**
 * 202 is a promise: the delivery is written down, and is handled sooner or later. The promise is kept no matter which
 * process is killed, and not made while it could not be kept.
 *
 * FAULTS=all kills a hundred times (KILLS says how often), and adds what takes minutes (`npm run test:faults`).
 */

const isWhole = process.env.FAULTS === 'all'
const kills = Number(process.env.KILLS ?? 100)

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
const [source, whispering] = await theSources(app)

/** Two that feed the same services, on which every alert opens an incident. */
async function theSources({ storage }: Pick<typeof app, 'storage'>) {
  const owner = await aMember(await aWorkspace(storage.db), 'owner')
  const { slug: team } = await aTeam(owner)
  const ids: string[] = []
  for (const name of services)
    ids.push(fromJson(await createService(owner, { name, team, settings: { lowestSeverity: 'info' } })).id)
  const add = async (name: string) => {
    const made = await addSource(owner, storage.secrets, { kind: 'generic', name, services: ids })
    return { token: fromJson(made.source).token, secret: made.secret! }
  }
  return [await add('Scripts'), await add('Others')] as const
}

interface Accepted {
  deliveryId: string
  fingerprint: string
}

let sent = 0

/** Sends one new alert; `accepted` is null when it was refused. */
async function send(
  base: string,
  to = source,
): Promise<{ status: number; accepted: Accepted | null; retryAfter: string | null }> {
  sent += 1
  const fingerprint = randomUUID()
  const body = JSON.stringify({
    title: `Alert ${sent}`,
    fingerprint,
    service: services[sent % services.length],
  })
  const response = await post(base, to, body)
  const reply = (await response.json()) as { deliveryId: string }
  const accepted = response.status === 202 ? { deliveryId: reply.deliveryId, fingerprint } : null
  return { status: response.status, accepted, retryAfter: response.headers.get('retry-after') }
}

const post = (base: string, { token, secret }: typeof source, body: string) =>
  fetch(`${base}/${token}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-service-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    },
    body,
  })

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
  await isInTheLog()
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

/** Each delivery has its entry, once; and the log is as it was sealed. */
async function isInTheLog(): Promise<void> {
  const wrong = await query(`
    select d.id, count(e.id)::int as entries
    from deliveries d left join audit_entries e on e.workspace_id = d.workspace_id and e.event = 'signal_received'
      and e.entry::json #>> '{details,delivery}' = d.id::text
    group by d.id having count(e.id) <> 1`)
  assert.deepEqual(wrong, [], 'deliveries without their one entry')
  const { signing } = secretsFrom(secretKey)
  const { db, close } = openDatabase({
    ...{ connection: { connectionString: databaseUrl }, connections: 2, asAppRole: true },
    ...{ statementSeconds: 300, onError: () => {} },
  })
  try {
    const { workspaces } = await verifyLog(db, signing.publicKey, { now: new Date() })
    assert.deepEqual(
      workspaces.flatMap(({ findings }) => findings),
      [],
    )
  } finally {
    await close()
  }
}

const promised: Accepted[] = []

/** Sends over several connections until told to stop; collects the responses other than 202. */
function keepSending(base: string, connections = 6) {
  let stopped = false
  const refusals: { status: number; retryAfter: string | null }[] = []
  const one = async () => {
    while (!stopped) {
      const reply = await send(base).catch(() => null)
      if (!reply) return
      if (reply.accepted) promised.push(reply.accepted)
      else {
        refusals.push(reply)
        // As senders do; and what brings the database back has the machine for itself.
        await sleep(20)
      }
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
  const child = spawn(process.execPath, [path.join(import.meta.dirname, '..', '..', 'main.ts'), 'serve'], {
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

test('of two nodes, each goes on with what the other had taken in, whichever is killed, and whenever', async () => {
  await app.stop()
  const nodes = [await serve(), await serve()]
  const rounds = isWhole ? kills : 2
  for (let round = 0; round < rounds; round += 1) {
    const before = promised.length
    const senders = nodes.map(({ signalUrl }) => keepSending(signalUrl, 4))
    await until('many are accepted', () => promised.length >= before + 150 + ((round * 37) % 200))
    // Now and then it is the database under both.
    const isDatabase = isWhole && round % 5 === 4
    if (isDatabase) process.kill(await postmaster(), 'SIGKILL')
    else await ended(nodes[round % 2]!.child, 'SIGKILL')
    if (isDatabase) await until('they are accepted again', () => promised.length >= before + 400)
    for (const one of senders) await one.stop()
    if (!isDatabase) {
      // Nothing is sent to the one that is left: it finds what the other had taken in.
      await until(
        'everything is taken up',
        async () => (await query('select from intake limit 1')).length === 0,
      )
      if (round + 1 < rounds) nodes[round % 2] = await serve()
    }
    if (round % 10 === 9) await keepsItsPromise(promised)
  }
  await keepsItsPromise(promised)
  for (const { child } of nodes) if (running.has(child)) await ended(child, 'SIGTERM')
})

test('every delivery that got its 202 survives kill -9 of the server under full intake, and becomes part of an incident', async () => {
  for (let round = 0; round < (isWhole ? 10 : 1); round += 1) {
    const { child, signalUrl } = await serve()
    const before = promised.length
    const senders = keepSending(signalUrl, 8)
    // Not at the same point of its work each time.
    await until('many are accepted', () => promised.length >= before + 200 + round * 57)
    await ended(child, 'SIGKILL')
    await senders.stop()
    assert.deepEqual(senders.refusals, [])
  }
  const { child } = await serve()
  await keepsItsPromise(promised)
  await ended(child, 'SIGTERM')
})

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exit = once(child, 'exit')
  child.kill(signal)
  await exit
}

const whole = isWhole ? false : 'takes minutes: npm run test:faults'

test('a database that is away for a minute costs nothing but the time', { skip: whole }, async () => {
  const { child, signalUrl } = await serve()
  const senders = keepSending(signalUrl)
  await until('some are accepted', () => senders.refusals.length === 0 && promised.length > 50)
  await cluster.stop()
  await sleep(60_000)
  cluster = await startCluster(folder, { log: () => {} })
  const again = promised.length
  await until('they are accepted again', () => promised.length >= again + 50)
  await senders.stop()
  assert.deepEqual([...new Set(senders.refusals.map(({ status }) => status))], [503])
  await keepsItsPromise(promised)
  await ended(child, 'SIGTERM')
})

test('what whispers beside a flood is understood within two seconds', { skip: whole }, async () => {
  const { child, signalUrl } = await serve()
  const flood = keepSending(signalUrl, 64)
  const took: number[] = []
  for (let number = 0; number < 40; number += 1) {
    await sleep(250)
    const { accepted } = await send(signalUrl, whispering)
    const begun = performance.now()
    promised.push(accepted!)
    const isUnderstood = async () =>
      (await query('select from alerts where fingerprint = $1', [accepted!.fingerprint])).length > 0
    await until('the whisper is understood', isUnderstood)
    took.push(performance.now() - begun)
  }
  await flood.stop()
  assert.ok(Math.max(...took) < 2_000, `the slowest took ${Math.max(...took).toFixed(0)} ms`)
  await keepsItsPromise(promised)
  await ended(child, 'SIGTERM')
})

test('a full disk refuses, and what was promised before and after it is kept', { skip: whole }, async (t) => {
  const disk = await mkdtemp(path.join(tmpdir(), 'signalbox-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400m', 'tmpfs', disk], { stdio: 'ignore' })
  } catch {
    await rm(disk, { recursive: true })
    return t.skip('only a superuser can mount a small disk')
  }
  const full = path.join(disk, 'ballast')
  const own = await startCluster(disk, { log: () => {} })
  const small = await testApp({ databaseUrl: urlOf(own.connection), env: { SECRET_KEY: secretKey } })
  try {
    const [its] = await theSources(small)
    const kept: string[] = []
    const refused = new Set<number>()
    let stopped = false
    const sending = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!stopped) {
          const { status, accepted } = await send(small.signalUrl, its)
          if (accepted) kept.push(accepted.deliveryId)
          else refused.add(status)
        }
      }),
    )
    await until('some are accepted', () => kept.length > 50)
    // Nothing is left, not even for the log of the database.
    for (let megabytes = 400; megabytes > 0; megabytes -= 1)
      await appendFile(full, Buffer.alloc(1_048_576)).catch(() => {})
    await until('some are refused', () => refused.size > 0)
    await rm(full)
    const again = kept.length
    await until('they are accepted again', () => kept.length > again + 50)
    stopped = true
    await sending
    assert.deepEqual([...refused], [503])
    const { pool } = small.storage
    await until('all is taken up', async () => (await pool.query('select from intake')).rows.length === 0)
    const { rows } = await pool.query(
      'select id from unnest($1::uuid[]) as id where id not in (select id from deliveries)',
      [kept],
    )
    assert.deepEqual(rows, [], 'deliveries that were lost')
    const { publicKey } = secretsFrom(secretKey).signing
    const { workspaces } = await verifyLog(small.storage.db, publicKey, { now: new Date() })
    assert.deepEqual(
      workspaces.flatMap(({ findings }) => findings),
      [],
    )
  } finally {
    await small.stop()
    await own.stop()
    execFileSync('umount', [disk])
    await rm(disk, { recursive: true })
  }
})

test('a million alerts leave the memory of the server as it was', { skip: whole }, async () => {
  const { child, signalUrl } = await serve()
  const megabytes = async () =>
    Number(/^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${child.pid}/status`, 'utf8'))![1]) / 1024
  let left = 10_000
  const after = new Map<number, number>()
  const one = async () => {
    while (left > 0) {
      left -= 1
      if (left % 2_000 === 0) after.set(10_000 - left, await megabytes())
      const alerts = Array.from({ length: 100 }, (_, n) => ({
        ...{ title: `Storm ${n}`, fingerprint: `storm ${(left * 100 + n) % 1_000}`, service: services[0] },
      }))
      const response = await post(signalUrl, source, JSON.stringify({ alerts }))
      assert.equal(response.status, 202)
      await response.text()
    }
  }
  await Promise.all(Array.from({ length: 16 }, one))
  await until(
    'everything is understood',
    async () => (await query('select from intake limit 1')).length === 0,
  )
  const [early, end] = [after.get(2_000)!, await megabytes()]
  assert.ok(end - early < 100, `${early.toFixed(0)} MB after a fifth, ${end.toFixed(0)} MB at the end`)
  await isInTheLog()
  await ended(child, 'SIGTERM')
})
