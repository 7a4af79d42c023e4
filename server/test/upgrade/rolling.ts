import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { verifyLog } from '../../domain/record/seals/verify-log.ts'
import { openDatabase } from '../../infra/db/db.ts'
import { type Cluster, startCluster } from '../../infra/db/embedded.ts'
import { secretsFrom } from '../../infra/secrets.ts'
import { urlOf } from '../app.ts'
import { until } from '../until.ts'
import { lastRelease, lastReleaseFolder } from './last-release.ts'
import { balance, checkout, type NodeProcess, startNode } from './node-process.ts'
import { Traffic } from './traffic.ts'

/**
 * `npm run test:upgrade`: two nodes of the last release are replaced by two of this code, one after the other, on one
 * database and under traffic. The first run installs the last release, which takes minutes.
 */

const secretKey = 'a key for tests that is long enough'
const started: NodeProcess[] = []
let folder: string
let cluster: Cluster
let client: pg.Client

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'signalbox-upgrade-'))
  cluster = await startCluster(folder, { log: () => {} })
  client = new pg.Client(cluster.connection)
  await client.connect()
})
after(async () => {
  for (const node of started) node.kill()
  await client?.end()
  await cluster?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function start(name: string, sources: string): Promise<NodeProcess> {
  const node = await startNode(name, sources, {
    ...{ DATABASE_URL: urlOf(cluster.connection), SECRET_KEY: secretKey, STOP_GRACE_SECONDS: '0' },
    DATA_DIR: path.join(folder, name.replaceAll(' ', '-')),
  })
  started.push(node)
  return node
}

test('an upgrade node by node under traffic refuses, loses and doubles nothing', async (t) => {
  const release = await lastReleaseFolder()
  const oldOnes = [await start('old 1', release), await start('old 2', release)]
  const traffic = new Traffic([...oldOnes])
  const printed = oldOnes.map((node) => node.printed).join('')
  await traffic.prepare(/\/setup\?code=([\w-]+)/.exec(printed)![1]!)
  const { token } = await traffic.write<{ token: string }>('tokens.create', {
    ...{ name: 'runner', permissions: ['read'], expires: '30d' },
  })
  const balancer = await balance(traffic.nodes)
  const runner = startRunner(release, balancer.url, token)
  t.after(() => {
    runner.child.kill('SIGKILL')
    balancer.close()
  })
  traffic.begin()

  /** Until each of them has taken so many deliveries and an answer from now on. */
  const used = async (nodes: NodeProcess[], deliveries = 150) => {
    const [sent, answered] = [traffic.accepted.length, traffic.answered.size]
    await until(`${nodes.map(({ name }) => name).join(', ')} take deliveries and answers`, () => {
      const answers = [...traffic.answered.values()].slice(answered)
      return nodes.every(
        ({ name }) =>
          answers.includes(name) &&
          traffic.accepted.slice(sent).filter(({ by }) => by === name).length >= deliveries,
      )
    })
  }
  await used(oldOnes)
  assert.equal(await newestMigration(), lastRelease.migrations, 'the release is what it says it is')

  const newOnes = [await start('new 1', checkout)]
  const migrated = await newestMigration()
  assert.ok(migrated >= lastRelease.migrations)
  traffic.nodes.push(newOnes[0]!)
  await used([...oldOnes, ...newOnes])
  await revokedEverywhere(traffic)
  await leave(traffic, oldOnes[0]!)
  newOnes.push(await start('new 2', checkout))
  traffic.nodes.push(newOnes[1]!)
  await used([oldOnes[1]!, ...newOnes])
  await leave(traffic, oldOnes[1]!)
  const bothAreNew = new Date()
  await used(newOnes)
  await traffic.end()
  assert.equal(runner.child.exitCode, null, runner.printed())
  await until('the runner of the last release polls the new nodes', async () => {
    const { rowCount } = await client.query('select from runners where last_seen_at > $1', [bothAreNew])
    return rowCount === 1
  })

  assert.deepEqual(traffic.failures, [])
  await until(
    'every incident has asked, and was answered',
    async () => (await traffic.answerTheRest()) >= traffic.opened,
  )
  assert.deepEqual(traffic.failures, [])
  assert.equal(traffic.answered.size, traffic.opened, 'one question each')
  await nothingLost(traffic)
  const errors = started.flatMap((node) => node.errors().map((line) => `${node.name}: ${line}`))
  assert.deepEqual(errors, [])
  t.diagnostic(
    `from ${lastRelease.version}: ${traffic.accepted.length} deliveries, ${traffic.answered.size} answers, ${traffic.brokenOff} requests made again`,
  )
})

/** Nodes of both releases refuse a token as soon as one of them has revoked it. */
async function revokedEverywhere(traffic: Traffic): Promise<void> {
  const statuses = (token: string) =>
    Promise.all(
      traffic.nodes.map(async ({ url }) => {
        const response = await fetch(`${url}/v1/teams`, { headers: { authorization: `Bearer ${token}` } })
        await response.body?.cancel()
        return response.status
      }),
    )
  // Whichever node has its turn creates and revokes it.
  for (let round = 0; round < 6; round += 1) {
    const { id, token } = await traffic.write<{ id: string; token: string }>('tokens.create', {
      ...{ name: 'short-lived', permissions: ['read'], expires: '30d' },
    })
    assert.deepEqual(await statuses(token), [200, 200, 200])
    await traffic.write('tokens.revoke', { id })
    assert.deepEqual(await statuses(token), [401, 401, 401])
  }
}

function startRunner(release: string, url: string, token: string) {
  const data = path.join(folder, 'runner')
  const args = ['runner/main.ts', '--url', url, '--name', 'builder', '--data', data, '--box', 'none']
  const child = spawn(process.execPath, args, {
    cwd: release,
    env: { PATH: process.env.PATH, HOME: folder, SERVICE_API_KEY: token },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const pipe of [child.stdout, child.stderr])
    pipe.on('data', (chunk) => {
      printed += chunk
    })
  return { child, printed: () => printed }
}

const newestMigration = async () =>
  (await client.query('select max(number) as number from migrations')).rows[0].number as number

async function leave(traffic: Traffic, node: NodeProcess): Promise<void> {
  // A load balancer learns of it only when its next probe fails.
  const stopping = node.stop()
  await until(`${node.name} has been missed`, () => traffic.brokenOff > 0 || node.hasEnded)
  traffic.nodes.splice(traffic.nodes.indexOf(node), 1)
  await stopping
}

/** Everything that was accepted is there once, with its alert and its entry, and the log is as it was sealed. */
async function nothingLost(traffic: Traffic): Promise<void> {
  await until(
    'everything is understood',
    async () => (await client.query('select from intake')).rowCount === 0,
  )
  const counted = async (text: string, values: unknown[] = []) =>
    (await client.query<{ count: number }>(`select count(*)::int as count from ${text}`, values)).rows[0]!
      .count
  const accepted = traffic.accepted.map(({ deliveryId }) => deliveryId)
  assert.equal(new Set(accepted).size, accepted.length)
  assert.equal(await counted('deliveries where id = any ($1)', [accepted]), accepted.length)
  assert.equal(await counted('deliveries'), accepted.length)
  assert.equal(await counted('alerts'), accepted.length)
  assert.equal(await counted('alerts where count <> 1'), 0)
  assert.equal(await counted(`audit_entries where event = 'signal_received'`), accepted.length)
  assert.equal(await counted(`audit_entries where event = 'decision_resolved'`), traffic.answered.size)
  assert.equal(await counted('incidents'), traffic.opened)
  const { signing } = secretsFrom(secretKey)
  const { db, close } = openDatabase({
    ...{ connection: cluster.connection, connections: 2, asAppRole: true },
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
