import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { pauseTeam } from '../domain/teams/pause.ts'
import { resumeTeam } from '../domain/teams/resume.ts'
import { addEndpoint } from '../domain/webhooks/add.ts'
import { secretsFrom } from '../infra/secrets.ts'
import { httpWebhooks } from '../integrations/webhooks/http.ts'
import { urlOf } from './app.ts'
import { testDatabase } from './database.ts'
import { aMember, aTeam, aWorkspace } from './factories.ts'
import { until } from './until.ts'
import { allTypes, receiver } from './webhooks.ts'

/** A server that is killed without warning while it sends: everything arrives, each time under its own id. */

const database = await testDatabase()
const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-webhooks-'))
const running = new Set<ChildProcess>()
const key = 'a key for tests that is long enough'

after(async () => {
  for (const child of running) child.kill('SIGKILL')
  await Promise.all([...running].map((child) => once(child, 'exit')))
  await database.close()
  await rm(folder, { recursive: true, force: true })
})

/** One of three servers; what it sends tells which one it was. */
function serve(name: string): ChildProcess {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, '..', 'main.ts'), 'serve'], {
    env: {
      ...process.env,
      ...{ DATABASE_URL: urlOf(database.connection), DATA_DIR: path.join(folder, name), SECRET_KEY: key },
      ...{ PORT: '0', OPERATOR_PORT: 'off', PUBLIC_URL: `http://${name}`, LOG_LEVEL: 'silent' },
      ...{ WEBHOOK_ALLOW: '127.0.0.1', DATABASE_CONNECTIONS: '3' },
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  running.add(child)
  child.once('exit', (code) => {
    running.delete(child)
    // Whoever runs it starts it again; only who was killed stays away.
    if (code !== null) servers.set(name, serve(name))
  })
  return child
}

const servers = new Map<string, ChildProcess>()

test('kill -9 before an answer and right after it: every event arrives, and again only under the same id', async (t) => {
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  const team = await aTeam(owner)
  for (const name of ['one', 'two', 'three']) servers.set(name, serve(name))
  /** Whoever sends this message dies: before it is answered, or when it has been. */
  const deaths = new Map<number, 'before' | 'after'>([
    [4, 'before'],
    [17, 'after'],
  ])
  let count = 0
  const host = await receiver(t, ({ body }, response) => {
    count += 1
    const die = () => servers.get(new URL(JSON.parse(body).data.url).hostname)!.kill('SIGKILL')
    const death = deaths.get(count)
    if (death === 'before') die()
    else response.writeHead(204).end(() => death === 'after' && die())
  })
  const sender = httpWebhooks({ allow: ['127.0.0.1'] })
  const { id, secret } = await addEndpoint(
    owner,
    { secrets: secretsFrom(key), sender },
    { url: host.url, description: '', events: allTypes, teams: null },
  )
  for (let round = 0; round < 15; round += 1) {
    await pauseTeam(owner, team.slug)
    await resumeTeam(owner, team.slug)
  }
  const { rows } = await database.pool.query<{ event_id: string }>(
    'select event_id from webhook_deliveries where endpoint_id = $1',
    [id],
  )
  assert.equal(rows.length, 30)
  await until('everything is known to have arrived', async () => {
    const { rows: left } = await database.pool.query(
      `select from webhook_deliveries where endpoint_id = $1 and state <> 'delivered'`,
      [id],
    )
    return left.length === 0
  })
  assert.ok(count > 30, 'what had no answer was sent again')
  const got = host.verified(secret)
  const ids = new Set(got.map((one) => one.id))
  assert.deepEqual(
    [...ids].toSorted(),
    rows.map(({ event_id }) => `msg_${event_id.replaceAll('-', '')}`).toSorted(),
  )
  assert.equal([...servers.values()].filter((server) => server.signalCode === 'SIGKILL').length, 2)
})
