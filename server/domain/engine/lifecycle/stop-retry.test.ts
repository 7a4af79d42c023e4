import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, TestEngine } from '../../../test/engine/engine.ts'
import { OneRun } from '../../../test/engine/one-run.ts'
import { aMember, aPolicy } from '../../../test/factories.ts'
import { change } from '../../record/audit/change.ts'
import { readDecision } from '../../work/decisions/read.ts'
import { moveStory } from '../../work/stories/move.ts'
import { pauseTeam } from '../../work/teams/pause.ts'
import { resumeTeam } from '../../work/teams/resume.ts'
import { resolveDecision } from '../answers/resolve.ts'
import { dispatchTeam } from '../supervision/dispatch.ts'
import { retryRun } from './retry.ts'
import { stopRun } from './stop.ts'

const database = await testDatabase()
after(() => database.close())

const engine = new TestEngine(database.db)
const confirmed = { confirmed: true }
const toMerge = [goesWell.plan, goesWell.change, goesWell.gates, goesWell.finish]

test('stopping a run must be confirmed', async () => {
  const run = await OneRun.begin(engine)
  await assert.rejects(stopRun(run.owner, run.key, { confirmed: false }), { code: 'invalid_request' })
  assert.equal((await run.read()).status, 'running')
})

test('a stopped run ends its attempt, its worker is told to stop, and the story stays where it is', async () => {
  const run = await OneRun.begin(engine)
  const member = await aMember(run.owner, 'member')
  await stopRun(member, run.key, { ...confirmed, reason: 'wrong story' })
  const { status, failureClass, completedAt, attemptList } = await run.read()
  assert.deepEqual([status, failureClass], ['stopped', null])
  assert.equal(completedAt, engine.clock.now().toISOString())
  assert.match(attemptList[0]!.error ?? '', /^Stopped by .*: wrong story$/)
  assert.equal((await run.readStory()).column.role, 'in_progress')
  assert.equal(await run.report({ type: 'progress', message: 'still here' }), 'stop')
  const [entry] = await run.audit()
  assert.equal(entry?.event, 'run_state_changed')
  assert.deepEqual([entry?.actor.type, entry?.actor.userId], ['human', member.personId])
  assert.deepEqual([entry?.details.status, entry?.details.channel], ['stopped', 'app'])
  const orders = engine.orders.length
  await engine.sweep()
  assert.equal(engine.orders.length, orders, 'nothing goes on with it')
})

test('what a stopped run asked is taken back, with its entry', async () => {
  const run = await OneRun.begin(engine, { preset: 'supervised' })
  await run.tell(goesWell.plan)
  const { key } = await run.asked()
  await stopRun(run.owner, run.key, confirmed)
  assert.equal(fromJson(await readDecision(run.owner, key)).status, 'cancelled')
  const entry = (await run.audit()).find(({ event }) => event === 'decision_cancelled')
  assert.equal(entry?.entity.id, key)
  assert.equal(entry?.actor.type, 'human')
})

test('a run that is queued, waits or hands off can be stopped; one that has ended cannot', async () => {
  const queued = await OneRun.begin(engine, { preset: 'supervised' })
  await queued.tell(goesWell.plan)
  engine.serving = false
  await queued.answer('approve')
  engine.serving = true
  assert.equal((await queued.read()).status, 'queued')
  await stopRun(queued.owner, queued.key, confirmed)
  assert.equal((await queued.read()).status, 'stopped')
  await assert.rejects(stopRun(queued.owner, queued.key, confirmed), { code: 'conflict' })

  const done = await OneRun.begin(engine)
  await done.tell(...toMerge)
  assert.equal((await done.read()).status, 'succeeded')
  await assert.rejects(stopRun(done.owner, done.key, confirmed), { code: 'conflict' })
  await assert.rejects(stopRun(done.owner, 'run-none', confirmed), { code: 'run_not_found' })
})

test('a run that is stopped before its merge is not merged', async () => {
  const run = await OneRun.begin(engine)
  await run.tell(...toMerge.slice(0, 3))
  await run.report(goesWell.finish)
  await stopRun(run.owner, run.key, confirmed)
  await engine.settle()
  engine.clock.forward(3_600_000)
  await engine.sweep()
  assert.ok(![...engine.gitHost.done.keys()].some((key) => key.includes(run.order.runId)))
})

test('a reason or guidance that cannot be stored as it is does not keep anybody from stopping or retrying', async () => {
  const run = await OneRun.begin(engine)
  await stopRun(run.owner, run.key, { ...confirmed, reason: 'cut \0 off \ud83d' })
  assert.match((await run.read()).attemptList[0]!.error ?? '', /cut {2}off/)
  await retryRun(run.owner, run.key, { guidance: 'cut \0 off \ud83d' })
  await engine.settle()
  assert.match(run.order.guidance.at(-1) ?? '', /^cut {2}off/)
  await assert.rejects(stopRun(run.owner, run.key, { ...confirmed, reason: 'x'.repeat(4_001) }), {
    code: 'invalid_request',
  })
})

test('a person who stops a run meets what the engine does for it at that moment without a deadlock', async () => {
  for (let round = 0; round < 12; round += 1) {
    const run = await OneRun.begin(engine)
    if (round % 2) engine.merges = (story) => (story === run.story.key ? { mainRed: 'it fails' } : {})
    await run.tell(...toMerge.slice(0, 3))
    await run.report(goesWell.finish)
    await Promise.all([stopRun(run.owner, run.key, confirmed).catch(onlyConflict), engine.settle()])
    const { status } = await run.read()
    assert.ok(status === 'stopped' || status === 'succeeded', status)
  }
})

