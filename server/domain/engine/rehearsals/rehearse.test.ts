import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Rehearsal } from '@signalbox/contract/app/policies.ts'
import type { ModelTool } from '@signalbox/contract/model-tools.ts'
import { sql } from 'kysely'
import { newId } from '../../../infra/ids.ts'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, TestEngine } from '../../../test/engine/engine.ts'
import { OneRun } from '../../../test/engine/one-run.ts'
import { aMember, aPolicy, aStory, aTeam } from '../../../test/factories.ts'
import { tables } from '../../../test/tables.ts'
import type { WorkEvent } from '../../ports/work.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { presets } from '../../work/policies/presets.ts'
import { rehearsePolicy } from './rehearse.ts'

const database = await testDatabase()
after(() => database.close())

const days = 86_400_000
const spends = (amount: number): WorkEvent => ({ type: 'usage', amount, currency: 'EUR' })
const toEnd = [goesWell.plan, goesWell.change, goesWell.gates, goesWell.finish]
const nothing: Rehearsal = { days: 30, baseline: 1, runs: 1, more: false, changed: [], unknown: [] }

const effectsOf = ({ changed }: Rehearsal) =>
  changed.flatMap(({ run, differences }) =>
    differences.map(({ effect, more }) => `${run}: ${more ? '+' : '-'}${effect}`),
  )

/** A run that no one was asked about, merged for €3. */
async function aRunGoneWell(engine: TestEngine) {
  const run = await OneRun.begin(engine)
  await run.tell(goesWell.begun, spends(3), ...toEnd)
  assert.equal((await run.read()).status, 'succeeded')
  return run
}

test('a policy that asks more tells which runs it would have asked about, held and stopped', async () => {
  const engine = new TestEngine(database.db)
  const run = await aRunGoneWell(engine)
  const told = await rehearsePolicy(run.owner, run.team.slug, {
    preset: 'supervised',
    departures: {
      deniedPaths: ['src/**'],
      budgets: { runCents: 300, dayCents: 400, monthCents: 500 },
    },
  })
  assert.deepEqual([told.days, told.runs, told.more, told.unknown], [30, 1, false, []])
  const none = { more: true, paths: [] }
  assert.deepEqual(told.changed, [
    {
      run: run.key,
      title: `Story ${run.story.key}`,
      at: (await run.read()).createdAt,
      costCents: 300,
      lines: 10,
      differences: [
        { effect: 'plan_approval', ...none },
        { effect: 'policy_exception', more: true, paths: ['src/a.ts'] },
        { effect: 'merge_approval', ...none },
        { effect: 'run_budget', ...none },
      ],
    },
  ])
})

test('the current policy is the baseline, whatever the runs had: concurrency alone changes nothing', async () => {
  const engine = new TestEngine(database.db)
  const run = await aRunGoneWell(engine)
  await aPolicy(run.owner, run.team, 'supervised')
  const rehearsed = (preset: 'autonomous' | 'supervised', departures = {}) =>
    rehearsePolicy(run.owner, run.team.slug, { preset, departures })
  assert.deepEqual(await rehearsed('supervised', { maxConcurrency: 7 }), { ...nothing, baseline: 2 })
  // The policy that the run had asks for less than the current one.
  assert.deepEqual(effectsOf(await rehearsed('autonomous')), [
    `${run.key}: -plan_approval`,
    `${run.key}: -merge_approval`,
  ])
})

test('what people were asked and would not be any more is told as well', async () => {
  const engine = new TestEngine(database.db)
  const run = await OneRun.waitingForApproval(engine)
  await run.answer('approve')
  await run.tell(...toEnd.slice(1))
  const [waits] = await run.pending()
  assert.equal(waits?.kind, 'merge_approval')
  const { isolation, ...autonomous } = presets.autonomous
  const told = await rehearsePolicy(run.owner, run.team.slug, {
    preset: 'autonomous',
    departures: autonomous,
  })
  assert.deepEqual(effectsOf(told), [`${run.key}: -plan_approval`, `${run.key}: -merge_approval`])
})

test('the days and months are those of the whole team, and a run is told that spent when they were over', async () => {
  const engine = new TestEngine(database.db)
  const first = await aRunGoneWell(engine)
  await aStory(first.owner, first.team)
  await engine.sweep()
  await engine.settle()
  const second = engine.orders.at(-1)!
  await engine.report(second, spends(2))
  const budgets = { runCents: 350, dayCents: 400, monthCents: 450 }
  const told = await rehearsePolicy(first.owner, first.team.slug, {
    preset: 'autonomous',
    departures: { budgets },
  })
  assert.deepEqual(effectsOf(told), [`${second.run}: +day_budget`, `${second.run}: +month_budget`])
})

