import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, TestEngine } from '../../../test/engine/engine.ts'
import { OneRun } from '../../../test/engine/one-run.ts'
import { aPolicy, aStory, aTeam } from '../../../test/factories.ts'
import { tables } from '../../../test/tables.ts'
import { change } from '../../record/audit/change.ts'
import { addEffect } from '../../record/outbox/add.ts'
import type { Performed, Performers } from '../../record/outbox/perform.ts'
import { listStuckRuns } from '../../work/runs/list-stuck.ts'
import { resolveDecision } from '../answers/resolve.ts'
import { sweep } from './sweep.ts'

const database = await testDatabase()
after(() => database.close())

const engine = new TestEngine(database.db)
const seconds = 1_000
const toMerge = [goesWell.plan, goesWell.change, goesWell.gates, goesWell.finish]

/** Every wake-up is lost; the sweeper looks at what is written. */
async function withoutWakes(minutes: number) {
  for (let minute = 0; minute < minutes; minute += 1) {
    engine.wakes.length = 0
    engine.clock.forward(60 * seconds)
    await engine.sweep()
  }
}

test('a run comes to its end although every wake-up is lost', async () => {
  const run = await OneRun.begin(engine, { preset: 'supervised' })
  const answer = async (optionId: string) =>
    resolveDecision(run.owner, { key: (await run.asked()).key, optionId })
  await run.report(goesWell.plan)
  await answer('approve')
  for (const event of toMerge.slice(1)) {
    engine.wakes.length = 0
    // Once for the slot, once for the order.
    await engine.sweep()
    await engine.sweep()
    await run.report(event)
  }
  await answer('merge')
  await withoutWakes(3)
  assert.equal((await run.read()).status, 'succeeded')
})

test('a call to the outside that no one wants any more is wanted again', async () => {
  const run = await OneRun.begin(engine)
  await run.tell(...toMerge.slice(0, 3))
  await run.report(goesWell.finish)
  // As if it had been done, and what follows from it had been lost.
  await change(engine.service(run.owner.workspaceId), async (tx) => {
    await tables(tx)
      .updateTable('effects')
      .set({ due_at: null, done_at: engine.clock.now() })
      .where('run_id', '=', run.order.runId)
      .execute()
    return { value: undefined, audit: [] }
  })
  await withoutWakes(9)
  assert.deepEqual(await run.stands(), ['running', 'handing_off'])
  await withoutWakes(4)
  assert.equal((await run.read()).status, 'succeeded')
})

test('a git host that fails again and again is tried again ever more seldom, and the run is stuck until then', async () => {
  const run = await OneRun.begin(engine)
  let calls = 0
  engine.merges = (story) => {
    if (story !== run.story.key) return {}
    calls += 1
    throw new Error('git.example.com does not answer')
  }
  await run.tell(...toMerge.slice(0, 3))
  await run.report(goesWell.finish)
  engine.wakes.length = 0
  for (let minute = 0; minute < 60; minute += 1) {
    engine.clock.forward(60 * seconds)
    await engine.sweep().catch(() => {})
  }
  assert.ok(calls > 5 && calls < 20, `${calls} calls in an hour`)
  const [stuck] = await listStuckRuns(run.owner)
  assert.deepEqual([stuck?.key, stuck?.phase], [run.key, 'merging'])
  assert.match(stuck?.reason ?? '', /git\.example\.com does not answer/)
  engine.merges = () => ({})
  await withoutWakes(20)
  assert.equal((await run.read()).status, 'succeeded')
  assert.deepEqual(await listStuckRuns(run.owner), [])
})

test('the main branch is watched for as long as its checks take', async () => {
  const run = await OneRun.begin(engine)
  const green = engine.gitHost.checkMain
  engine.gitHost.checkMain = async () => ({ state: 'pending' })
  await run.tell(...toMerge)
  await withoutWakes(30)
  assert.deepEqual(await run.stands(), ['running', 'handing_off'])
  assert.deepEqual(await listStuckRuns(run.owner), [], 'it waits, and goes on by itself')
  engine.gitHost.checkMain = green
  await withoutWakes(1)
  assert.equal((await run.read()).status, 'succeeded')
})

test('a tool that does not answer keeps no team waiting, and no other tool', async () => {
  const waiting = await OneRun.begin(engine)
  await waiting.tell(...toMerge.slice(0, 3))
  await waiting.report(goesWell.finish)
  const ready = await engine.workspace()
  const team = await aTeam(ready)
  await aPolicy(ready, team, 'autonomous')
  await aStory(ready, team)
  engine.wakes.length = 0
  const answer = Promise.withResolvers<void>()
  const called = Promise.withResolvers<void>()
  const silent = async (): Promise<Performed> => {
    called.resolve()
    await answer.promise
    return { settle: async () => [] }
  }
  const performers = new Proxy({} as Performers, { get: () => silent })
  const base = { db: database.db, clock: engine.clock, queue: engine.queue }
  const sweeping = sweep(base, { work: { serves: () => true }, performers }, (error) => assert.fail(error))
  await called.promise
  const started = await tables(database.db)
    .selectFrom('runs')
    .select('phase')
    .where('workspace_id', '=', ready.workspaceId)
    .execute()
  assert.deepEqual(started, [{ phase: 'working' }])
  answer.resolve()
  assert.ok((await sweeping).performed > 0)
})

test('of many things to be done outside several are under way at once, and never more than eight', async () => {
  const { workspaceId } = await engine.workspace()
  const service = engine.service(workspaceId)
  await change(service, async (tx) => {
    for (let n = 0; n < 40; n += 1)
      await addEffect(service, tx, {
        kind: 'investigate_incident',
        key: `investigate_incident/${n}`,
        data: { incident: randomUUID() },
      })
    return { value: undefined, audit: [] }
  })
  let underWay = 0
  let most = 0
  const full = Promise.withResolvers<void>()
  const slow = async (): Promise<Performed> => {
    underWay += 1
    most = Math.max(most, underWay)
    if (underWay === 8) full.resolve()
    await full.promise
    underWay -= 1
    return { settle: async () => [] }
  }
  const performers = new Proxy({} as Performers, { get: () => slow })
  const base = { db: database.db, clock: engine.clock, queue: engine.queue }
  const { performed } = await sweep(base, { work: { serves: () => true }, performers }, (error) =>
    assert.fail(error),
  )
  assert.equal(most, 8)
  assert.ok(performed >= 40)
})
