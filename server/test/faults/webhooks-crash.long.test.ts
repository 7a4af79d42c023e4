import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AuditEntry } from '@signalbox/contract/audit.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { WebhookMessage } from '@signalbox/contract/webhooks.ts'
import { Webhook } from 'standardwebhooks'
import { createService } from '../../domain/on-call/services/create.ts'
import { addSource } from '../../domain/on-call/sources/add.ts'
import { publicEventsOf } from '../../domain/record/audit/public-events.ts'
import { verifyLog } from '../../domain/record/seals/verify-log.ts'
import { addEndpoint } from '../../domain/tools/webhooks/add.ts'
import { firstExecutor, presets } from '../../domain/work/policies/presets.ts'
import { pauseTeam } from '../../domain/work/teams/pause.ts'
import { resumeTeam } from '../../domain/work/teams/resume.ts'
import { unusedPort } from '../../infra/http/server.ts'
import { secretsFrom } from '../../infra/secrets.ts'
import { httpWebhooks } from '../../integrations/webhooks/http.ts'
import { urlOf } from '../app.ts'
import { testDatabase } from '../database.ts'
import { aMember, aTeam, aWorkspace } from '../factories.ts'
import type { Asked } from '../hosts/http-host.ts'
import { moments } from '../moments.ts'
import { signedIn } from '../signed-in.ts'
import { allTypes, receiver } from '../tools/webhooks.ts'
import { until } from '../until.ts'

/**
 * A server that is killed without warning while it sends: everything arrives, each time under its own id.
 *
 * FAULTS=all also kills it at random moments, KILLS times on one node and on two (`npm run test:faults`); SEED chooses
 * the moments, so that a failure can be played again.
 */

const isWhole = process.env.FAULTS === 'all'
const kills = Number(process.env.KILLS ?? 25)
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1_000_000))

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-webhooks-'))
const running = new Set<ChildProcess>()
const key = 'a key for tests that is long enough'
const secrets = secretsFrom(key)
const sender = httpWebhooks({ allow: ['127.0.0.1'] })

after(async () => {
  for (const child of running) child.kill('SIGKILL')
  await Promise.all([...running].map((child) => once(child, 'exit')))
  await rm(folder, { recursive: true, force: true })
})

async function aDatabase(t: TestContext) {
  const database = await testDatabase()
  t.after(() => database.close())
  return database
}
type Database = Awaited<ReturnType<typeof aDatabase>>