test('attempts are held to the isolation that was measured; what was not is said', async () => {
  const engine = new TestEngine(database.db)
  const run = await OneRun.begin(engine, { preset: 'trial' })
  const box = { preset: 'supervised', departures: { ...presets.supervised, planApproval: 'always' } } as const
  const before = await rehearsePolicy(run.owner, run.team.slug, box)
  assert.deepEqual(before.unknown, [{ effect: 'isolation', runs: 1 }])
  const { begun } = goesWell
  await run.tell({ ...begun, isolation: { ...begun.isolation, secretsUnreadable: false } })
  assert.deepEqual(effectsOf(await rehearsePolicy(run.owner, run.team.slug, box)), [`${run.key}: +isolation`])
})

test('only the last 30 days are looked at, and only of that team', async () => {
  const engine = new TestEngine(database.db)
  const run = await aRunGoneWell(engine)
  const other = await aTeam(run.owner)
  const ask = (team: { slug: string }) => rehearsePolicy(run.owner, team.slug, { preset: 'supervised' })
  assert.equal((await ask(run.team)).runs, 1)
  assert.deepEqual(await ask(other), { ...nothing, baseline: null, runs: 0 })
  engine.clock.forward(30 * days)
  assert.equal((await ask(run.team)).runs, 1)
  engine.clock.forward(1)
  assert.equal((await ask(run.team)).runs, 0)
})

test('of very many runs the newest 500 are looked at', async () => {
  const engine = new TestEngine(database.db)
  const run = await aRunGoneWell(engine)
  const { workspaceId, clock } = run.owner
  const ids = Array.from({ length: 500 }, () => newId(clock.now()))
  await housekeeping(database.db, 'runs of a test', async (tx) => {
    await sql`
      insert into runs (id, workspace_id, team_id, story_id, key, attempts, budget_cents, phase, created_at)
      select id, ${workspaceId}, ${run.team.id}, ${run.story.id}, 'run-' || lpad(n::text, 4, '0'), 1, 100,
        'succeeded', ${clock.now()}
      from unnest(${ids}::uuid[]) with ordinality as listed (id, n)
    `.execute(tables(tx))
    await sql`
      insert into attempts (workspace_id, run_id, attempt, status, stage, executor)
      select ${workspaceId}, id, 1, 'succeeded', 'handing_off', 'scripted' from unnest(${ids}::uuid[]) as id
    `.execute(tables(tx))
  })
  const told = await rehearsePolicy(run.owner, run.team.slug, {
    preset: 'autonomous',
    departures: { planApproval: 'always' },
  })
  assert.deepEqual([told.runs, told.more, told.changed.length], [500, true, 500])
  assert.ok(told.changed.every(({ run: key, lines }) => key !== run.key && lines === null))
})

test('only owners and admins rehearse, and only what could be saved', async () => {
  const engine = new TestEngine(database.db)
  const run = await aRunGoneWell(engine)
  const member = await aMember(run.owner, 'member')
  await assert.rejects(rehearsePolicy(member, run.team.slug, { preset: 'trial' }), {
    code: 'insufficient_role',
  })
  const unsafe = { preset: 'balanced', departures: { acceptanceRequired: false } } as const
  await assert.rejects(rehearsePolicy(run.owner, run.team.slug, unsafe), { code: 'invalid_request' })
  const elsewhere = await engine.workspace()
  await assert.rejects(rehearsePolicy(elsewhere, run.team.slug, { preset: 'trial' }), {
    code: 'team_not_found',
  })
})

test('a policy that lets the model provider reach the network shows in every run that began, and so does another tool in place of the first', async () => {
  const engine = new TestEngine(database.db)
  for (const [before, after, shown] of [
    [[], [], []],
    [[], ['web_search', 'web_fetch'], ['+model_tools']],
    [['web_search'], ['web_search'], []],
    [['web_search'], ['web_fetch'], ['-model_tools', '+model_tools']],
    [['web_search', 'remote_mcp'], [], ['-model_tools']],
  ] as [ModelTool[], ModelTool[], string[]][]) {
    const run = await OneRun.begin(engine, { departures: { modelTools: before } })
    await run.tell(goesWell.begun, ...toEnd)
    const told = await rehearsePolicy(run.owner, run.team.slug, {
      preset: 'autonomous',
      departures: { modelTools: after },
    })
    assert.deepEqual(
      effectsOf(told),
      shown.map((effect) => `${run.key}: ${effect}`),
    )
  }
})
