import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Decision } from '@signalbox/contract/decision.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import fc from 'fast-check'
import { beginWithin } from '../../../test/begin-within.ts'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, TestEngine } from '../../../test/engine/engine.ts'
import { aMember, aPolicy, aStory, aTeam } from '../../../test/factories.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { WorkEvent, WorkOrder } from '../../ports/work.ts'
import { listDecisions } from '../../work/decisions/list.ts'
import { pauseTeam } from '../../work/teams/pause.ts'
import { resumeTeam } from '../../work/teams/resume.ts'
import { resolveDecision } from '../answers/resolve.ts'
import { beginWork } from '../local/begin.ts'
import { giveBackWork } from '../local/give-back.ts'
import { handOffWork } from '../local/hand-off.ts'
import { reportProgress } from '../local/report-progress.ts'
import { startRace } from '../supervision/start-race.ts'
import { retryRun } from './retry.ts'
import { stopRun } from './stop.ts'

/**
 * Whatever happens, in whatever order: answers, stops, retries, reports that come late, twice or never, wake-ups that
 * are lost or doubled, timers, and nodes that die in the middle of a step. After each of them the same rules hold, and
 * in the end everything can still be brought to an end.
 */

const database = await testDatabase()
after(() => database.close())

const maxConcurrency = 2
const runs = process.env.FAULTS === 'all' ? 200 : 12

/** The world a sequence plays in, and what it must remember to check the rules. */
class World {
  readonly engine: TestEngine
  readonly owner: Context
  readonly colleague: Context
  readonly team: { id: string; slug: string }
  /** The cost of each run, as last seen. */
  readonly costs = new Map<string, number>()
  paused = false

  constructor(engine: TestEngine, owner: Context, colleague: Context, team: { id: string; slug: string }) {
    this.engine = engine
    this.owner = owner
    this.colleague = colleague
    this.team = team
  }

  static async make(): Promise<World> {
    const engine = new TestEngine(database.db)
    const owner = await engine.workspace()
    const colleague = await aMember(owner, 'owner')
    const team = await aTeam(owner)
    // The main branch is checked by the host after some merges, by a runner after others.
    engine.merges = (story) => ({ byRunner: /[02468]$/.test(story) })
    for (let n = 0; n < 5; n += 1)
      await aStory(owner, team, { classOfService: n === 2 ? 'expedite' : 'standard' })
    await aPolicy(owner, team, 'balanced', {
      maxConcurrency,
      budgets: { runCents: 100, dayCents: null, monthCents: null },
      gateFailureBudget: 1,
      autoMergeMaxLines: 5,
      deniedPaths: ['infra/**'],
    })
    return new World(engine, owner, colleague, team)
  }

  async runs() {
    const { rows } = await database.pool.query<{
      id: string
      key: string
      phase: string
      version: number
      fence: number
      budget: number
      cost: number
      billed: number
      waits: number
      due: number
      orders: number
      events: number
      wake_at: Date | null
      checks: boolean
      stage: string
      person: string | null
    }>(
      `select r.id, r.key, r.phase, r.version, r.fence, r.budget_cents as budget, r.wake_at,
        coalesce((r.memory ->> 'checksMain')::boolean, false) as checks,
        (select a.stage from attempts a where a.run_id = r.id and a.attempt = r.attempts) as stage,
        (select o.person_id from work_orders o where o.run_id = r.id and o.state <> 'ended') as person,
        (select sum(cost_micros) from attempts a where a.run_id = r.id)::bigint as cost,
        (select coalesce(sum(euro_micros), 0) from usage_ledger u where u.run_id = r.id)::bigint as billed,
        (select count(*) from decisions d where d.run_id = r.id and d.status = 'pending') as waits,
        (select count(*) from effects e where e.run_id = r.id and e.due_at is not null) as due,
        (select count(*) from work_orders o where o.run_id = r.id and o.state <> 'ended') as orders,
        (select count(*) from run_events e where e.run_id = r.id) as events
       from runs r where r.workspace_id = $1 order by r.id`,
      [this.owner.workspaceId],
    )
    return rows
  }

