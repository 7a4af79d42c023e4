import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { uptimeFace } from '../../../faces/worker/uptime.ts'
import { createLog } from '../../../infra/log.ts'
import { httpProbe } from '../../../integrations/probes/http.ts'
import { type TestDatabase, testDatabase } from '../../../test/database.ts'
import { httpHost } from '../../../test/hosts/http-host.ts'
import { OnCall } from '../../../test/on-call/on-call.ts'
import { tables } from '../../../test/tables.ts'
import type { Probe, Probed } from '../../ports/probe.ts'
import { deleteSource } from '../sources/delete.ts'
import { pauseSource } from '../sources/pause.ts'
import { listUptime } from './availability.ts'
import { checkUptime } from './check.ts'
import { dueChecks } from './due.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

const up: Probed = { status: 200, body: 'all is well' }
const down: Probed = { status: 503, body: '' }
const never = new AbortController().signal

/** Sees what it is told to see. */
class Seeing implements Probe {
  asked: string[] = []
  sees: Probed | Error = up

  async get({ url }: { url: string }): Promise<Probed> {
    this.asked.push(url)
    if (this.sees instanceof Error) throw this.sees
    return this.sees
  }
}

async function begin(settings: Record<string, unknown> = {}) {
  const onCall = await OnCall.begin(database.db)
  const probe = new Seeing()
  const service = await onCall.service({}, 'Shop')
  const source = await onCall.source('uptime', [service], {
    name: 'Shop front',
    settings: { url: 'https://shop.example.com/health?key=hunter2', failures: 3, ...settings },
  })
  const base = { db: database.db, clock: onCall.clock }
  const mine = (checks: Awaited<ReturnType<typeof dueChecks>>) =>
    checks.filter((taken) => taken.source.workspaceId === onCall.workspace.workspaceId)
  const take = async () => mine(await dueChecks(base, 1_000))
  /** The next check, which sees this. */
  const check = async (
    sees: Probed | Error,
    receiver: Pick<OnCall['receiver'], 'receive'> = onCall.receiver,
  ) => {
    probe.sees = sees
    for (const taken of await take()) await checkUptime(base, taken, { probe, receiver, signal: never })
    await onCall.handle()
    onCall.clock.forward(60_000)
  }
  const state = async () =>
    (await tables(database.db)
      .selectFrom('uptime_states')
      .selectAll()
      .where('source_id', '=', source.id)
      .executeTakeFirst())!
  const alert = async () =>
    tables(database.db).selectFrom('alerts').selectAll().where('source_id', '=', source.id).executeTakeFirst()
  const received = async () =>
    (await onCall.entries('signal_received')).map(({ entity, details }) => [
      entity.id,
      details.kind,
      details.alerts,
    ])
  return { onCall, probe, base, service, source, take, check, state, alert, received }
}

test('the days of a service say how long its check found it down, from the first failure on', async () => {
  const { onCall, check, service, source } = await begin({ failures: 2 })
  assert.deepEqual(await listUptime(onCall.admin, service.id), [], 'nothing was checked yet')
  onCall.clock.forward(60_000)
  for (const sees of [up, down, down, down, up, up]) await check(sees)
  // Created at 12:00, first checked at 12:01; it failed at 12:02, and answered again at 12:05.
  assert.deepEqual(await listUptime(onCall.admin, service.id), [
    {
      source: { id: source.id, name: 'Shop front' },
      days: [{ day: '2026-03-31', watchedSeconds: 360, downSeconds: 180 }],
    },
  ])
})

