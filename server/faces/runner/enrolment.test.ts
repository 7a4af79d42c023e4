import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Order, Register, Registered, RunnerEvent } from '@signalbox/contract/runner/messages.ts'
import { setRunnerApproval } from '../../domain/accounts/workspaces/runner-approval.ts'
import { asService, type Context } from '../../domain/context.ts'
import { findOrder } from '../../domain/engine/orders/find-order.ts'
import { readObstacles } from '../../domain/engine/orders/read-obstacles.ts'
import { approveRunner } from '../../domain/engine/runners/approve.ts'
import { expireEphemeralRunners } from '../../domain/engine/runners/expire-ephemeral.ts'
import { forgetRunners } from '../../domain/engine/runners/forget.ts'
import { forgetRunner } from '../../domain/engine/runners/forget-removed.ts'
import { listRunners } from '../../domain/engine/runners/list.ts'
import { listRemovedRunners } from '../../domain/engine/runners/list-removed.ts'
import { pauseRunner } from '../../domain/engine/runners/pause.ts'
import { pinRunner } from '../../domain/engine/runners/pin.ts'
import { rejectRunner } from '../../domain/engine/runners/reject.ts'
import { removeRunner } from '../../domain/engine/runners/remove.ts'
import { resumeRunner } from '../../domain/engine/runners/resume.ts'
import { takeReports } from '../../domain/engine/supervision/take-reports.ts'
import { DomainError } from '../../domain/errors.ts'
import type { ChangeReader } from '../../domain/ports/change-reader.ts'
import { testApp } from '../../test/app.ts'
import { auditEvents } from '../../test/audit-events.ts'
import { TestClock } from '../../test/clock.ts'
import { goesWell } from '../../test/engine/engine.ts'
import { aRepository, hash, TestRunner } from '../../test/engine/runner.ts'
import { aMember, aPolicy, aStory, aTeam, aToken, aWorkspace } from '../../test/factories.ts'
import { tables } from '../../test/tables.ts'

const clock = new TestClock()
const limits = { RUNNERS_PER_TOKEN: '3', RUNNERS_PER_WORKSPACE: '5' }
const nobody = { serves: () => false }
const aKey = () => generateKeyPairSync('ed25519').privateKey

let app: Awaited<ReturnType<typeof testApp>>
before(async () => {
  app = await testApp({ clock, env: limits })
})
after(() => app.stop())

/** A workspace whose team has a repository, with a read-only token for runners. */
async function aPlace(stories = 1) {
  const owner = await aMember(await aWorkspace(app.storage.db, clock), 'owner')
  const { token, id: tokenId } = await aToken(owner, ['read'])
  const team = await aTeam(owner)
  await aPolicy(owner, team, 'autonomous')
  await aRepository(owner, team)
  for (let n = 0; n < stories; n += 1) await aStory(owner, team)
  return { owner, token, tokenId, team, runner: new TestRunner(app.url, token, {}, aKey()) }
}

const codeOf = async (response: Response) =>
  [response.status, ((await response.json()) as { error: { code: string } }).error.code] as const

const registerAs = async (runner: TestRunner, given: Partial<Register> = {}) =>
  codeOf(await runner.call('register', await runner.signed(given)))

const refusedWith = (code: string) => (error: unknown) => error instanceof DomainError && error.code === code

const told = async ({ workspaceId }: Context, like: string) =>
  (
    await tables(app.storage.db)
      .selectFrom('notifications')
      .select(['person_id', 'title', 'body'])
      .where('workspace_id', '=', workspaceId)
      .where('title', 'like', like)
      .execute()
  ).map(({ person_id, title, body }) => ({ person: person_id, title, body }))

const changesOf = async ({ workspaceId }: Context) =>
  (await auditEvents(app.storage.db, workspaceId))
    .filter(({ event }) => event === 'runner_changed')
    .map(({ details, result, actor }) => ({ change: details.change as string, result, actor: actor.name }))

const personOf = ({ actor }: Context) => (actor.type === 'human' ? actor.userId : '')

test('a read-only token enrols a runner and its order is given to it', async () => {
  const { runner } = await aPlace()
  assert.equal((await runner.register()).notice, null)
  assert.ok(await runner.acquire())
})