  async stories() {
    const { rows } = await database.pool.query<{ key: string; column: string; open: number }>(
      `select s.key, c.role as column, (
          select count(*)::int from runs r where r.story_id = s.id
            and r.phase not in ('succeeded', 'failed', 'timed_out', 'stopped', 'queued')
        ) as open
       from stories s join columns c on c.id = s.column_id where s.workspace_id = $1 order by s.id`,
      [this.owner.workspaceId],
    )
    return rows
  }

  /** Orders of this world: the sweeper hands out those of others in the same database too. */
  get orders(): WorkOrder[] {
    return this.engine.orders.filter(({ workspaceId }) => workspaceId === this.owner.workspaceId)
  }

  /** Reports on an order, and sees that one which is outdated moves nothing. */
  async report(order: WorkOrder, event: WorkEvent, number?: number): Promise<void> {
    const find = async () => (await this.runs()).find(({ id }) => id === order.runId)!
    const before = await find()
    const isOutdated = before.phase !== 'working' || before.fence !== order.fence
    try {
      const verdict = await this.engine.report(order, event, number)
      if (!isOutdated) return
      const after = await find()
      assert.equal(verdict, 'stop')
      // A late bill can still be the one that reaches the budget.
      if (event.type !== 'usage') assert.deepEqual([after.phase, after.fence], [before.phase, before.fence])
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
    }
  }

  async decisions(): Promise<Decision[]> {
    const page = await listDecisions(this.owner, {}, { limit: 100, after: null })
    return page.data.map(fromJson)
  }
}

const final = ['succeeded', 'failed', 'timed_out', 'stopped']

async function check(world: World): Promise<void> {
  const all = await world.runs()
  for (const run of all) {
    // It is someone's turn: the engine's by a wake-up, a worker's by an order, a person's by a decision, or it is over.
    if (run.phase === 'waiting') assert.equal(run.waits, 1, `${run.key} waits for one decision`)
    else assert.equal(run.waits, 0, `${run.key} is ${run.phase} and asks nothing`)
    assert.equal(run.orders, run.phase === 'working' ? 1 : 0, `${run.key} is ${run.phase}`)
    const isEngines = !['waiting', 'working', ...final].includes(run.phase)
    assert.equal(run.wake_at !== null, isEngines, run.key)
    if (final.includes(run.phase)) assert.equal(run.due, 0, `${run.key} has ended and wants nothing`)
    if (['opening', 'merging', 'watching', 'reverting'].includes(run.phase)) assert.equal(run.due, 1, run.key)

    assert.equal(run.events, run.version, 'events are dense')
    assert.equal(run.cost, run.billed, 'what was billed is what it cost')
    assert.ok(run.cost >= (world.costs.get(run.key) ?? 0), 'cost never falls')
    world.costs.set(run.key, run.cost)
    if (run.phase === 'working' && !run.checks && run.stage !== 'handing_off')
      assert.ok(run.cost < run.budget * 10_000, 'nobody works without money')
  }
  // Nor does a person take a slot of the team's.
  assert.ok(all.filter((run) => run.phase === 'working' && !run.person).length <= maxConcurrency)
  const stories = await world.stories()
  for (const { key, column, open } of stories) {
    assert.ok(open <= 1, `${key} is worked on once at a time`)
    if (open > 0) assert.notEqual(column, 'ready', `${key} is in nobody's queue while it is worked on`)
  }
  await checkLog(world)
  const done = [...world.engine.gitHost.done.keys()]
  assert.equal(new Set(done).size, done.length)
}

