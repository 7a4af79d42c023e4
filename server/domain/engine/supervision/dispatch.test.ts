import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { PolicySettings } from '@signalbox/contract/app/policies.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import pg from 'pg'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, TestEngine } from '../../../test/engine/engine.ts'
import { OneRun } from '../../../test/engine/one-run.ts'
import { aPolicy, aStory, aTeam } from '../../../test/factories.ts'
import type { Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import { listRuns } from '../../work/runs/list.ts'
import { listStuckRuns } from '../../work/runs/list-stuck.ts'
import { moveStory } from '../../work/stories/move.ts'
import { readStory } from '../../work/stories/read.ts'
import { pauseTeam } from '../../work/teams/pause.ts'
import { resumeTeam } from '../../work/teams/resume.ts'
import { resolveDecision } from '../answers/resolve.ts'
import { stopRun } from '../lifecycle/stop.ts'
import { dispatchTeam } from './dispatch.ts'

const database = await testDatabase()
after(() => database.close())

const engine = new TestEngine(database.db)
const serving = { serves: () => true }

async function aTeamWith(departures: Partial<PolicySettings> = {}) {
  const owner = await engine.workspace()
  const team = await aTeam(owner)
  await aPolicy(owner, team, 'autonomous', departures)
  await engine.settle()
  return { owner, team, dispatch: () => dispatchTeam(engine.service(owner.workspaceId), team.id, serving) }
}

/** Keys of the stories in the order in which their runs began. */
const taken = async (owner: Context) =>
  (await listRuns(owner, {}, { limit: 100, after: null })).data
    .map((run) => fromJson(run).story.key)
    .reverse()

const running = async (owner: Context) =>
  (await listRuns(owner, {}, { limit: 100, after: null })).data.filter(
    (run) => fromJson(run).status === 'running',
  ).length

test('expedite stories are taken first, then the oldest', async () => {
  const { owner, team, dispatch } = await aTeamWith({ maxConcurrency: 9 })
  const story = async (classOfService: 'standard' | 'expedite' | 'fixed_date') => {
    engine.clock.forward(1_000)
    return (await aStory(owner, team, { classOfService })).key
  }
  const oldest = await story('standard')
  const middle = await story('fixed_date')
  const urgent = await story('expedite')
  const newest = await story('standard')
  const moreUrgent = await story('expedite')
  assert.equal(await dispatch(), 5)
  assert.deepEqual(await taken(owner), [urgent, moreUrgent, oldest, middle, newest])
})

test('no more is begun than the policy allows at once, however many look at the same time', async () => {
  const { owner, team, dispatch } = await aTeamWith({ maxConcurrency: 3 })
  for (let n = 0; n < 12; n += 1) await aStory(owner, team)
  const begun = await Promise.all(Array.from({ length: 20 }, dispatch))
  assert.equal(
    begun.reduce((sum, count) => sum + count, 0),
    3,
  )
  assert.equal(await running(owner), 3)
  const first = fromJson((await listRuns(owner, {}, { limit: 1, after: null })).data[0]!)
  await stopRun(owner, first.key, { confirmed: true })
  await Promise.all(Array.from({ length: 20 }, dispatch))
  assert.equal(await running(owner), 3)
  assert.equal((await taken(owner)).length, 4)
})

test('a run that waits for a person leaves its slot to another', async () => {
  const run = await OneRun.begin(engine, { preset: 'supervised', departures: { maxConcurrency: 1 } })
  await aStory(run.owner, run.team)
  await engine.sweep()
  assert.equal((await taken(run.owner)).length, 1)
  await run.tell(goesWell.plan)
  assert.equal((await taken(run.owner)).length, 2)
  await run.answer('approve')
  assert.equal((await run.read()).status, 'queued', 'and waits for one when it is answered')
})

test('a run that has begun gets a free slot before a new story does, also before an expedite one', async () => {
  const run = await OneRun.begin(engine, { preset: 'supervised', departures: { maxConcurrency: 1 } })
  await run.tell(goesWell.plan)
  engine.serving = false
  await run.answer('approve')
  engine.serving = true
  await aStory(run.owner, run.team, { classOfService: 'expedite' })
  await engine.sweep()
  assert.deepEqual(await run.stands(), ['running', 'implementing'])
  assert.equal((await taken(run.owner)).length, 1)
})

test('a paused team starts nothing, and what runs is finished; resumed, it takes Ready stories again', async () => {
  const run = await OneRun.begin(engine, { departures: { maxConcurrency: 9 } })
  await pauseTeam(run.owner, run.team.slug)
  const story = await aStory(run.owner, run.team)
  await engine.sweep()
  assert.deepEqual(fromJson(await readStory(run.owner, story.key)).runKeys, [])
  await run.tell(goesWell.plan, goesWell.change, goesWell.gates, goesWell.finish)
  assert.equal((await run.read()).status, 'succeeded')
  await engine.sweep()
  assert.deepEqual(fromJson(await readStory(run.owner, story.key)).runKeys, [])
  await resumeTeam(run.owner, run.team.slug)
  await engine.settle()
  assert.equal(fromJson(await readStory(run.owner, story.key)).runKeys.length, 1)
})

test('a team without a policy starts nothing until it has one', async () => {
  const owner = await engine.workspace()
  const team = await aTeam(owner)
  await aStory(owner, team)
  await engine.sweep()
  assert.equal(await dispatchTeam(engine.service(owner.workspaceId), team.id, serving), 0)
  assert.deepEqual(await taken(owner), [])
  await aPolicy(owner, team)
  await engine.settle()
  assert.equal((await taken(owner)).length, 1)
})

test('only a story that is in Ready, complete and approved is taken', async () => {
  const { owner, team, dispatch } = await aTeamWith({ maxConcurrency: 99 })
  await aStory(owner, team, { draft: true })
  await aStory(owner, team, { readinessScore: 99 })
  for (const column of ['backlog', 'refining', 'in_progress', 'review', 'done'] as const)
    await aStory(owner, team, { column })
  assert.equal(await dispatch(), 0)
  const { key } = await aStory(owner, team)
  assert.equal(await dispatch(), 1)
  assert.deepEqual(await taken(owner), [key])
})

test('a story that is worked on is not taken a second time, wherever a person puts it', async () => {
  const run = await OneRun.begin(engine, { preset: 'supervised', departures: { maxConcurrency: 9 } })
  const back = () =>
    change(run.owner, async (tx) => {
      await moveStory(run.owner, tx, run.story.id, 'ready')
      return { value: undefined, audit: [] }
    })
  await back()
  await engine.sweep()
  await run.tell(goesWell.plan)
  await back()
  await engine.sweep()
  assert.deepEqual((await run.readStory()).runKeys, [run.key])
  await stopRun(run.owner, run.key, { confirmed: true })
  await engine.sweep()
  assert.equal((await run.readStory()).runKeys.length, 2, 'its run has ended: it may be taken anew')
})

test('a run for which there is no runner is stuck, with the reason, and goes on when there is one', async () => {
  const run = await OneRun.begin(engine, { preset: 'supervised' })
  await run.tell(goesWell.plan)
  engine.serving = false
  await run.answer('approve')
  const [stuck, ...others] = await listStuckRuns(run.owner)
  assert.equal(others.length, 0)
  assert.deepEqual([stuck?.key, stuck?.phase, stuck?.story], [run.key, 'queued', run.story.key])
  assert.match(stuck?.reason ?? '', /no repository/)
  const since = stuck?.since
  engine.clock.forward(120_000)
  assert.ok((await engine.sweep()).stuck >= 1)
  assert.deepEqual((await listStuckRuns(run.owner))[0]?.since, since, 'since when it has been stuck')
  engine.serving = true
  await engine.sweep()
  assert.deepEqual(await run.stands(), ['running', 'implementing'])
  assert.deepEqual(await listStuckRuns(run.owner), [])
})

test('a run that has begun keeps its coding agent, whatever the team takes next', async () => {
  const run = await OneRun.begin(engine, { preset: 'supervised' })
  await run.tell(goesWell.plan)
  await aPolicy(run.owner, run.team, 'supervised', { executor: 'codex' })
  const service = engine.service(run.owner.workspaceId)
  const dispatch = (...there: string[]) =>
    dispatchTeam(service, run.team.id, { serves: (executor) => there.includes(executor) })
  engine.wakes.length = 0
  await resolveDecision(run.owner, { key: (await run.asked()).key, optionId: 'approve' })
  engine.wakes.length = 0
  assert.equal(await dispatch('codex'), 0)
  assert.match((await listStuckRuns(run.owner))[0]?.reason ?? '', /no repository/)
  assert.equal(await dispatch('scripted'), 1)
  assert.deepEqual(await run.stands(), ['running', 'implementing'])
  assert.equal((await run.read()).executor, 'scripted')
})

test('a policy that changes during a run holds for the next run, not for the one that has begun', async () => {
  const run = await OneRun.begin(engine, { departures: { deniedPaths: ['infra/**'], maxConcurrency: 9 } })
  await aPolicy(run.owner, run.team, 'supervised', { maxConcurrency: 9 })
  const story = await aStory(run.owner, run.team)
  await engine.settle()
  await engine.sweep()
  const next = fromJson(await readStory(run.owner, story.key)).runKeys[0]!
  assert.equal(engine.orderOf(next).policy.version, 2)
  await run.tell({ ...goesWell.plan, paths: ['infra/main.tf'] })
  assert.equal((await run.asked()).kind, 'policy_exception')
  await run.answer('changes')
  assert.equal(run.order.policy.version, 1)
})

// The last: what it leaves queued, a sweep would find.
test('a queue in which all wait for the same costs as many statements as one run, and each says why', async () => {
  const queueOf = async (runs: number) => {
    const { owner, team, dispatch } = await aTeamWith({ maxConcurrency: 20 })
    for (let n = 0; n < runs; n += 1) await aStory(owner, team)
    assert.equal(await dispatch(), runs)
    await database.pool.query(
      "update runs set phase = 'queued', wake_at = created_at, reason = null where team_id = $1",
      [team.id],
    )
    const statements = await statementsOf(async () => {
      assert.equal(await dispatchTeam(engine.service(owner.workspaceId), team.id, nobody), 0)
    })
    const stuck = await listStuckRuns(owner)
    assert.equal(stuck.length, runs)
    for (const { reason } of stuck) assert.match(reason ?? '', /no repository/)
    return statements
  }
  assert.deepEqual(await queueOf(5), await queueOf(1))
})

const nobody = { serves: () => false }

/** In their order, without the check that an idle connection still answers. */
async function statementsOf(work: () => Promise<void>): Promise<string[]> {
  const statements: string[] = []
  const { query } = pg.Client.prototype
  // biome-ignore lint/suspicious/noExplicitAny: pg declares nine overloads
  pg.Client.prototype.query = function (this: pg.Client, ...given: any[]): any {
    statements.push(typeof given[0] === 'string' ? given[0] : given[0].text)
    return Reflect.apply(query, this, given)
  }
  await work().finally(() => {
    pg.Client.prototype.query = query
  })
  return statements.filter((text) => text !== 'select')
}