test('a known instance with another key is refused, at work or long gone, with whatever token', async () => {
  const place = await aPlace()
  const { runner, owner } = place
  const { instance } = runner.registration
  await runner.register()
  const order = (await runner.acquire())!
  const thief = await aMember(owner, 'member')
  const { token } = await aToken(thief, ['admin'])
  const foreign = new TestRunner(app.url, token, { instance }, aKey())
  const holds = [{ run: order.run, fence: order.fence, state: 'working' as const }]
  assert.deepEqual(await registerAs(foreign, { holds }), [403, 'instance_taken'], 'while it works')
  // With the very token of the runner, too.
  const same = new TestRunner(app.url, place.token, { instance }, aKey())
  assert.deepEqual(await registerAs(same), [403, 'instance_taken'])
  clock.forward(24 * 3_600_000)
  assert.deepEqual(await registerAs(foreign), [403, 'instance_taken'], 'while it is silent')
  await removeRunner(owner, runner.id)
  assert.deepEqual(await registerAs(foreign), [403, 'instance_taken'], 'after it was removed')
  const back = await runner.register({ boot: randomUUID() })
  assert.equal(back.runner, runner.id, 'with its own key it comes back')
  await runner.call('leave')
  assert.deepEqual(await registerAs(foreign), [403, 'instance_taken'], 'after it has left')
  const [listed] = await listRunners(owner)
  assert.equal(listed?.token.owner, owner.actor.name, 'and it is whose it was')
})

test('owners, admins and the owner of the runner’s token are notified of a foreign key, once an hour', async () => {
  const { owner } = await aPlace(0)
  const admin = await aMember(owner, 'admin')
  const keeper = await aMember(owner, 'member')
  const thief = await aMember(owner, 'member')
  const runner = new TestRunner(app.url, (await aToken(keeper, ['read'])).token, { name: 'eu-1' }, aKey())
  await runner.register()
  const { instance } = runner.registration
  const stolen = await aToken(thief, ['read'])
  const foreign = new TestRunner(app.url, stolen.token, { instance }, aKey())
  for (let tries = 0; tries < 5; tries += 1) await registerAs(foreign)
  const news = await told(owner, 'Another machine%')
  assert.deepEqual(news.map(({ person }) => person).sort(), [owner, admin, keeper].map(personOf).sort())
  assert.match(news[0]!.title, /runner eu-1/)
  assert.ok(news[0]!.body.includes(stolen.token.slice(0, 11)), 'which token it was')
  const refused = (await changesOf(owner)).filter(({ change }) => change === 'refused')
  assert.deepEqual(refused, [{ change: 'refused', result: 'denied', actor: thief.actor.name }])
  clock.forward(3_600_000)
  await registerAs(foreign)
  assert.equal((await told(owner, 'Another machine%')).length, 6)
})

test('a registration that was overheard is good for nothing', async () => {
  const { runner, owner, token } = await aPlace(0)
  const said = await runner.signed()
  assert.equal((await runner.call('register', said)).status, 200)
  assert.deepEqual(await codeOf(await runner.call('register', said)), [409, 'challenge_over'], 'again')
  const other = { ...said, boot: randomUUID() }
  assert.deepEqual(
    await codeOf(await runner.call('register', other)),
    [403, 'proof_refused'],
    'another start',
  )
  const unused = await runner.signed()
  const stranger = new TestRunner(app.url, (await aToken(owner, ['admin'])).token)
  assert.deepEqual(
    await codeOf(await stranger.call('register', unused)),
    [403, 'proof_refused'],
    'another token',
  )
  const elsewhere = await aPlace(0)
  assert.deepEqual(
    await codeOf(await elsewhere.runner.call('register', unused)),
    [403, 'proof_refused'],
    'another workspace',
  )
  clock.forward(60_000)
  assert.deepEqual(await codeOf(await runner.call('register', unused)), [409, 'challenge_over'], 'later')
  // What was asked for one start is not signed for another.
  const { challenge } = unused.proof!
  const next = new TestRunner(app.url, token, { instance: runner.registration.instance }, aKey())
  const crossed = await next.signed()
  const forged = { ...crossed, proof: { challenge, signature: crossed.proof!.signature } }
  assert.deepEqual(await codeOf(await next.call('register', forged)), [403, 'proof_refused'])
})

test('a runner that does not sign is told to upgrade, known or not', async () => {
  const { runner } = await aPlace(0)
  const unsigned = () => runner.call('register', runner.registration)
  const refused = await unsigned()
  assert.equal(refused.status, 426)
  assert.match(await refused.text(), /"upgrade_required".*Install the runner that belongs to the server/)
  await runner.register()
  assert.deepEqual(await codeOf(await unsigned()), [426, 'upgrade_required'])
  assert.deepEqual(await registerAs(runner, { evidenceKey: 'AAAA' }), [403, 'proof_refused'])
})

