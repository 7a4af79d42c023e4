import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { Agent, createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { createService } from '../../domain/on-call/services/create.ts'
import { addSource } from '../../domain/on-call/sources/add.ts'
import { secretsFrom } from '../../infra/secrets.ts'
import { urlOf } from '../app.ts'
import { testDatabase } from '../database.ts'
import { Collector } from '../doubles/collector.ts'
import { aMember, aTeam, aToken, aWorkspace } from '../factories.ts'
import { until } from '../until.ts'

/**
 * `serve --workers`: several processes on one port behave as one server, and clients do not notice when one is killed.
 */

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-workers-'))
const secretKey = 'a key for tests that is long enough'
const database = await testDatabase()
const collector = await new Collector().start()
const server = await serve(3)
after(async () => {
  if (server.child.exitCode === null) server.child.kill('SIGKILL')
  await collector.stop()
  await database.close()
  await rm(folder, { recursive: true, force: true })
})

const owner = await aMember(await aWorkspace(database.db), 'owner')

interface Line {
  msg: string
  worker?: number
  pid?: number
  url?: string
}

async function serve(count: number): Promise<{ child: ChildProcess; url: string; said: Line[] }> {
  const child = spawn(
    process.execPath,
    [path.join(import.meta.dirname, '..', '..', 'main.ts'), 'serve', '--workers', String(count)],
    {
      env: {
        ...process.env,
        DATABASE_URL: urlOf(database.connection),
        DATABASE_CONNECTIONS: '3',
        SECRET_KEY: secretKey,
        DATA_DIR: folder,
        PORT: '0',
        OPERATOR_PORT: 'off',
        LOG_LEVEL: 'info',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_TRACES_EXPORTER: 'none',
        OTEL_METRIC_EXPORT_INTERVAL: '500',
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  const said: Line[] = []
  let rest = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    for (const line of lines) if (line.startsWith('{')) said.push(JSON.parse(line))
  })
  const serving = () => said.find(({ msg }) => msg === 'serving with workers')
  await until('it serves', () => serving() !== undefined || child.exitCode !== null)
  return { child, url: serving()!.url!, said }
}

/** The processes whose parent that is. */
async function childrenOf(pid: number): Promise<number[]> {
  const tasks = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return tasks.trim().split(' ').filter(Boolean).map(Number)
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** On a connection of its own, so that the next worker gets it. */
function ask(method: string, address: string, headers: Record<string, string>, body?: string) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>(
    (resolve, reject) => {
      const agent = new Agent({ keepAlive: false })
      const sent = request(address, { method, headers, agent }, (response) => {
        let text = ''
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('error', reject)
        response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }))
      })
      sent.on('error', reject)
      sent.end(body)
    },
  )
}

test('120 requests a minute are those of all workers together, and each is told how many are left', async () => {
  const { token } = await aToken(owner)
  const left: number[] = []
  const refused: number[] = []
  for (let round = 0; round < 5; round += 1) {
    const replies = await Promise.all(
      Array.from({ length: 26 }, () =>
        ask('GET', `${server.url}/v1/teams`, { authorization: `Bearer ${token}` }),
      ),
    )
    for (const { status, headers } of replies)
      if (status === 200) left.push(Number(headers['x-ratelimit-remaining']))
      else refused.push(status)
  }
  assert.deepEqual(
    left.sort((a, b) => b - a),
    Array.from({ length: 120 }, (_, n) => 119 - n),
  )
  assert.deepEqual(refused, Array(10).fill(429))
})