/** The log tells the state of every run, and one answer for every resolved decision. */
async function checkLog(world: World): Promise<void> {
  const { rows } = await database.pool.query(
    `select r.key, a.status, a.stage, a.attempt,
      (select e.entry::json -> 'details' from audit_entries e
        where e.workspace_id = r.workspace_id and e.run_key = r.key and e.event = 'run_state_changed'
        order by e.id desc limit 1) as changed,
      (select count(*)::int from audit_entries e
        where e.workspace_id = r.workspace_id and e.run_key = r.key and e.event = 'run_started') as started
     from runs r join attempts a on a.run_id = r.id and a.attempt = r.attempts
     where r.workspace_id = $1`,
    [world.owner.workspaceId],
  )
  // A race that waits for its first slot is as it was started.
  const asStarted = { status: 'queued', stage: 'planning', attempt: 1 }
  for (const { key, status, stage, attempt, changed, started } of rows) {
    assert.equal(started, 1, `${key} was started once`)
    const logged = changed ?? asStarted
    assert.deepEqual(
      [logged.status, logged.stage, logged.attempt],
      [status, stage, attempt],
      `${key} in the log`,
    )
  }
  const { rows: answered } = await database.pool.query(
    `select d.key, d.status,
      (select count(*) from audit_entries e where e.workspace_id = d.workspace_id
        and e.event = 'decision_resolved' and e.entry::json -> 'entity' ->> 'id' = d.key) as answers
     from decisions d where d.workspace_id = $1`,
    [world.owner.workspaceId],
  )
  for (const { key, status, answers } of answered)
    assert.equal(Number(answers), status === 'resolved' ? 1 : 0, `${key} is ${status}`)
}

/** A refusal is an answer; anything else that is thrown is a defect. */
async function allowed(act: Promise<unknown>): Promise<void> {
  try {
    await act
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
  }
}

const pick = <T>(list: readonly T[], n: number): T | undefined =>
  list.length > 0 ? list[n % list.length] : undefined

const failing: WorkEvent = {
  ...goesWell.gates,
  gates: [{ name: 'unit tests', result: 'failed', summary: '1 failed' }],
}
const changing = (...paths: string[]): WorkEvent => ({
  ...goesWell.change,
  change: { ...goesWell.change.change, paths, files: paths.length },
})

const work = { base: 'b'.repeat(40), head: 'c'.repeat(40), bundle: 'e'.repeat(64) }

const workEvents: WorkEvent[] = [
  { type: 'progress', message: 'at it' },
  { type: 'usage', amount: 0.3, currency: 'EUR' },
  { type: 'usage', amount: 0.7, currency: 'USD' },
  goesWell.plan,
  { ...goesWell.plan, risk: 'high' },
  { ...goesWell.plan, paths: ['infra/main.tf'] },
  { type: 'scope_change_proposed', plan: '1. More.', change: 'It needs more.' },
  { type: 'spec_failed', error: 'no fixture' },
  {
    type: 'question_asked',
    question: 'Which one?',
    context: 'There are two.',
    options: [
      { id: 'a', label: 'A' },
      { id: 'b', label: 'B' },
    ],
    recommendation: 'a',
    work,
  },
  goesWell.begun,
  goesWell.session,
  goesWell.spec,
  goesWell.change,
  { ...goesWell.change, pullRequest: null, work, diff: 'f'.repeat(64), findings: ['A test was removed.'] },
  changing('.kanman/acceptance/a.spec.ts'),
  changing('infra/main.tf'),
  goesWell.gates,
  failing,
  goesWell.finish,
  goesWell.pushed,
  goesWell.mainGreen,
  { ...goesWell.mainGreen, state: 'red', findings: '2 tests fail' },
  { type: 'failed', failureClass: 'transient', error: 'network' },
  { type: 'failed', failureClass: 'persistent', error: 'impossible' },
  { type: 'failed', failureClass: 'dependency', error: 'not readable', waitsFor: 'repository' },
  { type: 'failed', failureClass: 'budget', error: 'used up' },
]

const any: WorkEvent['type'][] = ['progress', 'usage', 'failed', 'question_asked', 'begun', 'session_known']
const stageEvents: Record<WorkOrder['stage'], WorkEvent['type'][]> = {
  planning: ['plan_ready', 'scope_change_proposed', 'spec_failed'],
  implementing: ['spec_pinned', 'change_ready', 'scope_change_proposed', 'spec_failed'],
  verifying: ['gates_ran'],
  handing_off: ['finished', 'main_checked'],
}
/** What can come back in each stage. */
const eventsOf = Object.fromEntries(
  Object.entries(stageEvents).map(([stage, types]) => [
    stage,
    workEvents.filter(({ type }) => any.includes(type) || types.includes(type)),
  ]),
) as Record<WorkOrder['stage'], WorkEvent[]>

type Does = (world: World) => Promise<unknown>

class Step implements fc.AsyncCommand<object, World> {
  readonly #name: string
  readonly #does: Does