test('of an answer and a stop at once, each is either done or refused, and nothing is left half done', async () => {
  for (let round = 0; round < 12; round += 1) {
    const run = await OneRun.begin(engine, { preset: 'supervised' })
    await run.tell(goesWell.plan)
    const { key } = await run.asked()
    const [answered, stopped] = await Promise.allSettled([
      resolveDecision(run.owner, { key, optionId: 'reject' }),
      stopRun(run.owner, run.key, confirmed),
    ])
    const { status } = fromJson(await readDecision(run.owner, key))
    const { column } = await run.readStory()
    assert.equal((await run.read()).status, 'stopped')
    if (status === 'resolved') {
      assert.deepEqual([answered.status, stopped.status, column.role], ['fulfilled', 'rejected', 'backlog'])
    } else {
      assert.deepEqual(
        [answered.status, stopped.status, column.role],
        ['rejected', 'fulfilled', 'in_progress'],
      )
      assert.equal(answered.status === 'rejected' && answered.reason.code, 'decision_not_pending')
      assert.equal(status, 'cancelled')
    }
  }
})

test('a run that failed, timed out or was stopped is retried under the same key', async () => {
  const stopped = await OneRun.begin(engine)
  await stopRun(stopped.owner, stopped.key, confirmed)
  const failed = await OneRun.begin(engine)
  await failed.tell({ type: 'failed', failureClass: 'persistent', error: 'no such repository' })
  const late = await OneRun.begin(engine)
  for (let minute = 0; minute < 241; minute += 1) {
    engine.clock.forward(60_000 - 1)
    await late.report({ type: 'progress', message: 'still going' })
  }
  await engine.sweep()
  assert.deepEqual(
    [(await stopped.read()).status, (await failed.read()).status, (await late.read()).status],
    ['stopped', 'failed', 'timed_out'],
  )
  for (const run of [stopped, failed, late]) {
    const member = await aMember(run.owner, 'member')
    assert.deepEqual(await retryRun(member, run.key, { guidance: 'Once more.' }), { attempt: 2 })
    assert.deepEqual((await run.read()).status, 'queued')
    const [entry] = await run.audit()
    assert.deepEqual([entry?.event, entry?.actor.userId], ['run_state_changed', member.personId])
    await engine.settle()
    assert.deepEqual(await run.stands(), ['running', 'planning'])
    assert.deepEqual([run.order.attempt, run.order.guidance], [2, ['Once more.']])
    assert.equal((await run.readStory()).runKeys.length, 1)
  }
})

test('a run that goes on or has succeeded is not retried', async () => {
  const run = await OneRun.begin(engine)
  await assert.rejects(retryRun(run.owner, run.key), { code: 'conflict' })
  await run.tell(...toMerge)
  await assert.rejects(retryRun(run.owner, run.key), { code: 'conflict' })
  assert.equal((await run.read()).attempts, 1)
  await assert.rejects(retryRun(run.owner, 'run-none'), { code: 'run_not_found' })
})

test('a retry is new work: a paused team does not start it before it is resumed', async () => {
  const run = await OneRun.begin(engine)
  await stopRun(run.owner, run.key, confirmed)
  await pauseTeam(run.owner, run.team.slug)
  await retryRun(run.owner, run.key)
  await engine.settle()
  assert.equal((await run.read()).status, 'queued')
  await resumeTeam(run.owner, run.team.slug)
  await engine.settle()
  assert.equal((await run.read()).status, 'running')
})

test('a retry takes the policy of today; until then a run keeps the one it began with', async () => {
  const run = await OneRun.begin(engine)
  await aPolicy(run.owner, run.team, 'supervised')
  await run.tell(goesWell.plan)
  assert.deepEqual(await run.stands(), ['running', 'implementing'], 'nobody is asked about the plan')
  assert.equal(run.order.policy.version, 1)
  await stopRun(run.owner, run.key, confirmed)
  await retryRun(run.owner, run.key)
  await engine.settle()
  assert.equal(run.order.policy.version, 2)
  assert.equal(run.order.policy.mergePolicy, 'ask')
})

/** A story in Ready whose only run has ended: the team may begin a new run, a person may retry the old one. */
async function aStoryForTwo() {
  const run = await OneRun.begin(engine)
  await stopRun(run.owner, run.key, confirmed)
  await change(run.owner, async (tx) => {
    await moveStory(run.owner, tx, run.story.id, 'ready')
    return { value: undefined, audit: [] }
  })
  return run
}

test('while another run of the story is open, a run is not retried', async () => {
  const run = await aStoryForTwo()
  await engine.sweep()
  assert.equal((await run.readStory()).runKeys.length, 2)
  await assert.rejects(retryRun(run.owner, run.key), { code: 'conflict', message: /Another run/ })
})

test('of a retry and a new run of the same story, one wins and no one fails', async () => {
  for (let round = 0; round < 15; round += 1) {
    const run = await aStoryForTwo()
    const service = engine.service(run.owner.workspaceId)
    const started = dispatchTeam(service, run.team.id, { serves: () => true })
    const [retried] = await Promise.allSettled([retryRun(run.owner, run.key), started])
    await started
    if (retried.status === 'rejected') onlyConflict(retried.reason)
    await engine.settle()
    const { runKeys } = await run.readStory()
    const status = (await run.read()).status
    assert.deepEqual(
      [status, runKeys.length],
      retried.status === 'fulfilled' ? ['running', 1] : ['stopped', 2],
    )
  }
})

function onlyConflict(error: Error & { code?: string }): void {
  if (error.code !== 'conflict') throw error
}
