import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { after, before, mock, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { rawKey, seal } from '@signalbox/contract/dsse.ts'
import {
  payloadType,
  type RunEvidence,
  runEvidenceType,
  statementType,
} from '@signalbox/contract/runner/evidence.ts'
import type { Received } from '@signalbox/contract/runner/messages.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import pg from 'pg'
import { revokeToken } from '../../domain/accounts/tokens/revoke.ts'
import { listRunners } from '../../domain/engine/runners/list.ts'
import { pauseRunner } from '../../domain/engine/runners/pause.ts'
import { pinRunner } from '../../domain/engine/runners/pin.ts'
import { listAudit } from '../../domain/record/audit/list.ts'
import { listDecisions } from '../../domain/work/decisions/list.ts'
import { findLog } from '../../domain/work/runs/log/read.ts'
import { readRun } from '../../domain/work/runs/read.ts'
import { testApp } from '../../test/app.ts'
import { ABareRepository } from '../../test/engine/bare-repository.ts'
import { goesWell, goesWrong } from '../../test/engine/engine.ts'
import { aRepository, boxed, hash, TestRunner } from '../../test/engine/runner.ts'
import { aMember, aPolicy, aStory, aTeam, aToken, aWorkspace } from '../../test/factories.ts'
import { tables } from '../../test/tables.ts'
import { until } from '../../test/until.ts'

const query = pg.Client.prototype.query as (this: pg.Client, ...given: never[]) => unknown

let app: Awaited<ReturnType<typeof testApp>>
before(async () => {
  app = await testApp()
})
after(() => app.stop())

/** A workspace whose team has a repository, with a token for runners. */
async function aPlace(stories = 1) {
  const owner = await aMember(await aWorkspace(app.storage.db), 'owner')
  const { token, id: tokenId } = await aToken(owner, ['read'])
  const team = await aTeam(owner)
  await aPolicy(owner, team, 'autonomous')
  await aRepository(owner, team)
  for (let n = 0; n < stories; n += 1) await aStory(owner, team)
  return { owner, token, tokenId, team, runner: new TestRunner(app.url, token) }
}

async function atWork() {
  const place = await aPlace()
  await place.runner.register()
  const order = (await place.runner.acquire())!
  return { ...place, order }
}

const codeOf = async (response: Response) =>
  [response.status, ((await response.json()) as { error: { code: string } }).error.code] as const

const progress = { type: 'progress', message: 'Reading the code.' } as const

/** A change as a runner hands it in: a commit of a real repository, and what it says of it. */
async function aChange(runner: TestRunner, order: { run: string; fence: number }) {
  const repository = new ABareRepository()
  try {
    const base = await repository.push('main', { 'src/a.ts': 'one\n' })
    const head = await repository.push('work', { 'src/a.ts': 'two\n' })
    const bundle = repository.bundle(base, head)
    assert.equal((await runner.file(order, bundle)).status, 201)
    const diff = repository.git('diff-tree', '-r', '-p', base, head)
    assert.equal((await runner.file(order, diff)).status, 201)
    const change = { files: 1, additions: 1, deletions: 1, paths: ['src/a.ts'] }
    const work = { base, head, bundle: hash(bundle) }
    return { type: 'change_ready', change, work, diff: hash(diff), findings: [] as string[] } as const
  } finally {
    repository.remove()
  }
}

test('a runner registers, is given a Ready story of a team with a repository, and sees it through a stage', async () => {
  const { order, runner, team, owner } = await atWork()
  assert.deepEqual(
    [order.stage, order.team, order.executor, order.job],
    ['planning', team.slug, 'scripted', 'stage'],
  )
  assert.deepEqual(order.repository, {
    name: 'halden/checkout-web',
    address: '/srv/git/checkout-web.git',
    branch: 'main',
  })
  assert.equal(order.policy.isolation, 'box')
  assert.deepEqual([order.base, order.work, order.leaseSeconds], [null, null, 60])
  assert.ok(order.budget.eurMicros > 0)
  const planned = await runner.report(order, [1, progress], [2, goesWell.plan])
  assert.deepEqual([planned.status, await planned.json()], [200, { verdict: 'stop', next: 3 }])
  const next = (await runner.acquire())!
  assert.deepEqual([next.run, next.stage, next.plan], [order.run, 'implementing', '1. Do it.'])
  assert.ok(next.fence > order.fence)
  const made = await aChange(runner, next)
  assert.equal((await runner.report(next, [1, made])).status, 200)
  const verifying = (await runner.acquire())!
  assert.deepEqual([verifying.stage, verifying.work], ['verifying', made.work])
  const [listed] = await listRunners(owner)
  assert.deepEqual(
    [listed?.name, listed?.online, listed?.level, listed?.state],
    ['build-1', true, 'box', 'active'],
  )
})

test('evidence counts when the runner that has the order has signed it, and with no other key', async () => {
  const place = await aPlace()
  const [own, other] = [generateKeyPairSync('ed25519').privateKey, generateKeyPairSync('ed25519').privateKey]
  const runner = new TestRunner(app.url, place.token, {}, own)
  await runner.register()
  const first = (await runner.acquire())!
  await runner.report(first, [1, goesWell.plan])
  const second = (await runner.acquire())!
  const made = await aChange(runner, second)
  const { base, head } = made.work
  await runner.report(second, [1, { ...goesWell.begun, base }], [2, made])
  const order = (await runner.acquire())!
  assert.deepEqual([order.stage, order.base], ['verifying', base])
  const evidence = { ...goesWell.gates.evidence, commit: head }
  const envelopeBy = (key: KeyObject) => {
    const predicate: RunEvidence = {
      story: { key: order.story.key, title: order.story.title },
      ...{ run: order.run, attempt: order.attempt, base: order.base!, head },
      ...{ policyVersion: order.policy.version, isolation: boxed, agent: goesWell.begun.agent },
      gates: goesWell.gates.gates.map((gate) => ({ ...gate, onBase: null, log: null })),
      ...{ criteria: [], spec: null, demonstration: null, cost: [] },
      diff: { sha256: made.diff, files: 1, additions: 1, deletions: 1, findings: [] },
      runner: { id: runner.registration.instance, key: rawKey(key) },
      collectedAt: new Date().toISOString(),
    }
    const subject = [{ name: 'git+halden/checkout-web', digest: { gitCommit: head } }]
    const statement = { _type: statementType, subject, predicateType: runEvidenceType, predicate }
    return JSON.stringify(seal(payloadType, Buffer.from(JSON.stringify(statement)), key))
  }
  const report = async (key: KeyObject) => {
    const envelope = envelopeBy(key)
    await runner.file(order, envelope)
    const event = { ...goesWell.gates, evidence, envelope: hash(envelope) }
    // What a report says of itself is not believed.
    const signer = { runner: runner.registration.instance, key: rawKey(key) }
    return runner.call(`orders/${order.run}/${order.fence}/reports`, {
      reports: [{ number: 1, event, signer }],
    })
  }
  const forged = await report(other)
  assert.equal(forged.status, 400)
  assert.match(await forged.text(), /not signed with the key of the runner/)
  assert.equal((await report(own)).status, 200)
  assert.equal((await runner.acquire())!.stage, 'handing_off')
})

test('a change that is not handed in, or cannot be read, ends the attempt with the reason', async () => {
  const cases: [(made: Awaited<ReturnType<typeof aChange>>) => object, RegExp][] = [
    [({ work: _, ...change }) => change, /reported a change without handing it in\. Upgrade the runner/],
    [(made) => ({ ...made, work: { ...made.work, bundle: made.diff } }), /not a git bundle that this server/],
    [(made) => ({ ...made, work: { ...made.work, head: 'c'.repeat(40) } }), /does not lead from .* to cccc/],
  ]
  for (const [lie, reason] of cases) {
    const { runner, order, owner } = await atWork()
    await runner.report(order, [1, goesWell.plan])
    const next = (await runner.acquire())!
    const event = lie(await aChange(runner, next)) as never
    assert.equal((await runner.report(next, [1, event])).status, 200)
    const { attemptList, status } = fromJson(await readRun(owner, order.run))
    assert.equal(status, 'failed')
    assert.match(attemptList[0]?.error ?? '', reason)
  }
})

test('what a runner adds to a report beyond the protocol is not stored as the server’s own', async () => {
  const { runner, order, owner } = await atWork()
  await runner.report(order, [1, goesWell.plan])
  const next = (await runner.acquire())!
  const asker = { personId: randomUUID(), name: 'Ada', request: 'r' }
  await runner.report(next, [1, { ...goesWrong.question, asker } as never])
  const { data } = await listDecisions(owner, { status: 'pending' }, { limit: 10, after: null })
  assert.match(fromJson(data[0]!).body, /^The coding agent has a question\./, 'it is the run that asks')
})

/** A run that is merged, and whose main branch is to be checked, after a runner has made its plan. */
async function aMergedRun() {
  const place = await atWork()
  await place.runner.report(place.order, [1, goesWell.plan])
  const { rows } = await app.storage.pool.query('select id from runs where key = $1', [place.order.run])
  const run = [rows[0].id]
  const memory = JSON.stringify({ checksMain: true, merged: 'd'.repeat(40) })
  await app.storage.pool.query('update runs set memory = memory || $2 where id = $1', [...run, memory])
  await app.storage.pool.query(`update attempts set stage = 'handing_off' where run_id = $1`, run)
  const order = `update work_orders set job = 'main_check', stage = 'handing_off'`
  await app.storage.pool.query(`${order} where run_id = $1 and state = 'offered'`, run)
  const waitedFor = (seconds: number) =>
    app.storage.pool.query(
      `update work_orders set offered_at = now() - make_interval(secs => $2) where run_id = $1 and state = 'offered'`,
      [...run, seconds],
    )
  const checkedBy = async () =>
    (await listAudit(place.owner, { run: place.order.run }, { limit: 50, after: null })).data
      .map(fromJson)
      .find(({ details }) => details.cause === 'main_checked')?.details.mainCheckedBy
  return { ...place, waitedFor, checkedBy }
}

test('a merge is looked at by another runner than the one that made the change, and the log says by whom', async () => {
  const { runner, token, checkedBy } = await aMergedRun()
  const other = new TestRunner(app.url, token, { name: 'build-2' })
  await other.register()
  assert.equal(await runner.acquire(randomUUID(), 0), null, 'there is another one')
  const check = (await other.acquire())!
  assert.equal(check.job, 'main_check')
  assert.equal((await other.report(check, [1, goesWell.mainGreen])).status, 200)
  assert.equal(await checkedBy(), 'another')
})

test('a runner that is alone looks at its own merge, and the log says so', async () => {
  const { runner, checkedBy } = await aMergedRun()
  const check = (await runner.acquire())!
  assert.equal(check.job, 'main_check')
  await runner.report(check, [1, goesWell.mainGreen])
  assert.equal(await checkedBy(), 'maker')
})

test('the runner that made the change checks its merge when no other can, or none has for two minutes', async () => {
  const { runner, token, waitedFor, checkedBy } = await aMergedRun()
  const others = [{ executors: [] }, { isolation: { ...boxed, networkOnlyToGateway: false } }, {}]
  for (const means of others) await new TestRunner(app.url, token, { name: 'build-2', ...means }).register()
  assert.equal(await runner.acquire(randomUUID(), 0), null, 'one of the three can')
  await waitedFor(121)
  const check = (await runner.acquire())!
  assert.equal(check.job, 'main_check')
  await runner.report(check, [1, goesWell.mainGreen])
  assert.equal(await checkedBy(), 'maker')
})

test('who is pinned to other teams cannot look at a merge, so that no one waits for them', async () => {
  const { runner, token, owner, checkedBy } = await aMergedRun()
  const elsewhere = await aTeam(owner)
  const other = new TestRunner(app.url, token, { name: 'build-2' })
  const { runner: id } = await other.register()
  await pinRunner(owner, id, [elsewhere.slug])
  const check = (await runner.acquire(randomUUID(), 0))!
  assert.equal(check.job, 'main_check')
  await runner.report(check, [1, goesWell.mainGreen])
  assert.equal(await checkedBy(), 'maker')
})

test('the same start registers again as the same session; another one only when the first is gone', async () => {
  const { runner, token } = await aPlace(0)
  const first = await runner.register()
  const repeated = await runner.register()
  assert.deepEqual([repeated.runner, repeated.session], [first.runner, first.session])
  const second = new TestRunner(app.url, token, { instance: runner.registration.instance })
  const refused = await second.call('register', await second.signed())
  assert.ok(Number(refused.headers.get('retry-after')) > 30)
  assert.deepEqual(await codeOf(refused), [409, 'session_alive'])
  assert.equal((await runner.call('leave')).status, 204)
  const again = await second.register()
  assert.equal(again.runner, first.runner)
  assert.ok(again.session > first.session)
  assert.deepEqual(await codeOf(await runner.ask()), [409, 'session_over'])
})

test('a runner that speaks another protocol is told which one is spoken', async () => {
  const { runner } = await aPlace(0)
  const refused = await runner.call('register', { ...runner.registration, protocol: { least: 7, most: 8 } })
  assert.equal(refused.status, 426)
  const { error } = (await refused.json()) as { error: { code: string; message: string } }
  assert.equal(error.code, 'upgrade_required')
  assert.match(error.message, /speaks version 1 .* versions 7 to 8\. Upgrade the server\./)
})

test('what a newer runner says in addition is passed over; what it gets wrong is named', async () => {
  const { runner } = await aPlace(0)
  const said = await runner.signed()
  assert.equal((await runner.call('register', { ...said, colour: 'blue' })).status, 200)
  const wrong = await runner.call('register', { ...runner.registration, slots: 0 })
  assert.equal(wrong.status, 400)
  assert.match(((await wrong.json()) as { error: { message: string } }).error.message, /slots/)
  const strange = await runner.call('register', '['.repeat(500), { body: '['.repeat(500) })
  assert.equal(strange.status, 400)
})

test('an answer that got lost heals: the same ask gets the same order again', async () => {
  const { runner, order } = await atWork()
  const other = await aPlace()
  await other.runner.register()
  const ask = randomUUID()
  const given = (await other.runner.acquire(ask))!
  assert.deepEqual(await other.runner.acquire(ask), given)
  assert.equal(await other.runner.acquire(randomUUID(), 0), null, 'there is only one story')
  assert.equal(
    (await codeOf(await runner.call(`orders/${given.run}/${given.fence}/log`, { number: 1, lines: [] })))[0],
    409,
  )
  assert.notEqual(order.run, given.run)
})

test('a poll is held until there is an order', async () => {
  const { runner, owner, team } = await aPlace(0)
  await runner.register()
  assert.equal((await runner.ask(randomUUID(), 0)).status, 204)
  const waiting = runner.acquire()
  await aStory(owner, team)
  await new TestRunner(app.url, (await aToken(owner)).token).register({ slots: 1, executors: [] })
  assert.equal((await waiting)?.stage, 'planning')
})

test('reports are counted once and in their order; one that is missing is asked for', async () => {
  const { runner, order, owner } = await atWork()
  const gap = await runner.report(order, [2, progress])
  const body = (await gap.json()) as Received & { error: { code: string } }
  assert.deepEqual([gap.status, body.error.code, body.next], [409, 'report_gap', 1])
  const bill = { type: 'usage', amount: 0.5, currency: 'EUR' } as const
  assert.deepEqual(await (await runner.report(order, [1, bill])).json(), { verdict: 'go_on', next: 2 })
  assert.deepEqual(await (await runner.report(order, [1, bill], [2, progress])).json(), {
    verdict: 'go_on',
    next: 3,
  })
  await Promise.all([3, 3, 3].map(() => runner.report(order, [3, bill])))
  const run = await app.get(`/v1/runs/${order.run}`, (await aToken(owner)).token)
  assert.equal(((await run.json()) as { costCents: number }).costCents, 100)
})

test('an event that the server does not know is refused by its name', async () => {
  const { runner, order } = await atWork()
  const refused = await runner.report(order, [1, { type: 'danced' } as never])
  assert.equal(refused.status, 400)
  assert.match(
    ((await refused.json()) as { error: { message: string } }).error.message,
    /does not know the event `danced`/,
  )
})

test('an older fence is told to stop by every call, and what it cost still counts', async () => {
  const { runner, order, owner } = await atWork()
  for (let n = 0; n < 2; n += 1) {
    const planned = await runner.report(order, [1, goesWell.plan])
    assert.deepEqual(
      [planned.status, await planned.json()],
      [200, { verdict: 'stop', next: 2 }],
      'said again, too',
    )
  }
  const path = `orders/${order.run}/${order.fence}`
  const late = await runner.report(order, [2, { type: 'usage', amount: 1, currency: 'EUR' }])
  assert.deepEqual(
    [late.status, await late.json()],
    [
      409,
      {
        error: { code: 'outdated', message: 'This work order is over. Stop, and push nothing.' },
        verdict: 'stop',
      },
    ],
  )
  const run = await app.get(`/v1/runs/${order.run}`, (await aToken(owner)).token)
  assert.equal(((await run.json()) as { costCents: number }).costCents, 100)
  for (const response of [
    await runner.call(`${path}/log`, { number: 1, lines: ['late'] }),
    await runner.call(`${path}/credential`, { for: 'git', access: 'write' }),
    await runner.file(order, 'late'),
  ]) {
    const { verdict } = (await response.json()) as Received
    assert.deepEqual([response.status, verdict], [409, 'stop'])
  }
  const { orders } = await runner.beat([order])
  assert.deepEqual(orders, [
    { run: order.run, fence: order.fence, verdict: 'stop', how: 'abort', reason: 'This work order is over.' },
  ])
})

test('what is printed arrives, plain or compressed, and each chunk once', async () => {
  const { runner, order, owner } = await atWork()
  const path = `orders/${order.run}/${order.fence}/log`
  assert.deepEqual(await (await runner.call(path, { number: 1, lines: ['one'] })).json(), {
    verdict: 'go_on',
    next: 2,
  })
  const zipped = gzipSync(JSON.stringify({ number: 2, lines: ['two', 'three'] }))
  const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json' }
  for (let n = 0; n < 2; n += 1)
    assert.equal((await runner.call(path, undefined, { body: zipped, headers })).status, 200)
  const bomb = gzipSync(Buffer.alloc(8_000_000, 32))
  assert.equal((await runner.call(path, undefined, { body: bomb, headers })).status, 413)
  const { id } = await tables(app.storage.db)
    .selectFrom('runs')
    .select('id')
    .where('key', '=', order.run)
    .where('workspace_id', '=', owner.workspaceId)
    .executeTakeFirstOrThrow()
  assert.equal((await findLog(owner, { runId: id })).lines, 3)
})

test('a file is kept under the hash of its bytes, and nothing else is', async () => {
  const { runner, order } = await atWork()
  assert.equal((await runner.file(order, 'a bundle')).status, 201)
  assert.equal((await runner.file(order, 'a bundle')).status, 200)
  assert.deepEqual(await codeOf(await runner.file(order, 'another', hash('a bundle'))), [
    422,
    'hash_mismatch',
  ])
  const path = `orders/${order.run}/${order.fence}/files`
  const read = await runner.call(`${path}/${hash('a bundle')}`, undefined, { method: 'GET' })
  assert.equal(await read.text(), 'a bundle')
  assert.deepEqual(await codeOf(await runner.call(`${path}/${hash('none')}`, undefined, { method: 'GET' })), [
    404,
    'file_not_found',
  ])
})

test('git is let in where the repository is, for the runner that has the order', async () => {
  const { runner, order } = await atWork()
  const asked = await runner.call(`orders/${order.run}/${order.fence}/credential`, {
    for: 'git',
    access: 'read',
  })
  assert.deepEqual(await asked.json(), {
    address: '/srv/git/checkout-web.git',
    header: null,
    expiresAt: null,
  })
})

test('a revoked token ends held polls with 401 and takes the runner offline at once', async () => {
  const { runner, owner, tokenId } = await aPlace(0)
  await runner.register()
  const held = runner.ask()
  await until('it is online', async () => (await listRunners(owner))[0]?.online === true)
  await revokeToken(owner, tokenId)
  assert.equal((await listRunners(owner))[0]?.online, false)
  assert.deepEqual(await codeOf(await held), [401, 'invalid_token'])
  assert.deepEqual(await codeOf(await runner.call('beat', {})), [401, 'invalid_token'])
})

test('a runner that waits is let go when there is something to tell it', async () => {
  const { runner, owner } = await aPlace(0)
  const { runner: id } = await runner.register()
  const held = runner.ask()
  await until('it is online', async () => (await listRunners(owner))[0]?.online === true)
  await pauseRunner(owner, id)
  assert.equal((await held).status, 204)
  assert.deepEqual((await runner.beat()).commands, ['pause'])
})

test('a runner that leaves hands back what it has, and another runner goes on', async () => {
  const { runner, order, token } = await atWork()
  const other = new TestRunner(app.url, token)
  await other.register()
  const waiting = other.acquire()
  assert.equal((await runner.call('leave')).status, 204)
  const taken = (await waiting)!
  assert.deepEqual([taken.run, taken.attempt, taken.stage], [order.run, 1, 'planning'])
})

test('two hundred polls of runners that wait ask the database nothing', async () => {
  const { owner, token } = await aPlace(0)
  const runners = Array.from({ length: 20 }, () => new TestRunner(app.url, token))
  for (const runner of runners) await runner.register()
  const asks = runners.map(() => randomUUID())
  const round = () => Promise.all(runners.map((runner, index) => runner.acquire(asks[index], 0)))
  await round()
  const begun = performance.now()
  const asked = await askedMeanwhile(async () => {
    for (let n = 0; n < 10; n += 1) await round()
  })
  const seconds = (performance.now() - begun) / 1_000
  assert.deepEqual(
    asked.filter((text) => /\b(work_orders|runners)\b[^;]*for (no key )?update|\bask\b/.test(text)),
    [],
    'nobody looks for an order',
  )
  // What is asked for all of them together every few seconds, and should the node’s lease lapse for a moment.
  const others = asked.filter((text) => /\b(runners|work_orders|api_tokens)\b/.test(text))
  assert.ok(others.length < 40 + 10 * seconds, `${others.length} statements in ${seconds} s`)
  assert.equal((await listRunners(owner)).length, 20)
})

/** Every statement that was sent to PostgreSQL in that time. */
async function askedMeanwhile(work: () => Promise<void>): Promise<string[]> {
  const asked: string[] = []
  const spied = mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...given: never[]) {
    const [first] = given as unknown as [string | { text?: string }]
    asked.push(typeof first === 'string' ? first : (first?.text ?? ''))
    return query.apply(this, given)
  })
  try {
    await work()
  } finally {
    spied.mock.restore()
  }
  return asked
}