  constructor(name: string, does: Does) {
    this.#name = name
    this.#does = does
  }

  check = () => true

  async run(_: object, world: World): Promise<void> {
    await this.#does(world)
    await check(world)
  }

  toString = () => this.#name
}

const step = (name: string, does: (n: number, world: World) => Promise<unknown>) =>
  fc.nat({ max: 1_000 }).map((n) => new Step(`${name} ${n}`, (world) => does(n, world)))

/** What ends an order well. Some have a pull request already, others push a branch. */
const doneWell = ({ stage, job }: WorkOrder, n = 0): WorkEvent =>
  job === 'main_check'
    ? goesWell.mainGreen
    : {
        planning: goesWell.plan,
        implementing: goesWell.change,
        verifying: goesWell.gates,
        handing_off: n % 2 === 0 ? goesWell.finish : goesWell.pushed,
      }[stage]

const goingWell = step('work goes well', async (n, { engine, orders }) => {
  const order = orders.at(-1 - (n % 2))
  if (!order) return
  await allowed(engine.report(order, doneWell(order, n)))
  await engine.settle()
})

const answering = step('two people answer at once', async (n, world) => {
  const pending = (await world.decisions()).filter(({ status }) => status === 'pending')
  const decision = pick(pending, n)
  if (!decision) return
  const answers = [world.owner, world.colleague].map((person, index) =>
    resolveDecision(person, { key: decision.key, optionId: pick(decision.options, n + index)!.id }).then(
      () => 1,
      (error) => {
        if (error instanceof DomainError) return 0
        throw error
      },
    ),
  )
  const won = (await Promise.all(answers)).reduce<number>((sum, one) => sum + one, 0)
  assert.ok(won <= 1, 'at most one answer wins')
})

/** As often as things happen: mostly work is done and people answer, seldom a week goes by. */
const often = <T>(times: number, one: T): T[] => Array.from({ length: times }, () => one)

