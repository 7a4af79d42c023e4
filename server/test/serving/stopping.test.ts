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
import { template } from '../cluster.ts'
import { emptyDatabase } from '../database.ts'
import { until } from '../until.ts'

/** Load balancers are told before the listener closes, so that no request meets a closed port. */

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-stopping-'))
after(() => rm(folder, { recursive: true, force: true }))

async function serve(args: string[]) {
  const child = spawn(
    process.execPath,
    [path.join(import.meta.dirname, '..', '..', 'main.ts'), 'serve', '--json', ...args],
    {
      env: {
        ...process.env,
        DATABASE_URL: urlOf(await emptyDatabase(template)),
        DATABASE_CONNECTIONS: '3',
        SECRET_KEY: 'a key for tests that is long enough',
        DATA_DIR: folder,
        PORT: '0',
        OPERATOR_PORT: 'off',
        LOG_LEVEL: 'error',
        STOP_GRACE_SECONDS: '2',
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
