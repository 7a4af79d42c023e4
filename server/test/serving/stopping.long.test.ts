import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { get, urlOf } from '../app.ts'
import { testDatabase } from '../database.ts'
import { aMember, aToken, aWorkspace } from '../factories.ts'
import { until } from '../until.ts'

/**
 * Load balancers are told before the listener closes, so that no request meets a closed port. FAULTS=all sends ten
 * thousand requests to two nodes that stop in turn (`npm run test:faults`).
 */

const isThorough = process.env.FAULTS === 'all'
const wanted = isThorough ? 10_000 : 1_000

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-stopping-'))
after(() => rm(folder, { recursive: true, force: true }))

const database = await testDatabase()
after(() => database.close())

async function serve(args: string[]) {
  const child = spawn(
    process.execPath,
    [path.join(import.meta.dirname, '..', '..', 'main.ts'), 'serve', '--json', ...args],
    {
      env: {
        ...process.env,
        DATABASE_URL: urlOf(database.connection),
        DATABASE_CONNECTIONS: '3',
        SECRET_KEY: 'a key for tests that is long enough',
        DATA_DIR: folder,
        PORT: '0',
        OPERATOR_PORT: 'off',
        LOG_LEVEL: 'error',
        STOP_GRACE_SECONDS: '2',
        RATE_LIMIT_PER_MINUTE: '1000000',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const ended = once(child, 'exit')
  const [line] = await Promise.race([
    once(createInterface(child.stdout!), 'line'),
    ended.then(() => assert.fail('it ended')),
  ])
  return { child, ended, url: JSON.parse(line).url as string }
}

/** One client that keeps its connection, as a load balancer does, until it is told that the server is not ready. */
async function keepAsking(url: string, isOver: () => boolean) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const seen = { answered: 0, failed: 0, toldToClose: 0 }
  // The other worker may be told a moment later.
  while (!isOver() || (seen.toldToClose === 0 && seen.failed === 0)) {
    const { promise, resolve } = Promise.withResolvers<void>()
    request(`${url}/v1/teams`, { agent }, (response) => {
      seen.answered += 1
      if (response.headers.connection === 'close') seen.toldToClose += 1
      response.resume().on('end', resolve)
    })
      .on('error', () => {
        seen.failed += 1
        resolve()
      })
      .end()
    await promise
  }
  agent.destroy()
  return seen
}

for (const args of [[], ['--workers', '2']])
  test(`after SIGTERM it is not ready first, and still answers everybody: serve ${args.join(' ')}`, async () => {
    const { child, ended, url } = await serve(args)
    let isOver = false
    const asking = Promise.all([1, 2, 3].map(() => keepAsking(url, () => isOver)))
    assert.equal((await get(`${url}/readyz`)).status, 200)
    child.kill('SIGTERM')
    await until('it is not ready', async () => (await get(`${url}/readyz`)).status === 503)
    // The grace period is not over: clients that have not noticed yet are still served.
    assert.equal((await get(`${url}/v1/teams`)).status, 401)
    isOver = true
    for (const { answered, failed, toldToClose } of await asking) {
      assert.ok(answered > 0 && toldToClose > 0, 'kept connections are told to end')
      assert.equal(failed, 0)
    }
    assert.deepEqual(await ended, [0, null])
  })

/** Resolves when the whole answer is there. */
function ask(url: string, token: string, agent: Agent) {
  return new Promise<{ status: number; isLast: boolean }>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` }
    request(`${url}/v1/teams`, { agent, headers }, (response) => {
      const answer = { status: response.statusCode!, isLast: response.headers.connection === 'close' }
      response
        .resume()
        .on('error', reject)
        .on('end', () => resolve(answer))
    })
      .on('error', reject)
      .end()
  })
}

test('of thousands of requests on kept connections, none fails while a node stops', async () => {
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  const { token } = await aToken(owner)
  const nodes = [await serve([]), await serve([])]
  const failed: string[] = []
  let answered = 0
  let isStopped = false
  const isOver = () => failed.length > 0 || (answered >= wanted && isStopped)

  /** Goes to the other node when its own asks it to leave, and at no other time. */
  async function client(at: number) {
    for (; !isOver(); at = 1 - at) {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const { url } = nodes[at]!
      for (let isLast = false; !isLast && !isOver(); ) {
        const answer = await ask(url, token, agent).catch(({ message }: Error) => message)
        if (typeof answer === 'string' || answer.status !== 200) failed.push(JSON.stringify(answer))
        else {
          answered += 1
          isLast = answer.isLast
        }
      }
      agent.destroy()
    }
  }

  const clients = Promise.all(Array.from({ length: 8 }, (_, index) => client(index % 2)))
  for (const turn of isThorough ? [0, 1] : [0]) {
    // The other one is back before this one goes.
    if (turn === 1) nodes[0] = await serve([])
    const before = answered
    await until('some are answered', () => failed.length > 0 || answered >= before + wanted / 4)
    const stopping = nodes[turn]!
    stopping.child.kill('SIGTERM')
    assert.deepEqual(await stopping.ended, [0, null])
  }
  isStopped = true
  await clients
  assert.deepEqual(failed, [])
  for (const { child } of nodes) child.kill('SIGTERM')
  await Promise.all(nodes.map(({ ended }) => ended))
})