test('a session speaks with the token that it was registered with, and with no other', async () => {
  const { runner, owner } = await aPlace()
  await runner.register()
  const order = (await runner.acquire())!
  const path = `orders/${order.run}/${order.fence}`
  const thief = new TestRunner(app.url, (await aToken(owner, ['admin'])).token)
  thief.session = runner.session
  const beat = { orders: [], free: 1, diskFree: null, drains: false }
  for (const response of [
    await thief.ask(undefined, 0),
    await thief.call('beat', beat),
    await thief.report(order, [1, { type: 'progress', message: 'Mine.' }]),
    await thief.call(`${path}/log`, { number: 1, lines: ['mine'] }),
    await thief.file(order, 'mine'),
    await thief.call(`${path}/files/${hash('mine')}`, undefined, { method: 'GET' }),
    await thief.call(`${path}/credential`, { for: 'git', access: 'read' }),
    await thief.call('leave'),
  ])
    assert.deepEqual(await codeOf(response), [409, 'session_over'])
  assert.equal((await runner.beat([order])).orders[0]?.verdict, 'go_on')
})

test('a new runner waits for an admin’s approval where the workspace asks for it, and gets nothing before', async () => {
  const { runner, owner, team } = await aPlace()
  const member = await aMember(owner, 'member')
  await assert.rejects(setRunnerApproval(member, true), refusedWith('insufficient_role'))
  await setRunnerApproval(owner, true)
  const { notice } = await runner.register()
  assert.match(notice!, /is waiting for approval/)
  assert.equal((await told(owner, '%is waiting for approval')).length, 1)
  assert.equal(await runner.acquire(undefined, 0), null)
  assert.deepEqual((await runner.beat()).commands, [], 'it may beat')
  assert.deepEqual(await readObstacles(owner, nobody, { team: team.slug }), [
    { by: 'runner', reason: 'The runner that could do it is waiting for an admin’s approval.' },
  ])
  await runner.call('leave')
  runner.registration.boot = randomUUID()
  await runner.register()
  assert.equal(await runner.acquire(undefined, 0), null, 'nor by starting again')
  for (const verb of [pauseRunner, resumeRunner])
    await assert.rejects(verb(owner, runner.id), refusedWith('conflict'), 'nor by a way around')
  await assert.rejects(approveRunner(member, runner.id), refusedWith('insufficient_role'))
  // Held while it waits, it is given work the moment that it may have some.
  const held = runner.acquire()
  await approveRunner(owner, runner.id)
  // The verb on its own wakes no one here: a registration does, and the team sees who may work for it.
  await runner.register()
  assert.ok(await held)
  const [approved] = (await changesOf(owner)).filter(({ change }) => change === 'approved')
  assert.equal(approved?.actor, owner.actor.name)
  await assert.rejects(approveRunner(owner, runner.id), refusedWith('conflict'))
  await runner.call('leave')
  assert.equal((await runner.register({ boot: randomUUID() })).notice, null, 'approved, it stays so')
})

test('a rejected runner is off the list, and waits again when it is started again', async () => {
  const { runner, owner } = await aPlace()
  await setRunnerApproval(owner, true)
  await runner.register()
  await rejectRunner(owner, runner.id)
  assert.deepEqual(await listRunners(owner), [])
  assert.deepEqual(await registerAs(runner), [403, 'runner_removed'])
  assert.match((await runner.register({ boot: randomUUID() })).notice!, /is waiting for approval/)
  assert.deepEqual((await listRunners(owner))[0]?.state, 'pending')
  assert.deepEqual(
    (await changesOf(owner)).map(({ change }) => change),
    ['connected', 'rejected', 'connected'],
  )
})

test('runners that were there before approval is asked for stay approved', async () => {
  const { runner, owner } = await aPlace()
  await runner.register()
  await setRunnerApproval(owner, true)
  await runner.call('leave')
  assert.equal((await runner.register({ boot: randomUUID() })).notice, null)
  assert.ok(await runner.acquire())
})

