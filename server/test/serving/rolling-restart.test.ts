import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { createService } from '../../domain/on-call/services/create.ts'
import { addSource } from '../../domain/on-call/sources/add.ts'
import { unusedPort } from '../../infra/http/server.ts'
import { secretsFrom } from '../../infra/secrets.ts'
import { get, urlOf } from '../app.ts'
import { testDatabase } from '../database.ts'
import { aMember, aTeam, aWorkspace } from '../factories.ts'
import { until } from '../until.ts'

/**
 * Two nodes behind the proxy of compose.yaml, restarted in turn while alerts come in. FAULTS=all sends ten thousand
 * (`npm run test:faults`), and needs haproxy.
 */

const wanted = process.env.FAULTS === 'all' ? 10_000 : 0
const skip = wanted === 0 ? 'FAULTS=all plays it' : whyNoProxy()

const root = path.join(import.meta.dirname, '..', '..', '..')
const secretKey = 'a key for tests that is long enough'
const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-rolling-'))
const started: ChildProcess[] = []
after(async () => {
  for (const child of started) if (child.exitCode === null) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

function whyNoProxy(): string | false {
  try {
    execFileSync('haproxy', ['-v'], { stdio: 'ignore' })
    return false
  } catch {
    return 'haproxy is not there (Debian: apt install haproxy)'
  }
}

const statistics = path.join(folder, 'haproxy.sock')

/** Whether the proxy sends requests to it again. */
async function isSeen(node: number): Promise<boolean> {
  const socket = connect(statistics)
  socket.end('show stat\n')
  const line = new RegExp(`^nodes,server-${node},.*`, 'm').exec(await text(socket))
  return line?.[0].split(',').includes('UP') ?? false
}

const anyPort = () => unusedPort({ host: '127.0.0.1', port: 0 })

async function startNode(databaseUrl: string, port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [path.join(root, 'server', 'main.ts'), 'serve'], {
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      DATABASE_CONNECTIONS: '6',
      SECRET_KEY: secretKey,
      DATA_DIR: folder,
      PORT: String(port),
      OPERATOR_PORT: 'off',
      LOG_LEVEL: 'error',
      STOP_GRACE_SECONDS: '3',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  started.push(child)
  await until('it is ready', async () => {
    const answer = await get(`http://127.0.0.1:${port}/readyz`).catch(() => null)
    return answer?.status === 200
  })
  return child
}

/** The configuration as shipped, but for where it listens and where the nodes are. */
async function startProxy(nodes: number[]): Promise<number> {
  const port = await anyPort()
  const shipped = await readFile(path.join(root, 'deploy', 'compose', 'haproxy.cfg'), 'utf8')
  const adapted = shipped
    .replace(/bind :8443 .*/, `bind 127.0.0.1:${port}`)
    .replaceAll(
      /server server-(\d) \S+ check .*/g,
      (_, n) => `server server-${n} 127.0.0.1:${nodes[n - 1]} check`,
    )
    .replace(/resolvers names[\s\S]*/, '')
    .replace('global\n', `global\n  stats socket ${statistics}\n`)
  const file = path.join(folder, 'haproxy.cfg')
  await writeFile(file, adapted)
  started.push(spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' }))
  await until(
    'the proxy answers',
    async () => (await get(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.status === 200,
  )
  return port
}

test('two nodes that are restarted in turn behind a proxy refuse and lose nothing', { skip }, async () => {
  const database = await testDatabase()
  after(() => database.close())
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  const { slug: team } = await aTeam(owner)
  const { id } = fromJson(await createService(owner, { name: 'checkout', team, settings: {} }))
  const made = await addSource(owner, secretsFrom(secretKey), {
    ...{ kind: 'generic' as const, name: 'Scripts', services: [id] },
  })
  const address = `/signals/${fromJson(made.source).token}`

  const databaseUrl = urlOf(database.connection)
  const ports = [await anyPort(), await anyPort()]
  const nodes = [await startNode(databaseUrl, ports[0]!), await startNode(databaseUrl, ports[1]!)]
  const proxy = await startProxy(ports)

  const accepted: string[] = []
  const refused: string[] = []
  let restarts = 0
  const send = (agent: Agent) =>
    new Promise<void>((resolve) => {
      const body = JSON.stringify({ title: 'Slow', fingerprint: randomUUID(), severity: 'info' })
      const signature = createHmac('sha256', made.secret!).update(body).digest('hex')
      const headers = { 'content-type': 'application/json', 'x-service-signature': `sha256=${signature}` }
      const fail = (why: string) => {
        refused.push(why)
        resolve()
      }
      request(
        { host: '127.0.0.1', port: proxy, path: address, method: 'POST', headers, agent },
        (response) => {
          let answer = ''
          response.setEncoding('utf8').on('data', (chunk) => {
            answer += chunk
          })
          response.on('error', ({ message }) => fail(message))
          response.on('end', () => {
            if (response.statusCode !== 202) return fail(`${response.statusCode} ${answer}`)
            accepted.push(JSON.parse(answer).deliveryId)
            resolve()
          })
        },
      )
        .on('error', ({ message }) => fail(message))
        .end(body)
    })
  const isEnough = () => accepted.length + refused.length >= wanted && restarts >= 4
  const clients = Promise.all(
    Array.from({ length: 16 }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      while (!isEnough()) await send(agent)
      agent.destroy()
    }),
  )
  for (let turn = 0; restarts < 4; turn = 1 - turn) {
    const before = accepted.length
    await until('some are accepted', () => accepted.length >= before + 200)
    const ended = once(nodes[turn]!, 'exit')
    nodes[turn]!.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
    nodes[turn] = await startNode(databaseUrl, ports[turn]!)
    // As a rolling restart goes: the next one follows when the first has work again.
    await until('the proxy sees it', () => isSeen(turn + 1))
    restarts += 1
  }
  await clients

  assert.deepEqual(refused, [])
  assert.equal(new Set(accepted).size, accepted.length)
  // An answer comes after its commit; the rounds that make deliveries of what was committed follow.
  await until('every accepted delivery is there', async () => {
    const { rows } = await database.pool.query<{ written: number }>(
      'select count(*)::int as written from deliveries where id = any($1)',
      [accepted],
    )
    return rows[0]!.written === accepted.length
  })
})
