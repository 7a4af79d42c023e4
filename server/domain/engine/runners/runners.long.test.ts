import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import type { Obstacle } from '@signalbox/contract/app/stories.ts'
import { rawKey } from '@signalbox/contract/dsse.ts'
import { hashOfToken } from '@signalbox/contract/runner/enrolment.ts'
import type { Isolation, Order, Register } from '@signalbox/contract/runner/messages.ts'
import fc from 'fast-check'
import { secretsFrom } from '../../../infra/secrets.ts'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, TestEngine } from '../../../test/engine/engine.ts'
import { aRepository, boxed, handKey, registration, signed } from '../../../test/engine/runner.ts'
import { aMember, aPolicy, aStory, aTeam, aToken } from '../../../test/factories.ts'
import { tables } from '../../../test/tables.ts'
import { until } from '../../../test/until.ts'
import { revokeToken } from '../../accounts/tokens/revoke.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { changePolicy } from '../../work/policies/change.ts'
import { listStuckRuns } from '../../work/runs/list-stuck.ts'
import { lockTeamById } from '../../work/teams/lock.ts'
import { stopRun } from '../lifecycle/stop.ts'
import { beginWork } from '../local/begin.ts'
import { handOffWork } from '../local/hand-off.ts'
import { capabilitiesOf } from '../orders/capabilities.ts'
import { readObstacles } from '../orders/read-obstacles.ts'
import { rehearsePolicy } from '../rehearsals/rehearse.ts'
import { claimOrder } from '../supervision/claim.ts'
import { shareSlots } from '../supervision/share-slots.ts'
import { beat } from './beat.ts'
import { challengeRunner } from './challenge.ts'
import { Challenges } from './challenges.ts'
import { drainRunner } from './drain.ts'
import { forgetRunners } from './forget.ts'
import { LastSeen } from './last-seen.ts'
import { leave } from './leave.ts'
import { listRunners } from './list.ts'
import { pauseRunner } from './pause.ts'
import { registerRunner } from './register.ts'
import { removeRunner } from './remove.ts'
import { resumeRunner } from './resume.ts'
import { selectBySession } from './store.ts'

const database = await testDatabase()
after(() => database.close())

const engine = new TestEngine(database.db)
const nobody = { serves: () => false }
const seconds = 1_000
const lives = new LastSeen({ db: database.db, clock: engine.clock })

/** A workspace whose team works in a repository, with a token for runners. */
async function aPlace(
  given: { stories?: number; preset?: 'autonomous' | 'trial'; slots?: number; labels?: string[] } = {},
) {
  const owner = await engine.workspace()
  const team = await aTeam(owner)
  await aPolicy(owner, team, given.preset ?? 'autonomous', {
    maxConcurrency: given.slots ?? 5,
    ...(given.labels ? { runnerLabels: given.labels } : {}),
  })
  await aRepository(owner, team)
  for (let n = 0; n < (given.stories ?? 1); n += 1) await aStory(owner, team)
  const { id: tokenId, token } = await aToken(owner)
  return { owner, team, tokenId, token, service: engine.service(owner.workspaceId) }
}
type Place = Awaited<ReturnType<typeof aPlace>>

const challenges = new Challenges(secretsFrom(randomBytes(32).toString('hex')).macKeys('runner challenges'))
const most = { perToken: 1_000, perWorkspace: 1_000 }

/** What a runner comes to with the token of its place. */
const doorFor = ({ tokenId, token }: Pick<Place, 'tokenId' | 'token'>) => ({
  token: { id: tokenId, hash: hashOfToken(token) },
  challenges,
  most,
})

/** A runner by hand, without HTTP. */
class Runner {
  readonly #place: Place
  readonly given: Register
  readonly key: KeyObject
  session = 0
  id = ''

  constructor(place: Place, given: Partial<Register> = {}, key: KeyObject = handKey) {
    this.#place = place
    this.key = key
    this.given = registration({ evidenceKey: rawKey(key), ...given })
  }

