import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { RunPage } from '@signalbox/contract/app/runs.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import fc from 'fast-check'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, TestEngine } from '../../../test/engine/engine.ts'
import { OneRun } from '../../../test/engine/one-run.ts'
import { aPolicy, aStory, aTeam } from '../../../test/factories.ts'
import { tables } from '../../../test/tables.ts'
import type { Context } from '../../context.ts'
import type { WorkEvent } from '../../ports/work.ts'
import { listRuns } from '../../work/runs/list.ts'
import { listStuckRuns } from '../../work/runs/list-stuck.ts'
import { readRunPage } from '../../work/runs/page/read.ts'
import { selectSpentOf } from './order-store.ts'

const database = await testDatabase()
after(() => database.close())

const engine = new TestEngine(database.db)
const hours = 3_600_000

const spends = (amount: number, currency = 'EUR'): WorkEvent => ({ type: 'usage', amount, currency })
const budgets = (
  runCents: number | null,
  dayCents: number | null = null,
  monthCents: number | null = null,
) => ({
  departures: { budgets: { runCents, dayCents, monthCents }, maxConcurrency: 9 },
})
const toEnd = [goesWell.plan, goesWell.change, goesWell.gates, goesWell.finish]

const runsIn = async (owner: Context) =>
  (await listRuns(owner, {}, { limit: 100, after: null })).data.map(fromJson)

test('a run stops at the report that reaches its budget, and its worker is told', async () => {
  const run = await OneRun.begin(engine, budgets(100))
  assert.equal(await run.report(spends(0.99)), 'go_on')
  assert.equal((await run.read()).status, 'running')
  assert.equal(await run.report(spends(0.01)), 'stop')
  const { status, costCents, budgetCents } = await run.read()
  assert.deepEqual([status, costCents, budgetCents], ['waiting', 100, 100])
  assert.equal((await run.asked()).kind, 'budget_stop')
})

test('a run’s budget is never more than its team may spend in a day or a month', async () => {
  const cases = [
    [budgets(null, 300, 400), 300],
    [budgets(null, 300, 200), 200],
    [budgets(500), 500],
    // Nothing here spends without an end.
    [budgets(null), 1_000],
  ] as const
  for (const [policy, expected] of cases) {
    const run = await OneRun.begin(engine, policy)
    assert.equal((await run.read()).budgetCents, expected)
    assert.equal(run.order.reservedCents, expected)
  }
})

test('a policy that lets nothing be spent starts nothing', async () => {
  const owner = await engine.workspace()
  const team = await aTeam(owner)
  await aStory(owner, team)
  await aPolicy(owner, team, 'autonomous', budgets(0).departures)
  await engine.settle()
  await engine.sweep()
  assert.deepEqual(await runsIn(owner), [])
})

test('a run that would not fit into the day is not begun, until another has ended below its budget', async () => {
  const run = await OneRun.begin(engine, budgets(100, 250))
  for (let n = 0; n < 2; n += 1) await aStory(run.owner, run.team)
  await engine.sweep()
  assert.equal((await runsIn(run.owner)).length, 2, 'two are covered, even if they spend all they may')
  await run.tell(goesWell.plan, spends(0.2), ...toEnd.slice(1))
  assert.equal((await run.read()).status, 'succeeded')
  assert.equal((await runsIn(run.owner)).length, 3)
})

test('what a day does not cover waits for the next, and what a month does not for the next', async () => {
  const days = new TestEngine(database.db)
  // Into the middle of the first day of a month: the next day is not the next month.
  days.clock.forward(24 * hours)
  const run = await OneRun.begin(days, budgets(100, 100))
  await run.tell(spends(0.5), ...toEnd)
  await aStory(run.owner, run.team)
  await days.sweep()
  assert.equal((await runsIn(run.owner)).length, 1)
  days.clock.forward(12 * hours - 1)
  await days.sweep()
  assert.equal((await runsIn(run.owner)).length, 1, 'a millisecond before midnight')
  days.clock.forward(1)
  await days.sweep()
  assert.equal((await runsIn(run.owner)).length, 2)

  const months = new TestEngine(database.db)
  months.clock.forward(12 * hours)
  const other = await OneRun.begin(months, budgets(100, null, 100))
  await other.tell(spends(0.5), ...toEnd)
  await aStory(other.owner, other.team)
  months.clock.forward(29 * 24 * hours)
  await months.sweep()
  assert.equal((await runsIn(other.owner)).length, 1, 'the last day of the month')
  months.clock.forward(24 * hours)
  await months.sweep()
  assert.equal((await runsIn(other.owner)).length, 2)
})