test('so many failures in a row as were asked for open an incident, and the first good check resolves it', async () => {
  const { onCall, check, alert, received, source, state } = await begin()
  await check(up)
  await check(down)
  await check(down)
  assert.equal((await state()).failures, 2)
  assert.deepEqual(await received(), [])
  await check(down)
  assert.deepEqual(await received(), [[source.id, 'uptime', 1]])
  const fired = (await alert())!
  assert.deepEqual(
    [fired.title, fired.status, fired.severity, fired.fingerprint],
    ['Shop front is down', 'firing', 'critical', source.id],
  )
  assert.equal(
    fired.description,
    'Expected: status 200, within 10 seconds.\nFound: status 503. 3 failures in a row.',
  )
  // It began with the first of the three.
  assert.equal(fired.started_at!.toISOString(), '2026-03-31T12:01:00.000Z')
  assert.deepEqual(fired.links, [{ label: 'Checked URL', url: 'https://shop.example.com/health' }])
  assert.deepEqual(
    (await onCall.incidents()).map(({ title, status }) => [title, status]),
    [['Shop front is down', 'open']],
  )
  await check(down)
  assert.equal((await received()).length, 1, 'what is known is not told again')
  await check(up)
  assert.equal((await received()).length, 2)
  assert.equal((await alert())!.status, 'resolved')
  assert.deepEqual(
    (await onCall.incidents()).map(({ status }) => status),
    ['resolved'],
  )
  await check(up)
  assert.equal((await received()).length, 2)
})

test('a good check in between begins the count again', async () => {
  const { check, received, state } = await begin()
  for (const sees of [down, down, up, down, down, up]) await check(sees)
  assert.deepEqual(await received(), [])
  const { failures, failing_since, status } = await state()
  assert.deepEqual([failures, failing_since, status], [0, null, 'up'])
})

test('what is down again after it recovered is a new incident', async () => {
  const { onCall, check } = await begin({ failures: 1 })
  for (const sees of [down, up, down, up]) await check(sees)
  assert.deepEqual(
    (await onCall.incidents()).map(({ status }) => status),
    ['resolved', 'resolved'],
  )
})

test('a wrong status, a missing text and no answer are failures, and the last one is kept', async () => {
  const { check, state, alert } = await begin({ statuses: [200, 204], text: 'well', failures: 3 })
  for (const [sees, error] of [
    [up, null],
    [{ status: 204, body: 'well' }, null],
    [{ status: 301, body: 'well' }, 'status 301'],
    [{ status: 200, body: 'all is lost' }, 'status 200, and the body does not contain the text'],
    [{ problem: 'no response within 10 seconds' }, 'no response within 10 seconds'],
  ] as const) {
    await check(sees)
    assert.equal((await state()).last_error, error)
  }
  assert.equal(
    (await alert())!.description,
    'Expected: status 200 or 204, a body that contains “well”, within 10 seconds.\nFound: no response within 10 seconds. 3 failures in a row.',
  )
})

test('each check is taken by one of the nodes that look, and again when its interval is over', async () => {
  const { onCall, take } = await begin({ intervalSeconds: 60 })
  const taken = (await Promise.all([take(), take(), take(), take()])).flat()
  assert.equal(taken.length, 1)
  assert.equal((await take()).length, 0)
  onCall.clock.forward(59_999)
  assert.equal((await take()).length, 0)
  onCall.clock.forward(1)
  const again = (await Promise.all([take(), take(), take()])).flat()
  assert.equal(again.length, 1)
})

test('who looks takes no more than asked for', async () => {
  const { onCall, base } = await begin()
  const service = await onCall.service()
  for (let n = 0; n < 3; n += 1)
    await onCall.source('uptime', [service], { settings: { url: 'https://a.example.com' } })
  assert.equal((await dueChecks(base, 2)).length, 2)
})

test('a check is not taken again while it can still be running', async () => {
  const { onCall, take } = await begin({ intervalSeconds: 10, timeoutSeconds: 60 })
  assert.equal((await take()).length, 1)
  onCall.clock.forward(64_000)
  assert.equal((await take()).length, 0)
  onCall.clock.forward(1_000)
  assert.equal((await take()).length, 1)
})

test('a check that is done early is due when its interval is over', async () => {
  const { onCall, check, state } = await begin({ intervalSeconds: 10, timeoutSeconds: 60 })
  const began = onCall.clock.now().getTime()
  await check(up)
  assert.equal((await state()).next_at.getTime(), began + 10_000)
})

test('what comes from a node that was too slow is dropped', async () => {
  const { onCall, base, take, state, received } = await begin({ failures: 1 })
  const [late] = await take()
  onCall.clock.forward(60_000)
  const [newer] = await take()
  const seeing = (sees: Probed) => ({ get: async () => sees })
  const watch = { receiver: onCall.receiver, signal: never }
  await checkUptime(base, newer!, { ...watch, probe: seeing(up) })
  await checkUptime(base, late!, { ...watch, probe: seeing(down) })
  assert.equal((await state()).status, 'up')
  assert.deepEqual(await received(), [])
})