  async register(given: Partial<Register> = {}) {
    Object.assign(this.given, given)
    const registered = await registerRunner(this.#place.owner, doorFor(this.#place), await this.signed())
    this.session = registered.session
    this.id = registered.runner
    return registered
  }

  /** What it says of itself, signed for the registration that comes next. */
  async signed(said: Register = this.given): Promise<Register> {
    const { challenge } = await challengeRunner(this.#place.owner, challenges, said)
    return signed(said, { challenge, token: this.#place.token }, this.key)
  }

  async known() {
    return (await selectBySession(database.db, this.session))!
  }

  async claim(ask: string = randomUUID()): Promise<Order | null> {
    const claimant = {
      ...{ runnerId: this.id, session: this.session, name: this.given.name, slots: this.given.slots },
      capabilities: capabilitiesOf(this.given),
      features: this.given.features,
      labels: this.given.labels,
    }
    // It does not say that it knows surveys, so that it is given none.
    return (await claimOrder(this.#place.service, claimant, { ask, isItsTurn: true }, { USD: 0.5 }))
      .order as Order | null
  }

  async beat(...orders: Order[]) {
    const said = { phase: 'agent', lastEventAt: null, reportNext: 1, logNext: 1, spentMicros: 0 }
    const holds = orders.map(({ run, fence }) => ({ run, fence, ...said }))
    const input = { orders: holds, free: 1, diskFree: null, drains: false }
    const answer = await beat(this.#place.service, await this.known(), input, lives)
    await lives.write()
    return answer
  }
}

/** A runner with an order in its hands. */
async function atWork(given: Partial<Register> = {}) {
  const place = await aPlace()
  const runner = new Runner(place, given)
  await runner.register()
  await engine.settle()
  return { ...place, runner, order: (await runner.claim())! }
}

const standing = async (ctx: Context, run: string) =>
  tables(database.db)
    .selectFrom('runs')
    .innerJoin('attempts', (join) =>
      join.onRef('attempts.run_id', '=', 'runs.id').onRef('attempts.attempt', '=', 'runs.attempts'),
    )
    .select(['runs.phase', 'runs.attempts', 'runs.reason'])
    .where('runs.workspace_id', '=', ctx.workspaceId)
    .where('runs.key', '=', run)
    .executeTakeFirstOrThrow()

/** Time passes, with a sweep every 15 seconds. */
async function pass(secondsToPass: number, each: () => Promise<unknown> = async () => {}) {
  for (let left = secondsToPass; left > 0; left -= 15) {
    engine.clock.forward(Math.min(15, left) * seconds)
    await each()
    await engine.sweep()
  }
}

test('the lease starts when an order is taken: it may lie there for minutes before', async () => {
  const place = await aPlace()
  const runner = new Runner(place)
  await runner.register()
  await engine.settle()
  await pass(300, () => runner.beat())
  const order = (await runner.claim())!
  await pass(55)
  assert.equal((await standing(place.owner, order.run)).phase, 'working')
})

test('an order that no one takes is taken back after ten minutes, and the run says so', async () => {
  const place = await aPlace()
  const runner = new Runner(place)
  await runner.register()
  await engine.settle()
  await pass(11 * 60)
  const [stuck] = await listStuckRuns(place.owner)
  assert.equal(stuck?.reason, 'No runner is connected.')
  assert.equal(await runner.claim(), null)
})

test('beats keep an order and append nothing', async () => {
  const { owner, runner, order } = await atWork()
  const events = async () =>
    (
      await tables(database.db)
        .selectFrom('run_events')
        .select('seq')
        .where('workspace_id', '=', owner.workspaceId)
        .execute()
    ).length
  const before = await events()
  await pass(480, () => runner.beat(order))
  assert.equal((await standing(owner, order.run)).phase, 'working')
  assert.equal(await events(), before)
})

test('a runner that falls silent has a minute and five more to come back', async () => {
  const { owner, runner, order } = await atWork()
  await pass(345)
  assert.equal((await standing(owner, order.run)).phase, 'working')
  assert.equal((await listRunners(owner))[0]?.online, false, 'although it is shown as offline')
  assert.deepEqual((await runner.beat(order)).orders, [
    { run: order.run, fence: order.fence, verdict: 'go_on' },
  ])
  await pass(375)
  assert.deepEqual(await standing(owner, order.run).then(({ phase, attempts }) => [phase, attempts]), [
    'queued',
    2,
  ])
  const [answer] = (await runner.beat(order)).orders
  assert.deepEqual([answer?.verdict, answer?.how], ['stop', 'abort'])
})

test('a runner whose token was revoked has no grace: nothing more can come of it', async () => {
  const { owner, tokenId, order } = await atWork()
  await revokeToken(owner, tokenId)
  await pass(75)
  assert.deepEqual(await standing(owner, order.run).then(({ phase, attempts }) => [phase, attempts]), [
    'queued',
    2,
  ])
})

test('a new start that has lost an order says so, and it is tried again at once', async () => {
  const { owner, runner, order } = await atWork()
  engine.clock.forward(46 * seconds)
  const { run, fence } = order
  const { holds } = await runner.register({ boot: randomUUID(), holds: [{ run, fence, state: 'lost' }] })
  assert.deepEqual(holds, [{ run, fence, verdict: 'stop' }])
  assert.deepEqual(await standing(owner, run).then(({ phase, attempts }) => [phase, attempts]), ['queued', 2])
})

test('a new start that goes on with an order keeps it', async () => {
  const { owner, runner, order } = await atWork()
  engine.clock.forward(46 * seconds)
  const { run, fence } = order
  const { holds } = await runner.register({ boot: randomUUID(), holds: [{ run, fence, state: 'working' }] })
  assert.deepEqual(holds, [{ run, fence, verdict: 'go_on' }])
  await pass(50)
  assert.equal((await standing(owner, run)).phase, 'working')
})

test('a new start that knows nothing of an order has lost it; the same start may only have missed the answer', async () => {
  const { owner, runner, order } = await atWork()
  await runner.register()
  assert.equal((await standing(owner, order.run)).phase, 'working')
  engine.clock.forward(46 * seconds)
  await runner.register({ boot: randomUUID() })
  assert.equal((await standing(owner, order.run)).phase, 'queued')
})

test('after all nodes were down for an hour, runners have a lease to say that they are there', async () => {
  const { owner, runner, order } = await atWork()
  await engine.sweep()
  engine.clock.forward(3_600 * seconds)
  await engine.sweep()
  assert.equal((await standing(owner, order.run)).phase, 'working')
  engine.clock.forward(30 * seconds)
  assert.equal((await runner.beat(order)).orders[0]?.verdict, 'go_on')
  await engine.sweep()
  assert.equal((await standing(owner, order.run)).phase, 'working')
  // A runner that does not use it loses its order.
  engine.clock.forward(3_600 * seconds)
  await engine.sweep()
  await pass(75)
  assert.equal((await standing(owner, order.run)).phase, 'queued')
})

test('an order that only beats is ended after four hours, and the run says why', async () => {
  const { owner, runner, order } = await atWork()
  for (let at = 0; at < 4 * 3_600; at += 300) {
    engine.clock.forward(300 * seconds)
    assert.equal((await runner.beat(order)).orders[0]?.verdict, 'go_on')
    if (at % 600 === 0) await engine.sweep()
  }
  await engine.sweep()
  const { phase, error } = await ended(owner, order.run)
  assert.deepEqual(
    [phase, error],
    ['timed_out', 'Timed out while planning. A work order can take at most 4 hours.'],
  )
  assert.equal((await runner.beat(order)).orders[0]?.verdict, 'stop')
})

test('a runner that hands an order back and takes it again gains no time: a stage has twelve hours in an attempt', async () => {
  const { owner, runner, order: first, service } = await atWork()
  let order: Order | null = first
  for (let turn = 0; order && turn < 6; turn += 1) {
    for (let at = 0; at < 3.5 * 3_600; at += 300) {
      engine.clock.forward(300 * seconds)
      await runner.beat(order)
    }
    await engine.sweep()
    await leave(service, await runner.known())
    await runner.register({ boot: randomUUID() })
    await engine.sweep()
    await engine.settle()
    order = await runner.claim()
  }
  const { phase, error, attempts } = await ended(owner, first.run)
  assert.deepEqual(
    [phase, error, attempts],
    ['timed_out', 'Timed out while planning. A stage can take at most 12 hours in one attempt.', 1],
  )
})

/** The outcome of a run that is over. */
const ended = async (ctx: Context, run: string) =>
  tables(database.db)
    .selectFrom('runs')
    .innerJoin('attempts', (join) =>
      join.onRef('attempts.run_id', '=', 'runs.id').onRef('attempts.attempt', '=', 'runs.attempts'),
    )
    .select(['runs.phase', 'runs.attempts', 'attempts.error'])
    .where('runs.workspace_id', '=', ctx.workspaceId)
    .where('runs.key', '=', run)
    .executeTakeFirstOrThrow()

test('a person who stops a run has its agent cancelled with the next beat', async () => {
  const { owner, runner, order } = await atWork()
  await stopRun(owner, order.run, { confirmed: true })
  const { run, fence } = order
  assert.deepEqual((await runner.beat(order)).orders, [
    { run, fence, verdict: 'stop', how: 'cancel', reason: 'The run was stopped.' },
  ])
})

test('however runners race, each order is taken once and no one has more than its slots', async () => {
  const race = fc.record({
    stories: fc.integer({ min: 1, max: 5 }),
    slots: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 4 }),
    asks: fc.integer({ min: 1, max: 4 }),
  })
  await fc.assert(
    fc.asyncProperty(race, async ({ stories, slots, asks }) => {
      const place = await aPlace({ stories })
      const runners = slots.map((count, n) => new Runner(place, { slots: count, name: `runner-${n}` }))
      for (const runner of runners) await runner.register()
      await engine.settle()
      const claims = await Promise.all(
        runners.flatMap((runner) =>
          Array.from({ length: asks }, async () => ({ runner, order: await runner.claim() })),
        ),
      )
      const given = claims.filter(({ order }) => order !== null)
      const names = given.map(({ order }) => `${order!.run}/${order!.fence}`)
      assert.equal(new Set(names).size, names.length, 'each once')
      for (const runner of runners)
        assert.ok(given.filter((claim) => claim.runner === runner).length <= runner.given.slots)
      const most = runners.reduce((sum, { given: { slots: count } }) => sum + Math.min(count, asks), 0)
      const offered = Math.min(
        stories,
        slots.reduce((sum, count) => sum + count, 0),
      )
      // One that is passed over while it is held by another's try may be left for the next time.
      assert.ok(given.length <= Math.min(offered, most) && given.length > 0)
    }),
    { numRuns: 12, seed: 12 },
  )
})

test('a registration is taken only if its own key has signed it for this start, this token and this once', async () => {
  const place = await aPlace({ stories: 0 })
  const { id: otherId, token: otherToken } = await aToken(place.owner)
  const otherKey = generateKeyPairSync('ed25519').privateKey
  const lie = fc.record({
    signs: fc.constantFrom('own', 'other'),
    names: fc.constantFrom('own', 'other'),
    tokenSigned: fc.constantFrom('own', 'other'),
    tokenSent: fc.constantFrom('own', 'other'),
    challenge: fc.constantFrom('fresh', 'used', 'old', 'of another start', 'of another runner', 'made up'),
    boot: fc.constantFrom('same', 'changed'),
  })
  await fc.assert(
    fc.asyncProperty(lie, async ({ signs, names, tokenSigned, tokenSent, challenge, boot }) => {
      const runner = new Runner(place)
      const used = await runner.signed()
      await registerRunner(place.owner, doorFor(place), used)
      const keys = { own: runner.key, other: otherKey }
      const asked = async (of: Partial<Register> = {}) =>
        (await challengeRunner(place.owner, challenges, { ...runner.given, ...of })).challenge
      const texts = {
        fresh: async () => asked(),
        used: async () => used.proof!.challenge,
        old: async () => {
          const text = await asked()
          engine.clock.forward(60 * seconds)
          return text
        },
        'of another start': async () => asked({ boot: randomUUID() }),
        'of another runner': async () => asked({ instance: randomUUID() }),
        'made up': async () => 'zzzzzzzz.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
      }
      const said = { ...runner.given, evidenceKey: rawKey(keys[names]) }
      const token = { own: place.token, other: otherToken }
      const proven = signed(
        said,
        { challenge: await texts[challenge](), token: token[tokenSigned] },
        keys[signs],
      )
      const sent = boot === 'same' ? proven : { ...proven, boot: randomUUID() }
      const door = tokenSent === 'own' ? doorFor(place) : doorFor({ tokenId: otherId, token: otherToken })
      const isRight =
        signs === 'own' &&
        names === 'own' &&
        tokenSigned === tokenSent &&
        challenge === 'fresh' &&
        boot === 'same'
      const outcome = await registerRunner(place.owner, door, sent).then(
        () => 'taken',
        (error) => (error instanceof DomainError ? error.code : error),
      )
      if (isRight) assert.equal(outcome, 'taken')
      else assert.ok(['proof_refused', 'challenge_over', 'instance_taken'].includes(outcome), `${outcome}`)
      const { evidenceKey } = await tables(database.db)
        .selectFrom('runners')
        .select('evidence_key as evidenceKey')
        .where('workspace_id', '=', place.owner.workspaceId)
        .where('instance', '=', runner.given.instance)
        .executeTakeFirstOrThrow()
      assert.equal(evidenceKey, rawKey(runner.key), 'the key of an instance never changes')
    }),
    { numRuns: 60, seed: 5 },
  )
})

const without = (...facts: (keyof Isolation)[]): Isolation => ({
  ...boxed,
  ...Object.fromEntries(facts.map((fact) => [fact, false])),
})

const missing: [says: string, runners: Partial<Register>[], by: Obstacle['by'], reason: string][] = [
  ['no runner at all', [], 'runner', 'No runner is connected.'],
  [
    'none with that agent',
    [{ executors: [{ name: 'codex', via: 'native', version: null }] }],
    'agent',
    'No connected runner can use Scripted. Available: Codex.',
  ],
  [
    'none that keeps the network closed',
    [{ isolation: without('networkOnlyToGateway') }],
    'runner',
    'No connected runner can keep the network closed.',
  ],
  [
    'of several, what the best of them lacks',
    [
      { isolation: without('environmentCleared', 'secretsUnreadable', 'networkOnlyToGateway') },
      { isolation: without('secretsUnreadable', 'networkOnlyToGateway') },
      { executors: [] },
    ],
    'runner',
    'No connected runner with Scripted can keep the machine’s secrets unreadable and keep the network closed.',
  ],
  [
    'none whose agent stays away from the network, because it uses a subscription',
    [{ executors: [{ name: 'scripted', via: 'native', version: null, access: 'subscription' }] }],
    'runner',
    'Scripted uses a subscription on the runner, so the runner cannot keep the network closed.',
  ],
]
test('a policy that demands a kernel of its own gets a runner with gVisor, and no other box', async () => {
  const place = await aPlace()
  await changePolicy(place.owner, place.team.slug, {
    ...{ preset: 'balanced', departures: { isolation: 'gvisor', executor: 'scripted' } },
  })
  await new Runner(place, { isolation: boxed }).register()
  const obstacles = () => readObstacles(place.owner, nobody, { team: place.team.slug })
  assert.deepEqual(await obstacles(), [
    {
      by: 'runner',
      reason: 'No connected runner can keep the agent away from the machine’s kernel (gVisor).',
    },
  ])
  await new Runner(place, { isolation: { ...boxed, backend: 'gvisor' } }).register()
  assert.deepEqual(await obstacles(), [])
  await engine.settle()
})

for (const [says, runners, by, reason] of missing)
  test(`a Ready story says exactly what is missing: ${says}`, async () => {
    const place = await aPlace()
    for (const given of runners) await new Runner(place, given).register()
    assert.deepEqual(await readObstacles(place.owner, nobody, { team: place.team.slug }), [{ by, reason }])
    await engine.settle()
    assert.deepEqual(
      await readObstacles(place.owner, nobody, { team: place.team.slug }),
      [{ by, reason }],
      'not taken',
    )
  })

test('a Ready story says that every slot of the runners is taken, and that they rest', async () => {
  const { owner, team, runner } = await atWork({ slots: 1 })
  const obstacles = () => readObstacles(owner, nobody, { team: team.slug })
  assert.deepEqual(await obstacles(), [
    { by: 'runner_slots', reason: 'Waiting for a runner: its only slot is taken.' },
  ])
  await pauseRunner(owner, runner.id)
  assert.deepEqual(await obstacles(), [
    { by: 'runner', reason: 'The runner that could do it is paused or draining.' },
  ])
})

test('work goes only to a runner with every label that the policy asks for; the story says what is missing', async () => {
  const place = await aPlace({ preset: 'trial', labels: ['gpu', 'eu'] })
  const obstacles = () => readObstacles(place.owner, nobody, { team: place.team.slug })
  const near = new Runner(place, { labels: ['eu', 'arm'] })
  await near.register()
  assert.deepEqual(await obstacles(), [
    { by: 'runner', reason: 'No connected runner has the labels eu and gpu.' },
  ])
  const right = new Runner(place, { labels: ['gpu', 'arm', 'eu'] })
  await right.register()
  assert.deepEqual(await obstacles(), [])
  await engine.settle()
  assert.equal(await near.claim(), null)
  assert.deepEqual((await right.claim())?.policy.runnerLabels, ['eu', 'gpu'])
})

test('a policy that asks for labels is rehearsed with those of the runners that did the work', async () => {
  const place = await aPlace({ labels: ['eu'] })
  const runner = new Runner(place, { labels: ['eu', 'gpu'] })
  await runner.register()
  await engine.settle()
  const order = (await runner.claim())!
  const { workspaceId } = place.owner
  const { id: runId } = await tables(database.db)
    .selectFrom('runs')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('key', '=', order.run)
    .executeTakeFirstOrThrow()
  await engine.report({ ...order, workspaceId, runId } as never, goesWell.begun)
  const effects = async (...runnerLabels: string[]) => {
    const { preset, departures } = {
      preset: 'autonomous',
      departures: { runnerLabels, maxConcurrency: 5 },
    } as const
    const { changed, unknown } = await rehearsePolicy(place.owner, place.team.slug, { preset, departures })
    const told = changed.map(({ run, differences }) => [run, differences.map(({ effect }) => effect)])
    return [...told, ...unknown.map(({ effect }) => effect)]
  }
  assert.deepEqual(await effects('eu', 'gpu'), [])
  assert.deepEqual(await effects('eu', 'arm'), [[order.run, ['runner_labels']]])
  // It comes back under other labels: what its order asked for, it had.
  await runner.register({ labels: ['arm'] })
  assert.deepEqual(await effects('eu', 'arm'), [])
  await removeRunner(place.owner, runner.id)
  assert.deepEqual(await effects('gpu'), [[order.run, ['runner_labels']]])
})

test('an agent with a subscription gets work where the policy demands no closed box, and none where it does', async () => {
  const agent = { name: 'scripted', via: 'native', version: null } as const
  for (const [preset, access, gets] of [
    ['trial', 'subscription', true],
    ['autonomous', 'subscription', false],
    ['autonomous', 'gateway', true],
  ] as const) {
    const place = await aPlace({ preset })
    // Another runner can do it, so that there is an order to take.
    await new Runner(place, { slots: 2 }).register()
    const runner = new Runner(place, { executors: [{ ...agent, access }] })
    await runner.register()
    await engine.settle()
    assert.equal((await runner.claim()) !== null, gets, `${preset}, ${access}`)
  }
})

test('what the policy does not demand keeps no one: Trial runs without a box', async () => {
  const place = await aPlace({ preset: 'trial' })
  const bare = without(...(Object.keys(boxed).slice(2) as (keyof Isolation)[]))
  await new Runner(place, { isolation: bare }).register()
  assert.deepEqual(await readObstacles(place.owner, nobody, { team: place.team.slug }), [])
})

test('a paused runner gets no work and hears of it; resumed, it hears that too', async () => {
  const place = await aPlace()
  const runner = new Runner(place)
  await runner.register()
  await engine.settle()
  await pauseRunner(place.owner, runner.id)
  assert.equal(await runner.claim(), null)
  assert.deepEqual((await runner.beat()).commands, ['pause'])
  assert.deepEqual((await runner.beat()).commands, ['pause'])
  await resumeRunner(place.owner, runner.id)
  assert.deepEqual((await runner.beat()).commands, ['resume'])
  assert.deepEqual((await runner.beat()).commands, [])
  assert.ok(await runner.claim())
})

test('a drained runner is told so, and takes work again when it is started again', async () => {
  const place = await aPlace()
  const runner = new Runner(place)
  await runner.register()
  await engine.settle()
  await drainRunner(place.owner, runner.id)
  assert.deepEqual((await runner.beat()).commands, ['drain'])
  await leave(place.service, await runner.known())
  await runner.register({ boot: randomUUID() })
  assert.ok(await runner.claim())
})

test('a removed runner is off the list, hands back what it had, and comes back only by a new start', async () => {
  const { owner, runner, order } = await atWork()
  await removeRunner(owner, runner.id)
  assert.deepEqual(await listRunners(owner), [])
  assert.deepEqual(await standing(owner, order.run).then(({ phase, attempts }) => [phase, attempts]), [
    'queued',
    1,
  ])
  await assert.rejects(
    runner.register(),
    (error) => error instanceof DomainError && error.code === 'runner_removed',
  )
  await runner.register({ boot: randomUUID() })
  assert.equal((await listRunners(owner)).length, 1)
})

test('only owners and admins pause, drain and remove, and it is in the log', async () => {
  const { owner, runner } = await atWork()
  const member = await aMember(owner, 'member')
  for (const verb of [pauseRunner, drainRunner, removeRunner, resumeRunner])
    await assert.rejects(
      verb(member, runner.id),
      (error) => error instanceof DomainError && error.code === 'insufficient_role',
    )
  await pauseRunner(owner, runner.id)
  await removeRunner(owner, runner.id)
  const entries = await tables(database.db)
    .selectFrom('audit_entries')
    .select('entry')
    .where('workspace_id', '=', owner.workspaceId)
    .where('event', '=', 'runner_changed')
    .orderBy('id')
    .execute()
  assert.deepEqual(
    entries.map(({ entry }) => {
      const { actor, details } = JSON.parse(String(entry))
      return [actor.type, details.change]
    }),
    [
      ['human', 'connected'],
      ['human', 'paused'],
      ['human', 'removed'],
    ],
  )
})

test('a runner of another workspace is not found, whatever is wanted of it', async () => {
  const { runner } = await atWork()
  const { owner } = await aPlace()
  await assert.rejects(
    pauseRunner(owner, runner.id),
    (error) => error instanceof DomainError && error.code === 'runner_not_found',
  )
})

test('a runner that was not heard from for a month is off the list', async () => {
  const place = await aPlace({ stories: 0 })
  await new Runner(place).register()
  await forgetRunners(place.service)
  assert.equal((await listRunners(place.owner)).length, 1)
  engine.clock.forward(31 * 86_400 * seconds)
  await forgetRunners(place.service)
  assert.deepEqual(await listRunners(place.owner), [])
})

test('what a person has pushed is brought in by a runner that says it can, then verified like any change', async () => {
  const place = await aPlace({ stories: 0 })
  const story = await aStory(place.owner, place.team)
  const { run } = await beginWork(place.owner, story.key, { agent: 'codex' })
  const pushed = { name: 'ada/greet', head: 'c'.repeat(40) }
  await handOffWork(place.owner, run, { summary: 'Done', branch: pushed.name, commit: pushed.head })
  const older = new Runner(place)
  await older.register()
  await engine.settle()
  assert.equal(await older.claim(), null)
  const runner = new Runner(place, { features: ['adopt'] })
  await runner.register()
  const order = (await runner.claim())!
  assert.deepEqual([order.run, order.job, order.stage, order.toAdopt], [run, 'adopt', 'implementing', pushed])
  // The team's agent, not the person's: it may have to write the spec.
  assert.equal(order.executor, 'scripted')

  const { workspaceId } = place.owner
  const { id: runId } = await tables(database.db)
    .selectFrom('runs')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('key', '=', run)
    .executeTakeFirstOrThrow()
  const ref = { workspaceId, runId, fence: order.fence }
  const work = { base: 'b'.repeat(40), head: 'd'.repeat(40), bundle: 'e'.repeat(64) }
  await engine.report({ ...order, ...ref } as never, { ...goesWell.change, pullRequest: null, work })
  const next = (await older.claim())!
  assert.deepEqual([next.job, next.stage, next.toAdopt], ['stage', 'verifying', null])
  assert.deepEqual([next.base, next.work], [work.base, work])
  // A gate that fails is no reason to work on what a person made without being asked.
  const failing = [{ name: 'unit tests', result: 'failed' as const, summary: '1 failed' }]
  await engine.report({ ...next, ...ref, fence: next.fence } as never, { ...goesWell.gates, gates: failing })
  assert.equal((await standing(place.owner, run)).phase, 'waiting')
})

test('a slot that becomes free while the line is looked at goes to the team that was passed over for want of it', async () => {
  const place = await aPlace({ stories: 1 })
  const { owner, service } = place
  const [second, third] = [await aTeam(owner), await aTeam(owner)]
  for (const team of [second, third]) {
    await aPolicy(owner, team, 'autonomous', { maxConcurrency: 5 })
    await aRepository(owner, team)
    await aStory(owner, team)
  }
  const runner = new Runner(place, { slots: 1 })
  await runner.register()
  // The third team is locked, so that the line stops there: the first has the slot, the second was passed over.
  let shared: Promise<string[]> | undefined
  await housekeeping(database.db, 'a test locks a team', async (tx) => {
    await lockTeamById(tx, owner.workspaceId, third.id)
    const backend = tables(tx).selectNoFrom((is) => is.fn<number>('pg_backend_pid').as('pid'))
    const { pid } = await backend.executeTakeFirstOrThrow()
    shared = shareSlots(service, nobody)
    const waiting = 'select from pg_locks where not granted and $1 = any(pg_blocking_pids(pid))'
    await until('the line waits for the third team', async () => {
      return (await database.pool.query(waiting, [pid])).rowCount === 1
    })
    const order = await runner.claim()
    assert.equal(order?.team, place.team.slug)
    await stopRun(owner, order.run, { confirmed: true })
  })
  assert.deepEqual(await shared, [place.team.id, second.id])
  assert.equal((await runner.claim())?.team, second.slug)
})