test('a worker that is killed in a storm of alerts is replaced, and nothing that was accepted is lost', async () => {
  const { slug: team } = await aTeam(owner)
  const service = fromJson(await createService(owner, { name: 'checkout', team, settings: {} }))
  const made = await addSource(owner, secretsFrom(secretKey), {
    kind: 'generic',
    name: 'Scripts',
    services: [service.id],
  })
  const { token } = fromJson(made.source)
  const accepted: string[] = []
  let broken = 0
  let stopped = false
  const send = async () => {
    while (!stopped) {
      const body = JSON.stringify({ title: 'Slow', fingerprint: randomUUID(), severity: 'info' })
      const signature = createHmac('sha256', made.secret!).update(body).digest('hex')
      try {
        const { status, text } = await ask(
          'POST',
          `${server.url}/signals/${token}`,
          { 'content-type': 'application/json', 'x-service-signature': `sha256=${signature}` },
          body,
        )
        assert.equal(status, 202, text)
        accepted.push(JSON.parse(text).deliveryId)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error
        broken += 1
      }
      // Storm enough: without this the new worker waits for those who write down what is sent in the meantime.
      await sleep(10)
    }
  }
  const senders = Promise.all(Array.from({ length: 8 }, send))
  await until('some are accepted', () => accepted.length >= 50)
  const [victim] = await childrenOf(server.child.pid!)
  assert.equal(broken, 0)
  process.kill(victim!, 'SIGKILL')
  const before = accepted.length
  await until('the others go on', () => accepted.length >= before + 50)
  await until('it is replaced', () => server.said.some(({ msg }) => msg === 'the worker was replaced'))
  const again = accepted.length
  const brokenByTheKill = broken
  await until('all go on', () => accepted.length >= again + 50)
  stopped = true
  await senders

  const ended = server.said.find(({ msg }) => msg === 'a worker stopped; starting another in its place')
  assert.equal(ended?.pid, victim)
  assert.equal((await childrenOf(server.child.pid!)).length, 3)
  // Until the primary knows that a worker is gone it hands connections to it; after that, none breaks any more.
  assert.equal(broken, brokenByTheKill)
  assert.equal(new Set(accepted).size, accepted.length)
  await until('every delivery is there with its audit entry', async () => {
    const { rows } = await database.pool.query<{ written: number; entries: number }>(
      `select (select count(*)::int from deliveries where id = any($1)) as written,
         (select count(*)::int from audit_entries
          where event = 'signal_received' and entry::json #>> '{details,delivery}' = any($1::text[])) as entries`,
      [accepted],
    )
    return rows[0]!.written === accepted.length && rows[0]!.entries === accepted.length
  })
})

test('a collector is sent what every worker counts, and how many serve and were replaced', async () => {
  const newest = (name: string) => collector.metrics.findLast((one) => one.name === name)?.points ?? []
  await until('all of it is collected', () => {
    const serving = newest('signalbox_workers').find(({ attributes }) => attributes.state === 'serving')
    const replaced = newest('signalbox_workers_replaced_total')[0]
    return serving?.value === 3 && (replaced?.value ?? 0) >= 1
  })
  const requests = collector.metrics.filter(({ name }) => name === 'signalbox_http_request_seconds')
  const workers = new Set(requests.flatMap(({ points }) => points.map(({ attributes }) => attributes.worker)))
  assert.deepEqual([...workers].toSorted(), ['1', '2', '3'])
})

test('told to stop, it leaves no process behind', async () => {
  const workers = await childrenOf(server.child.pid!)
  server.child.kill('SIGTERM')
  const [code] = await once(server.child, 'exit')
  assert.equal(code, 0)
  assert.deepEqual(workers.filter(isAlive), [])
  assert.ok(!server.said.some(({ msg }) => msg === 'a part did not stop cleanly'))
})

test('workers do not outlive a primary that was killed', async () => {
  const { child } = await serve(2)
  const workers = await childrenOf(child.pid!)
  assert.equal(workers.length, 2)
  child.kill('SIGKILL')
  await until('they are gone', () => !workers.some(isAlive))
})

test('a port that is taken, or a number that is none, is told in one sentence', async () => {
  const taken = createServer().listen(0, '127.0.0.1').unref()
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  const told = async (args: string[], expected: number) => {
    const child = spawn(
      process.execPath,
      [path.join(import.meta.dirname, '..', '..', 'main.ts'), 'serve', ...args],
      {
        env: {
          ...process.env,
          DATABASE_URL: urlOf(database.connection),
          DATABASE_CONNECTIONS: '3',
          SECRET_KEY: secretKey,
          DATA_DIR: folder,
          PORT: String(port),
          OPERATOR_PORT: 'off',
          LOG_LEVEL: 'error',
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    )
    let text = ''
    child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    const [code] = await once(child, 'close')
    assert.equal(code, expected)
    return text
  }
  assert.match(await told(['--workers', '2'], 1), /^PORT \d+ is already in use on 127\.0\.0\.1\. [^\n]*\n$/)
  assert.match(
    await told(['--workers', 'many'], 2),
    /^--workers takes a whole number from 1 to 64[^\n]*\n\nUsage: /,
  )
  taken.close()
})