test('a queued run waits for money, goes on when there is some, and is not stuck in that time', async () => {
  const queue = new TestEngine(database.db)
  const run = await OneRun.begin(queue, budgets(100, 150))
  await run.tell(goesWell.plan, spends(1))
  await run.answer('raise')
  assert.equal((await run.read()).status, 'queued', '1.00 is spent and 1.00 wanted of 1.50 a day')
  assert.deepEqual(await listStuckRuns(run.owner), [])
  queue.clock.forward(24 * hours)
  await queue.sweep()
  assert.deepEqual(await run.stands(), ['running', 'implementing'])
})

test('a run that no day can cover any more is stuck, and goes on once the policy allows it', async () => {
  const run = await OneRun.begin(engine, budgets(100, 150))
  await run.tell(goesWell.plan, spends(2))
  await run.answer('raise')
  engine.clock.forward(24 * hours)
  await engine.sweep()
  assert.deepEqual([(await run.read()).status, (await run.read()).budgetCents], ['queued', 400])
  const [stuck] = await listStuckRuns(run.owner)
  assert.equal(stuck?.key, run.key)
  assert.match(stuck?.reason ?? '', /€1\.50/)
  await aPolicy(run.owner, run.team, 'autonomous', budgets(100, 200).departures)
  await engine.settle()
  assert.equal((await run.read()).status, 'running')
})

test('the ledger keeps what was billed, in its currency, with the rate of that moment', async () => {
  const run = await OneRun.begin(engine)
  await run.tell(spends(1.5, 'USD'), spends(0.25))
  const ledger = await tables(database.db)
    .selectFrom('usage_ledger')
    .select(['amount', 'currency', 'euro_rate', 'euro_micros', 'attempt'])
    .where('run_id', '=', run.order.runId)
    .orderBy('report')
    .execute()
  assert.deepEqual(
    ledger.map((row) => [
      Number(row.amount),
      row.currency,
      Number(row.euro_rate),
      Number(row.euro_micros),
      row.attempt,
    ]),
    [
      [1.5, 'USD', 0.5, 750_000, 1],
      [0.25, 'EUR', 1, 250_000, 1],
    ],
  )
  assert.equal((await run.read()).costCents, 100)
})

test('fractions of a cent add up', async () => {
  const run = await OneRun.begin(engine)
  for (let n = 0; n < 100; n += 1) await run.report(spends(0.001))
  assert.equal((await run.read()).costCents, 10)
  await run.report(spends(0.000_001))
  assert.equal((await run.read()).costCents, 11, 'and are rounded up, never away')
})

test('what cannot be priced is refused, and nothing is counted', async () => {
  const run = await OneRun.begin(engine)
  for (const currency of ['CHF', 'eur', '', 'constructor', '__proto__'])
    await assert.rejects(run.report(spends(1, currency)), {
      code: 'invalid_request',
      message: /no exchange rate.*Ask the server operator to add an exchange rate/,
    })
  for (const amount of [-0.01, Number.NaN, Number.POSITIVE_INFINITY, 1e12])
    await assert.rejects(run.report(spends(amount)), { code: 'invalid_request', message: /`amount`/ })
  assert.equal((await run.read()).costCents, 0)
})

test('what an outdated order spent is paid, by the attempt that spent it', async () => {
  const run = await OneRun.begin(engine)
  const old = run.order
  engine.clock.forward(60_000)
  await engine.sweep()
  engine.clock.forward(10_000)
  await engine.settle()
  assert.equal(run.order.attempt, 2)
  assert.equal(await engine.report(old, spends(0.3)), 'stop')
  await run.tell(spends(0.05))
  const { costCents, attemptList } = await run.read()
  assert.equal(costCents, 35)
  assert.deepEqual(
    attemptList.map((attempt) => attempt.costCents),
    [30, 5],
  )
})