function start(database: Database, name: string, env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, '..', '..', 'main.ts'), 'serve'], {
    env: {
      ...process.env,
      ...{ DATABASE_URL: urlOf(database.connection), DATA_DIR: path.join(folder, name), SECRET_KEY: key },
      ...{ PORT: '0', OPERATOR_PORT: 'off', WEBHOOK_ALLOW: '127.0.0.1', DATABASE_CONNECTIONS: '3' },
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

test('kill -9 before an answer and right after it: every event arrives, and again only under the same id', async (t) => {
  const database = await aDatabase(t)
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  const team = await aTeam(owner)
  const servers = new Map<string, ChildProcess>()
  /** One of three; what it sends tells which one it was. */
  const serve = (name: string) => {
    const child = start(database, name, { PUBLIC_URL: `http://${name}`, LOG_LEVEL: 'silent' })
    servers.set(name, child)
    child.stderr!.pipe(process.stderr)
    // Restart a server that exited, as an operator would; only a killed one stays down.
    child.once('exit', (code) => code !== null && serve(name))
  }
  for (const name of ['one', 'two', 'three']) serve(name)
  /** The server that sends this message dies: before it is answered, or right after. */
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
  const { id, secret } = await addEndpoint(
    owner,
    { secrets, sender },
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
  assert.deepEqual([...ids].toSorted(), rows.map(({ event_id }) => idOf(event_id)).toSorted())
  assert.equal([...servers.values()].filter((server) => server.signalCode === 'SIGKILL').length, 2)
})

const idOf = (entryId: string) => `msg_${entryId.replaceAll('-', '')}`

/** What happens around the servers, and can be the moment to strike. */
const happenings = [
  'message came',
  'message was answered',
  'change was asked for',
  'change was answered',
] as const
type Happening = (typeof happenings)[number]

/** After so many of these, and so many milliseconds; with `null`, after the last strike: a server that only starts. */
interface Strike {
  after: Happening | null
  count: number
  waitMs: number
  /** Places in the list of nodes. */
  victims: number[]
}

function aStrike(chance: () => number, nodes: number): Strike {
  const less = (than: number) => Math.floor(chance() * than)
  const isEarly = chance() < 0.15
  return {
    after: isEarly ? null : happenings[less(happenings.length)]!,
    count: 1 + less(40),
    // Mostly right then; a start takes longer than what it does to a message.
    waitMs: isEarly ? less(1_500) : chance() < 0.5 ? 0 : less(40),
    victims: nodes > 1 && chance() < 0.2 ? Array.from({ length: nodes }, (_, one) => one) : [less(nodes)],
  }
}

/** The same for all nodes: it is part of what they send. */
const publicUrl = 'http://signalbox.example.com'

interface Place {
  child: ChildProcess
  /** Null while it starts. */
  url: string | null
}

/** Servers that are started again as soon as they have ended, and what strikes them. */
class Nodes {
  readonly #database: Database
  readonly #ports: number[]
  readonly #places: Place[] = []
  #armed: { after: Happening; count: number; strike: () => void } | null = null
  #isOver = false
  /** Those that ended on their own, with what they said. */
  readonly failed: string[] = []
  killed = 0

  /** One for each port. */
  constructor(database: Database, ports: number[]) {
    this.#database = database
    this.#ports = ports
    for (const place of ports.keys()) this.#start(place)
  }

  #start(place: number): void {
    const port = this.#ports[place]!
    const child = start(this.#database, `place-${place}`, {
      ...{ PORT: `${port}`, PUBLIC_URL: publicUrl, LOG_LEVEL: 'info', RATE_LIMIT_PER_MINUTE: '1000000' },
    })
    const one: Place = { child, url: null }
    this.#places[place] = one
    let said = ''
    child.stderr!.on('data', (chunk) => {
      if (one.url) return
      said += chunk
      if (said.includes('"msg":"serving"')) one.url = `http://127.0.0.1:${port}`
    })
    child.once('exit', (code) => {
      if (code !== null && !this.#isOver) this.failed.push(said)
      if (!this.#isOver) this.#start(place)
    })
  }

  /** One that serves, or what was served last by one that is about to be found dead. */
  async any(chance: () => number): Promise<string> {
    let found: string | undefined
    await until('a server serves', () => {
      const urls = this.#places.flatMap(({ url }) => url ?? [])
      found = urls[Math.floor(chance() * urls.length)]
      return found !== undefined
    })
    return found!
  }

  happened(what: Happening): void {
    if (this.#armed?.after !== what) return
    this.#armed.count -= 1
    if (this.#armed.count > 0) return
    const { strike } = this.#armed
    this.#armed = null
    strike()
  }

  async strike({ after: what, count, waitMs, victims }: Strike): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const kill = () => {
      for (const victim of victims) this.#kill(victim)
    }
    const strike = () => {
      // Without a wait they die before the caller continues.
      if (waitMs === 0) kill()
      resolve()
    }
    if (what === null) strike()
    else this.#armed = { after: what, count, strike }
    await promise
    if (waitMs === 0) return
    await sleep(waitMs)
    kill()
  }

  #kill(place: number): void {
    if (this.#places[place]!.child.kill('SIGKILL')) this.killed += 1
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(
      this.#places.map(({ child }) => {
        if (child.exitCode !== null || child.signalCode !== null) return null
        child.kill('SIGTERM')
        return once(child, 'exit')
      }),
    )
  }
}

interface Copy {
  id: string
  body: string
  message: WebhookMessage
}

/** An endpoint that checks what comes when it comes, and keeps all copies. */
async function anEndpoint(
  t: TestContext,
  nodes: () => Nodes | undefined,
  answer: (copies: number, respond: (status: number | null) => void) => void,
) {
  const copies: Copy[] = []
  const forged: string[] = []
  const seen = new Map<string, number>()
  let verify: (asked: Asked) => unknown = () => assert.fail('It has no secret yet.')
  const host = await receiver(t, (asked, response: ServerResponse) => {
    nodes()?.happened('message came')
    const id = String(asked.headers['webhook-id'])
    try {
      copies.push({ id, body: asked.body, message: verify(asked) as WebhookMessage })
    } catch (error) {
      forged.push(`${id}: ${error}`)
    }
    seen.set(id, (seen.get(id) ?? 0) + 1)
    answer(seen.get(id)!, (status) => {
      if (status === null) return response.destroy()
      response.writeHead(status).end(() => nodes()?.happened('message was answered'))
    })
  })
  return {
    ...{ url: host.url, copies, forged },
    opensWith(secret: string) {
      const webhook = new Webhook(secret)
      verify = ({ body, headers }) => webhook.verify(body, headers as Record<string, string>)
    },
  }
}

for (const count of [1, 2])
  test(`kill -9 at ${kills} random moments on ${count === 1 ? 'one node' : 'two nodes'} (SEED=${seed}): each event reaches each endpoint under one id, with one body, in sequence, and none is invented`, {
    skip: isWhole ? false : 'takes minutes: npm run test:faults',
  }, async (t) => {
    const database = await aDatabase(t)
    const strikesAt = moments(seed + count)
    const chance = moments(seed + 100 + count)
    const workspace = await aWorkspace(database.db)
    const owner = await aMember(workspace, 'owner')
    const teams = [await aTeam(owner), await aTeam(owner)]
    const governed = await aTeam(owner)
    const watched = await aTeam(owner)
    const services = ['checkout', 'labels']
    const ids: string[] = []
    for (const name of services)
      ids.push(
        fromJson(
          await createService(owner, { name, team: watched.slug, settings: { lowestSeverity: 'info' } }),
        ).id,
      )
    const source = await addSource(owner, secrets, { kind: 'generic', name: 'Scripts', services: ids })
    let nodes: Nodes | undefined

    const endpoints = {
      prompt: await anEndpoint(
        t,
        () => nodes,
        (_, respond) => respond(204),
      ),
      slow: await anEndpoint(
        t,
        () => nodes,
        (_, respond) => void setTimeout(respond, chance() * 120, 204),
      ),
      // Says no to a third the first time, and nothing at all to a few of them.
      failing: await anEndpoint(
        t,
        () => nodes,
        (copies, respond) => respond(copies > 1 || chance() > 0.35 ? 204 : chance() < 0.1 ? null : 500),
      ),
    }
    for (const endpoint of Object.values(endpoints)) {
      const settings = { url: endpoint.url, description: '', events: allTypes, teams: null }
      endpoint.opensWith((await addEndpoint(owner, { secrets, sender }, settings)).secret)
    }
    const { rows: before } = await database.pool.query<{ id: string }>(
      'select id from audit_entries order by id desc limit 1',
    )
    const { cookie } = await signedIn(
      { url: '', storage: { db: database.db, secrets } },
      { ...owner, slug: workspace.slug },
    )

    const ports: number[] = []
    while (ports.length < count) ports.push(await unusedPort({ port: 0, host: '127.0.0.1' }))
    nodes = new Nodes(database, ports)
    t.after(() => nodes!.stop())
    let isOver = false
    const unexpected: string[] = []

    /** The status; null: there was no response, so the call may or may not have been done. */
    async function ask(path: string, body: string, headers: Record<string, string>): Promise<number | null> {
      const url = await nodes!.any(chance)
      try {
        nodes!.happened('change was asked for')
        const response = await fetch(url + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body,
        })
        const text = await response.text()
        nodes!.happened('change was answered')
        if (![200, 202, 409].includes(response.status)) unexpected.push(`${path}: ${response.status} ${text}`)
        return response.status
      } catch {
        return null
      }
    }
    const write = (operation: string, input: object) =>
      ask(`/api/w/${workspace.slug}/${operation}`, JSON.stringify(input), {
        ...{ cookie, origin: publicUrl },
      })

    /**
     * Repeats the same change until it is known to have been made, once: a refusal means that an earlier call without a
     * response had made it. Counts what is known.
     */
    const known: Record<string, number> = {}
    async function certainly(object: string, operation: string, input: object): Promise<void> {
      while ((await write(operation, input)) === null);
      known[object] = (known[object] ?? 0) + 1
      await sleep(40 + chance() * 60)
    }
    const makers = [
      ...teams.map(async ({ slug }) => {
        while (!isOver) {
          await certainly(`team/${slug}`, 'teams.pause', { team: slug })
          await certainly(`team/${slug}`, 'teams.resume', { team: slug })
        }
      }),
      (async () => {
        for (let version = 1; !isOver; version += 1)
          await certainly(`policy/${governed.slug}`, 'policies.change', {
            ...{ team: governed.slug, preset: 'supervised', basedOn: version - 1 },
            settings: { ...presets.supervised, executor: firstExecutor, maxConcurrency: version },
          })
      })(),
      (async () => {
        for (let number = 0; !isOver; number += 1) {
          const body = JSON.stringify({
            ...{ title: 'Queue is growing', fingerprint: `queue ${number >> 1}` },
            ...{ service: services[(number >> 1) % 2], status: number % 2 === 0 ? 'firing' : 'resolved' },
          })
          const signature = createHmac('sha256', source.secret!).update(body).digest('hex')
          await ask(`/signals/${fromJson(source.source).token}`, body, {
            'x-service-signature': `sha256=${signature}`,
          })
          await sleep(60 + chance() * 60)
        }
      })(),
    ]
    for (let number = 0; number < kills; number += 1) await nodes.strike(aStrike(strikesAt, count))
    isOver = true
    await Promise.all(makers)
    await until('everything is known to have arrived', async () => {
      const { rows } = await database.pool.query<{ left: boolean }>(
        `select exists (select from intake) or exists (select from webhook_deliveries where state <> 'delivered') as left`,
      )
      return !rows[0]!.left
    })
    await nodes.stop()
    assert.deepEqual(nodes.failed, [], 'no server ended by itself')
    assert.deepEqual(unexpected, [])

    // What is in the log was committed, and nothing else was.
    const { rows: written } = await database.pool.query<{ entry: string }>(
      'select entry from audit_entries where workspace_id = $1 and id > $2 order by id',
      [owner.workspaceId, before[0]!.id],
    )
    const events = publicEventsOf(written.map(({ entry }) => JSON.parse(entry) as AuditEntry))
    const expected = new Map(events.map((event) => [idOf(event.id), event]))
    const bodies = new Map<string, string>()
    for (const [name, { copies, forged }] of Object.entries(endpoints)) {
      assert.deepEqual(forged, [], `${name}: every copy is signed`)
      const arrived = new Set(copies.map(({ id }) => id))
      assert.deepEqual(
        [...expected.keys()].filter((id) => !arrived.has(id)),
        [],
        `${name}: lost`,
      )
      assert.deepEqual(
        [...arrived].filter((id) => !expected.has(id)),
        [],
        `${name}: invented`,
      )
      for (const { id, body, message } of copies) {
        assert.equal(body, bodies.get(id) ?? body, `${name}: copies of ${id} differ`)
        bodies.set(id, body)
        const { type, data } = expected.get(id)!
        const { url, sequence, ...said } = message.data
        assert.deepEqual([message.type, said], [type, data])
      }
    }

    // By object, in the order that receivers put them in.
    const told = Map.groupBy(
      [...bodies].map(([id, body]) => ({
        object: expected.get(id)!.object,
        ...(JSON.parse(body) as WebhookMessage),
      })),
      ({ object }) => object,
    )
    for (const [object, messages] of told) {
      messages.sort((a, b) => a.data.sequence - b.data.sequence)
      assert.deepEqual(
        messages.map(({ data }) => data.sequence),
        messages.map((_, place) => place + 1),
        `${object}: sequence without gaps`,
      )
      const types = messages.map(({ type }) => type)
      if (object.startsWith('team/'))
        assert.deepEqual(
          types,
          types.map((_, place) => (place % 2 === 0 ? 'team.paused' : 'team.resumed')),
        )
      if (object.startsWith('policy/'))
        assert.deepEqual(
          messages.map(({ data }) => (data as { version: number }).version),
          messages.map((_, place) => place + 1),
        )
    }
    // The same again from what was asked for, without a look at the log.
    for (const [object, changes] of Object.entries(known))
      assert.equal(told.get(object)?.length, changes, `${object}: as many events as changes`)
    assert.ok(
      [...told.keys()].some((object) => object.startsWith('incident/')),
      'alerts were told of too',
    )

    const { workspaces } = await verifyLog(database.db, secrets.signing.publicKey, { now: new Date() })
    assert.deepEqual(
      workspaces.flatMap(({ findings }) => findings),
      [],
    )
    const { prompt, slow, failing } = endpoints
    const sent = [prompt, slow, failing].map(({ copies }) => copies.length)
    t.diagnostic(
      `SEED=${seed}: ${nodes.killed} processes killed; ${events.length} events, ${told.size} objects; copies: ${sent[0]} prompt, ${sent[1]} slow, ${sent[2]} failing at first`,
    )
    assert.ok(sent[2]! > events.length, 'what failed was sent again')
  })