test('a runner that is pinned to teams is given their orders and no others, and the others say why they wait', async () => {
  const { runner, owner, team } = await aPlace()
  const other = await aTeam(owner)
  await aPolicy(owner, other, 'autonomous')
  await aRepository(owner, other)
  await aStory(owner, other)
  await runner.register()
  await pinRunner(owner, runner.id, [other.slug])
  assert.equal((await runner.acquire())?.team, other.slug)
  assert.equal(await runner.acquire(undefined, 0), null)
  assert.deepEqual(await readObstacles(owner, nobody, { team: team.slug }), [
    { by: 'runner', reason: 'No connected runner works for this team.' },
  ])
  assert.deepEqual(await readObstacles(owner, nobody, { team: other.slug }), [])
  const [listed] = await listRunners(owner)
  assert.deepEqual([listed?.teams.map(({ slug }) => slug), listed?.isPinned], [[other.slug], true])
  // An order that is already waiting is not taken by a runner that may not have it.
  const any = new TestRunner(app.url, (await aToken(owner, ['read'])).token, {}, aKey())
  await any.register()
  await pinRunner(owner, any.id, [other.slug])
  assert.equal(await any.acquire(undefined, 0), null)
  const held = any.acquire()
  await pinRunner(owner, any.id, [])
  assert.equal((await held)?.team, team.slug, 'for all teams again')
  const elsewhere = await aPlace(0)
  await assert.rejects(pinRunner(owner, any.id, [elsewhere.team.slug]), refusedWith('team_not_found'))
  const member = await aMember(owner, 'member')
  await assert.rejects(pinRunner(member, any.id, []), refusedWith('insufficient_role'))
})

test('an instance is free for another key only after its runner was removed and forgotten', async () => {
  const { runner, owner, token } = await aPlace()
  await runner.register()
  const { instance } = runner.registration
  await assert.rejects(forgetRunner(owner, runner.id), refusedWith('conflict'))
  await removeRunner(owner, runner.id)
  assert.deepEqual(
    (await listRemovedRunners(owner)).map(({ id }) => id),
    [runner.id],
  )
  const next = new TestRunner(app.url, token, { instance }, aKey())
  assert.deepEqual(await registerAs(next), [403, 'instance_taken'])
  const member = await aMember(owner, 'member')
  await assert.rejects(forgetRunner(member, runner.id), refusedWith('insufficient_role'))
  await forgetRunner(owner, runner.id)
  assert.deepEqual(await listRemovedRunners(owner), [])
  assert.notEqual((await next.register()).runner, runner.id)
  assert.deepEqual(await registerAs(runner), [403, 'instance_taken'], 'and the old key has lost it')
  await assert.rejects(forgetRunner(owner, runner.id), refusedWith('runner_not_found'))
})

const checkInlineFile = (runner: TestRunner, { run, fence }: Order, name: string) =>
  runner.call(`orders/${run}/${fence}/files/${name}`, undefined, { method: 'GET' })

test('under an order only files of its own run can be read or named', async () => {
  const { runner, owner } = await aPlace(2)
  await runner.register()
  const [first, second] = [(await runner.acquire())!, (await runner.acquire())!]
  assert.notEqual(first.run, second.run)
  const secret = `what ${first.run} has made`
  assert.equal((await runner.file(first, secret)).status, 201)
  const another = new TestRunner(app.url, (await aToken(owner, ['admin'])).token, {}, aKey())
  await another.register()
  assert.deepEqual(await codeOf(await checkInlineFile(runner, second, hash(secret))), [404, 'file_not_found'])
  // Nor by a report, after which it would be shown as a change of this run.
  await runner.report(second, [1, goesWell.plan])
  const implementing = (await runner.acquire())!
  const { pullRequest: _, ...change } = goesWell.change
  const work = { base: '1'.repeat(40), head: '2'.repeat(40), bundle: hash(secret) }
  const named = await runner.report(implementing, [1, { ...change, work }])
  assert.deepEqual(await codeOf(named), [404, 'file_not_found'])
  // Uploading known bytes reveals nothing: the answer is that of a new file.
  assert.equal((await runner.file(implementing, secret)).status, 201)
  assert.equal((await runner.file(implementing, secret)).status, 200)
  assert.equal(await (await checkInlineFile(runner, implementing, hash(secret))).text(), secret)
  // What an earlier order of the run has brought is there for the next one.
  await runner.report(first, [1, goesWell.plan])
  const next = (await runner.acquire())!
  assert.equal(next.run, first.run)
  assert.equal(await (await checkInlineFile(runner, next, hash(secret))).text(), secret)
})