test('a late bill can be the one that reaches the budget of the current worker', async () => {
  const run = await OneRun.begin(engine, budgets(100))
  const old = run.order
  engine.clock.forward(60_000)
  await engine.sweep()
  engine.clock.forward(10_000)
  await engine.settle()
  await run.tell(spends(0.5))
  assert.equal(await engine.report(old, spends(0.49)), 'stop')
  assert.equal((await run.read()).status, 'running')
  assert.equal(await engine.report(old, spends(0.01)), 'stop')
  assert.equal((await run.asked()).kind, 'budget_stop')
  assert.equal(await run.report(spends(0)), 'stop')
})

test('a late bill is no sign of life of the current worker', async () => {
  const run = await OneRun.begin(engine)
  const old = run.order
  engine.clock.forward(60_000)
  await engine.sweep()
  engine.clock.forward(10_000)
  await engine.settle()
  engine.clock.forward(59_000)
  await engine.report(old, spends(0.01))
  engine.clock.forward(1_000)
  await engine.sweep()
  assert.deepEqual([(await run.read()).attempts, (await run.read()).status], [3, 'queued'])
})

test('what was spent after the end is paid as well', async () => {
  const run = await OneRun.begin(engine)
  const { order } = run
  await run.tell({ type: 'failed', failureClass: 'persistent', error: 'it cannot be done' })
  assert.equal(await engine.report(order, spends(0.3)), 'stop')
  assert.deepEqual([(await run.read()).status, (await run.read()).costCents], ['failed', 30])
})

test('the cost is what was billed, rounded up, and never falls', async () => {
  const amount = fc.record({
    amount: fc.double({ min: 0, max: 3, noNaN: true }),
    currency: fc.constantFrom('EUR', 'USD'),
    twice: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(amount, { minLength: 1, maxLength: 12 }), async (bills) => {
      const run = await OneRun.begin(engine, budgets(100_000))
      let before = 0
      let euros = 0
      for (const [index, { amount, currency, twice }] of bills.entries()) {
        for (let time = 0; time < (twice ? 2 : 1); time += 1)
          await engine.report(run.order, spends(amount, currency), index + 1)
        euros += currency === 'USD' ? amount / 2 : amount
        const { costCents } = await run.read()
        assert.ok(costCents >= before)
        // Each bill is rounded up to a millionth.
        assert.ok(costCents >= Math.floor(euros * 100 - 1e-6), `${costCents} for ${euros}`)
        assert.ok(
          costCents <= Math.ceil(euros * 100 + (index + 1) * 0.000_1 + 1e-6),
          `${costCents} for ${euros}`,
        )
        before = costCents
      }
    }),
    { numRuns: 15 },
  )
})

test('what is only the agent’s own number is marked as such on the run’s page and for its evidence; metered calls are not', async () => {
  const bill = { type: 'usage', amount: 0.25, currency: 'USD', provider: 'openai', model: 'gpt-5.5' } as const
  const told = async (...sources: ('gateway' | 'agent')[]) => {
    const run = await OneRun.begin(engine)
    await run.tell(goesWell.begun, ...sources.map((source) => ({ ...bill, source })))
    const { models } = JSON.parse(await readRunPage(run.owner, run.key)) as RunPage
    return {
      sources: models.map(({ source }) => source),
      spent: await selectSpentOf(database.db, run.owner.workspaceId, run.order.runId, 1),
    }
  }
  assert.deepEqual(await told('gateway', 'gateway'), {
    sources: ['gateway'],
    spent: [{ currency: 'USD', amount: 0.5 }],
  })
  assert.deepEqual(await told('agent'), {
    sources: ['agent'],
    spent: [{ currency: 'USD', amount: 0.25, reported: 0.25 }],
  })
  const { sources, spent } = await told('agent', 'gateway', 'gateway')
  assert.deepEqual(
    [sources.toSorted(), spent],
    [['agent', 'gateway'], [{ currency: 'USD', amount: 0.75, reported: 0.25 }]],
  )
})

test('the budget holds for an agent’s own numbers as well', async () => {
  const run = await OneRun.begin(engine)
  await run.tell(goesWell.begun, { type: 'usage', amount: 20, currency: 'EUR', source: 'agent' })
  assert.equal((await run.asked()).kind, 'budget_stop')
})
