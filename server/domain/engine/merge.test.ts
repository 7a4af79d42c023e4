import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { testDatabase } from '../../test/database.ts'
import { goesWell, TestEngine } from '../../test/engine.ts'
import { aStory } from '../../test/factories.ts'
import { OneRun } from '../../test/one-run.ts'
import { listStuckRuns } from '../runs/list-stuck.ts'
import { readRun } from '../runs/read.ts'
import { readStory } from '../stories/read.ts'
import { reportMain } from './report-main.ts'

const database = await testDatabase()
after(() => database.close())

const engine = new TestEngine(database.db)
const red = { state: 'red', commit: 'c0ffee', findings: 'orders.test.ts fails' } as const
const toMerge = [goesWell.plan, goesWell.change, goesWell.gates, goesWell.finish]

const merges = (run: OneRun) =>
  [...engine.gitHost.done].filter(([key]) => key.includes(run.order.runId)).map(([, what]) => what)

/** A run of the same team on another story, as far as its merge. */
async function another(run: OneRun) {
  const story = await aStory(run.owner, run.team)
  await engine.sweep()
  await engine.settle()
  const key = fromJson(await readStory(run.owner, story.key)).runKeys[0]!
  for (const event of toMerge) {
    await engine.report(engine.orderOf(key), event)
    await engine.settle()
  }
  return async () => fromJson(await readRun(run.owner, key)).status
}

test('merges are held while the main branch is red, and go on once it is green', async () => {
  const run = await OneRun.begin(engine)
  await reportMain(run.owner, run.team.slug, red)
  await run.tell(...toMerge)
  for (let minute = 0; minute < 15; minute += 1) {
    engine.clock.forward(60_000)
    await engine.sweep()
  }
  assert.deepEqual([await run.stands(), merges(run)], [['running', 'handing_off'], []])
  assert.deepEqual(await listStuckRuns(run.owner), [], 'it waits, and goes on by itself')
  await reportMain(run.owner, run.team.slug, { state: 'green' })
  await engine.settle()
  assert.deepEqual([(await run.read()).status, merges(run)], ['succeeded', ['merged #7']])
})

test('the red main branch of one team holds nothing of another', async () => {
  const run = await OneRun.begin(engine)
  const other = await OneRun.begin(engine, { owner: run.owner })
  await reportMain(run.owner, run.team.slug, red)
  await other.tell(...toMerge)
  assert.equal((await other.read()).status, 'succeeded')
})

test('an expedite story is merged into a red main branch: it may be what mends it', async () => {
  const run = await OneRun.begin(engine, { story: { classOfService: 'expedite' } })
  await reportMain(run.owner, run.team.slug, red)
  await run.tell(...toMerge)
  assert.deepEqual([(await run.read()).status, merges(run)], ['succeeded', ['merged #7']])
})

/** A run whose merge turned main red. */
async function aBrokenMain() {
  const run = await OneRun.begin(engine)
  engine.merges = (story) => (story === run.story.key ? { mainRed: 'orders.test.ts fails' } : {})
  await run.tell(...toMerge)
  assert.equal((await run.asked()).kind, 'revert_approval')
  return run
}

test('a merge that broke main holds the others until a person has decided', async () => {
  for (const optionId of ['revert', 'leave']) {
    const run = await aBrokenMain()
    const status = await another(run)
    assert.equal(await status(), 'running')
    await run.answer(optionId)
    assert.equal(await status(), 'succeeded', optionId)
  }
})

test('another attempt of the run that broke main is merged, and lets the others go on', async () => {
  const run = await aBrokenMain()
  const status = await another(run)
  await run.answer('forward')
  assert.equal(await status(), 'running')
  engine.merges = () => ({})
  await run.tell(...toMerge.slice(1))
  assert.deepEqual([(await run.read()).status, merges(run)], ['succeeded', ['merged #7', 'merged #7']])
  assert.equal(await status(), 'succeeded')
})

test('a merge is made again after a crash, under the same key', async () => {
  const run = await OneRun.begin(engine)
  await run.tell(...toMerge.slice(0, 3))
  engine.dieAfterCall = true
  await run.report(goesWell.finish)
  await assert.rejects(engine.settle(), /died/)
  engine.dieAfterCall = false
  assert.deepEqual([await run.stands(), merges(run)], [['running', 'handing_off'], ['merged #7']])
  engine.clock.forward(60_000)
  await engine.sweep()
  await engine.settle()
  assert.deepEqual([(await run.read()).status, merges(run)], ['succeeded', ['merged #7']])
})