test('a token and a workspace have no more runners than the operator allows; removed ones make room', async () => {
  const { owner, token } = await aPlace(0)
  const enrol = async (with_: string) => {
    const runner = new TestRunner(app.url, with_, {}, aKey())
    const response = await runner.call('register', await runner.signed())
    const body = (await response.json()) as Registered & { error?: { code: string; message: string } }
    return { status: response.status, code: body.error?.code, id: body.runner }
  }
  const three = [await enrol(token), await enrol(token), await enrol(token)]
  assert.deepEqual(
    three.map(({ status }) => status),
    [200, 200, 200],
  )
  assert.deepEqual(await enrol(token).then(({ status, code }) => [status, code]), [403, 'runner_limit'])
  const other = (await aToken(owner, ['read'])).token
  // All at once: no two of them pass as the last one.
  const rush = await Promise.all([enrol(other), enrol(other), enrol(other)])
  assert.deepEqual(rush.map(({ status }) => status).sort(), [200, 200, 403])
  assert.equal((await listRunners(owner)).length, 5, 'of the workspace')
  await removeRunner(owner, three[0]!.id)
  assert.equal((await enrol(token)).status, 200)
})

test('the list says when something last came of an order; beats alone are nothing', async () => {
  const { runner, owner } = await aPlace()
  await runner.register()
  const order = (await runner.acquire())!
  const progress = async () => (await listRunners(owner))[0]!.works[0]!.progressAt
  const taken = await progress()
  clock.forward(20 * 60_000)
  await runner.beat([order])
  assert.equal(await progress(), taken)
  await runner.report(order, [1, { type: 'progress', message: 'Reading.' }])
  assert.equal(await progress(), clock.now().toISOString())
  clock.forward(60_000)
  await runner.call(`orders/${order.run}/${order.fence}/log`, { number: 1, lines: ['a line'] })
  assert.equal(await progress(), clock.now().toISOString())
})

/** Nothing is handed in here. */
const unread: ChangeReader = { read: () => assert.fail('nothing was handed in') }

test('an order reports so often and so much; beyond that it can only say that it failed', async () => {
  const { runner, owner } = await aPlace()
  await runner.register()
  const order = (await runner.acquire())!
  const { run, fence } = order
  const found = () => findOrder(owner, runner.id, { run, fence })
  const service = asService(owner, owner.workspaceId)
  const say = async (number: number, event: RunnerEvent, most: { reports: number; bytes: number }) =>
    takeReports(service, await found(), [{ number, event }], { rates: {}, changes: unread }, most)
  const progress = { type: 'progress', message: 'Reading.' } as const
  await say(1, progress, { reports: 1, bytes: 1_000 })
  await assert.rejects(say(2, progress, { reports: 1, bytes: 1_000 }), refusedWith('report_limit'))
  await assert.rejects(say(2, progress, { reports: 9, bytes: 100 }), refusedWith('report_limit'))
  const failed = { type: 'failed', failureClass: 'persistent', error: 'Too much.' } as const
  assert.equal((await say(2, failed, { reports: 1, bytes: 100 })).verdict, 'stop')
})

test('an ephemeral runner that has left is on no list, takes no place of its token and comes back as itself', async () => {
  const { owner, token } = await aPlace(0)
  const ephemeral = () => new TestRunner(app.url, token, { features: ['ephemeral'], slots: 1 }, aKey())
  const [first, ...others] = Array.from({ length: 4 }, ephemeral)
  for (const runner of [first!, ...others]) {
    await runner.register()
    assert.deepEqual(
      (await listRunners(owner)).map(({ id }) => id),
      [runner.id],
    )
    assert.equal((await runner.call('leave')).status, 204)
  }
  assert.deepEqual(await listRunners(owner), [])
  const { id } = first!
  await first!.register({ boot: randomUUID() })
  assert.equal(first!.id, id)
  await first!.call('leave')
  clock.forward(31 * 24 * 3_600_000)
  await forgetRunners({ db: app.storage.db, clock })
  assert.deepEqual(await listRemovedRunners(owner), [])
})

test('an ephemeral runner that was killed leaves the list once it can no longer return to its order', async () => {
  const { owner, token } = await aPlace(1)
  const runner = new TestRunner(app.url, token, { features: ['ephemeral'], slots: 1 }, aKey())
  const lasting = new TestRunner(app.url, token, {}, aKey())
  await runner.register()
  await lasting.register()
  const listed = async () => {
    await expireEphemeralRunners({ db: app.storage.db, clock })
    return (await listRunners(owner)).map(({ id }) => id).toSorted()
  }
  clock.forward(5 * 60_000)
  assert.deepEqual(await listed(), [runner.id, lasting.id].toSorted())
  clock.forward(2 * 60_000)
  assert.deepEqual(await listed(), [lasting.id])
})