test('what could not be told is told by the next check, once', async () => {
  const { onCall, check, received, state } = await begin({ failures: 1 })
  const away = {
    async receive(): Promise<never> {
      throw new Error('The database is away.')
    },
  }
  await assert.rejects(check(down, away), /away/)
  onCall.clock.forward(60_000)
  assert.equal((await state()).signalled, false)
  assert.deepEqual(await received(), [])
  await check(down)
  await check(down)
  assert.equal((await received()).length, 1)
  assert.equal((await onCall.incidents()).length, 1)
})

test('a node that dies right after telling leads neither to a second incident nor to one without an end', async () => {
  const dies = async (afterwards: Probed[]) => {
    const given = await begin({ failures: 1 })
    const { onCall, check } = given
    const dying = {
      async receive(...args: Parameters<typeof onCall.receiver.receive>): Promise<never> {
        await onCall.receiver.receive(...args)
        throw new Error('The node died.')
      },
    }
    await assert.rejects(check(down, dying), /died/)
    await onCall.handle()
    onCall.clock.forward(60_000)
    for (const sees of afterwards) await check(sees)
    return { ...given, statuses: (await onCall.incidents()).map(({ status }) => status) }
  }
  const still = await dies([down, down])
  assert.deepEqual(still.statuses, ['open'])
  assert.equal((await still.received()).length, 1)
  assert.deepEqual((await dies([up])).statuses, ['resolved'])
})

test('a source that is paused or deleted is not checked', async () => {
  for (const stop of [
    (onCall: OnCall, id: string) => pauseSource(onCall.admin, id, true),
    (onCall: OnCall, id: string) => deleteSource(onCall.admin, id),
  ]) {
    const { onCall, source, take } = await begin()
    await stop(onCall, source.id)
    assert.equal((await take()).length, 0)
  }
})

async function faced(t: TestContext, onCall: OnCall, probe: Probe) {
  const log = createLog({ level: 'silent' })
  const face = uptimeFace({ db: database.db, clock: onCall.clock, probe, receiver: onCall.receiver, log })
  t.after(() => face.stop())
  return face
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10))
}

test('a real host that stops answering becomes an incident and, when it answers again, is over', async (t) => {
  let status = 200
  const host = await httpHost(t, (_, response) => response.writeHead(status).end('ok'))
  const { onCall, source, state } = await begin({ url: host.url, failures: 2 })
  const face = await faced(t, onCall, httpProbe({ allow: ['127.0.0.1'] }))
  const look = async () => {
    const before = host.asked.length
    await face.look()
    await until(
      async () =>
        host.asked.length > before &&
        (await state())?.last_at?.getTime() === onCall.clock.now().getTime() &&
        (await state()).signalled,
    )
    await onCall.handle()
    onCall.clock.forward(60_000)
  }
  await look()
  status = 500
  await look()
  await look()
  assert.deepEqual(
    (await onCall.incidents()).map((one) => one.status),
    ['open'],
  )
  status = 200
  await look()
  assert.deepEqual(
    (await onCall.incidents()).map((one) => one.status),
    ['resolved'],
  )
  assert.equal((await onCall.entries('signal_received')).length, 2)
  assert.equal((await state()).source_id, source.id)
})

test('a slow check keeps no other waiting, and stopping gives it up', async (t) => {
  const slow = await httpHost(t, () => {})
  const quick = await httpHost(t, (_, response) => response.end('ok'))
  const { onCall, state } = await begin({ url: slow.url, timeoutSeconds: 60 })
  const service = await onCall.service()
  await onCall.source('uptime', [service], { settings: { url: quick.url } })
  const face = await faced(t, onCall, httpProbe({ allow: ['127.0.0.1'] }))
  await face.look()
  await until(async () => slow.asked.length > 0 && quick.asked.length > 0)
  await face.stop()
  assert.equal((await state()).last_at, null)
  assert.equal((await state()).failures, 0)
})