const commands = [
  step('answer a wake-up', async (n, { engine }) => {
    const at = n % Math.max(1, engine.wakes.length)
    const [found] = engine.wakes.splice(at, 1)
    if (found) await engine.handle(found.wake)
  }),
  step('answer a wake-up twice', async (n, { engine }) => {
    const found = pick(engine.wakes, n)
    if (found) await Promise.all([engine.handle(found.wake), engine.handle(found.wake)])
  }),
  step('lose a wake-up', async (n, { engine }) => {
    engine.wakes.splice(n % Math.max(1, engine.wakes.length), 1)
  }),
  ...often(
    4,
    step('settle', (_, { engine }) => engine.settle()),
  ),
  step('sweep after a while', (n, { engine }) => {
    engine.clock.forward([1_000, 5_000, 15_000, 20_000, 61_000][n % 5]!)
    return engine.sweep()
  }),
  step('sweep after a week', (_, { engine }) => {
    engine.clock.forward(7 * 86_400_000 + 1)
    return engine.sweep()
  }),
  ...often(
    6,
    step('report', async (n, world) => {
      const order = world.orders.at(-1 - (n % 2))
      if (order) await world.report(order, pick(eventsOf[order.stage], n)!)
    }),
  ),
  step('report on an order of long ago', async (n, world) => {
    const order = pick(world.orders, n)
    if (order) await world.report(order, pick(workEvents, n)!)
  }),
  ...often(4, goingWell),
  ...often(4, answering),
  step('a report arrives twice', async (n, { engine, orders }) => {
    const order = pick(orders, n)
    const event = workEvents[n % workEvents.length]!
    if (!order) return
    const number = 1_000 + n
    await Promise.all([
      allowed(engine.report(order, event, number)),
      allowed(engine.report(order, event, number)),
    ])
  }),
  step('an answer comes too late', async (n, world) => {
    const closed = (await world.decisions()).filter(({ status }) => status !== 'pending')
    const decision = pick(closed, n)
    if (!decision) return
    const answer = { key: decision.key, optionId: decision.recommendation }
    await assert.rejects(resolveDecision(world.owner, answer), DomainError)
  }),
  step('stop a run', async (n, world) => {
    const run = pick(await world.runs(), n)
    if (run) await allowed(stopRun(world.owner, run.key, { confirmed: true }))
  }),
  step('retry a run', async (n, world) => {
    const run = pick(await world.runs(), n)
    if (run) await allowed(retryRun(world.owner, run.key, { guidance: 'again' }))
  }),
  ...often(
    2,
    step('a person starts a race', async (n, world) => {
      const story = pick(await world.stories(), n)
      await allowed(startRace(world.owner, { serves: () => true }, story!.key, ['claude_code', 'codex']))
      await world.engine.settle()
    }),
  ),
  ...often(
    2,
    step('a person begins a story', async (n, world) => {
      const story = pick(await world.stories(), n)
      const person = n % 2 ? world.owner : world.colleague
      const act = n % 3 === 0 ? world.engine.settle() : undefined
      await Promise.all([allowed(beginWork(person, story!.key)), act])
    }),
  ),
  ...often(
    2,
    step('a person reports, hands off or gives back', async (n, world) => {
      const held = (await world.runs()).filter(({ person }) => person !== null)
      const run = pick(n % 4 === 0 ? await world.runs() : held, n)
      if (!run) return
      const person = n % 2 ? world.owner : world.colleague
      const acts = [
        () => reportProgress(person, run.key, { message: 'at it' }),
        () => handOffWork(person, run.key, { summary: 'done', branch: 'mine', commit: 'c'.repeat(40) }),
        () => giveBackWork(person, run.key),
        () =>
          Promise.all([giveBackWork(person, run.key), stopRun(world.owner, run.key, { confirmed: true })]),
      ]
      await allowed(acts[n % acts.length]!())
    }),
  ),
  step('a person is not heard of for a day', async (_, { engine }) => {
    engine.clock.forward(25 * 3_600_000)
    await engine.sweep()
    engine.clock.forward(61_000)
    await engine.sweep()
  }),
  step('pause or resume', async (_, world) => {
    await (world.paused ? resumeTeam : pauseTeam)(world.owner, world.team.slug)
    world.paused = !world.paused
  }),
  step('the node dies in a step', async (n, { engine, orders }) => {
    // Dying while it sends the next wake-up rolls the whole step back: nothing of it may be seen.
    engine.dieAtSend = n % 3
    const order = orders.at(-1)
    const event = workEvents[n % workEvents.length]!
    await Promise.allSettled([engine.settle(), order && engine.report(order, event)])
    engine.dieAtSend = null
  }),
  step('the node dies after a call to the git host', async (_, { engine }) => {
    engine.dieAfterCall = true
    await Promise.allSettled([engine.settle()])
    engine.dieAfterCall = false
  }),
]

test('rules hold through any order of answers, stops, retries, late and repeated reports, timers and crashes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(...commands), { minLength: 20, maxLength: 70 }),
      beginWithin(600_000, async (sequence) => {
        const world = await World.make()
        await fc.asyncModelRun(async () => ({ model: {}, real: world }), sequence)
        await bringToAnEnd(world)
      }),
    ),
    { numRuns: runs, endOnFailure: false },
  )
})

/** Nothing is left hanging: with patience, every run comes to an end. */
async function bringToAnEnd(world: World): Promise<void> {
  if (world.paused) await resumeTeam(world.owner, world.team.slug)
  for (let round = 0; round < 150; round += 1) {
    await world.engine.settle()
    for (const decision of await world.decisions()) {
      if (decision.status !== 'pending') continue
      const answer = { key: decision.key, optionId: decision.recommendation }
      await allowed(resolveDecision(world.owner, answer))
    }
    await world.engine.settle()
    const open = (await world.runs()).filter((run) => !final.includes(run.phase))
    if (open.length === 0) return
    for (const run of open.filter(({ phase }) => phase === 'working')) {
      if (run.person) await giveBackWork(world.owner, run.key)
      const order = world.orders.findLast(({ runId }) => runId === run.id)
      if (!order) continue
      await allowed(world.engine.report(order, doneWell(order, round)))
    }
    world.engine.clock.forward(16_000)
    await world.engine.sweep()
    await check(world)
  }
  assert.fail(`left hanging: ${JSON.stringify(await world.runs())}`)
}
