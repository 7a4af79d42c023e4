import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, goesWrong, TestEngine } from '../../../test/engine/engine.ts'
import { OneRun } from '../../../test/engine/one-run.ts'
import { proposed } from '../../../test/requirements.ts'
import { tables } from '../../../test/tables.ts'
import type { WorkEvent } from '../../ports/work.ts'
import { change } from '../../record/audit/change.ts'
import { listStuckRuns } from '../../work/runs/list-stuck.ts'
import { lockTeamById } from '../../work/teams/lock.ts'

const database = await testDatabase()
after(() => database.close())

const engine = new TestEngine(database.db)
const seconds = 1_000
const minutes = 60 * seconds
const hours = 60 * minutes

const progress: WorkEvent = { type: 'progress', message: 'still going' }

test('a report that arrives twice counts once, and is answered as it would be now', async () => {
  const run = await OneRun.begin(engine, { preset: 'supervised' })
  const { order } = run
  const usage: WorkEvent = { type: 'usage', amount: 0.5, currency: 'EUR' }
  assert.equal(await engine.report(order, usage, 1), 'go_on')
  assert.equal(await engine.report(order, usage, 1), 'go_on')
  assert.equal((await run.read()).costCents, 50)
  assert.equal(await engine.report(order, goesWell.plan, 2), 'stop')
  assert.equal(await engine.report(order, goesWell.plan, 2), 'stop')
  assert.equal((await run.pending()).length, 1)
})

test('of the same report, sent many times at once, one counts', async () => {
  const run = await OneRun.begin(engine, { preset: 'supervised' })
  const { order } = run
  const usage: WorkEvent = { type: 'usage', amount: 0.5, currency: 'EUR' }
  await Promise.all(Array.from({ length: 6 }, () => engine.report(order, usage, 1)))
  assert.equal((await run.read()).costCents, 50)
  await Promise.all(Array.from({ length: 6 }, () => engine.report(order, goesWell.plan, 2)))
  assert.equal((await run.pending()).length, 1)
})

test('a report of an outdated order changes nothing, and its worker is told to stop', async () => {
  const run = await OneRun.begin(engine)
  const old = run.order
  await run.tell(goesWell.plan)
  const before = await run.read()
  for (const event of [goesWell.plan, goesWell.change, goesWrong.question, progress])
    assert.equal(await engine.report(old, event), 'stop')
  assert.deepEqual(await run.read(), before)
  assert.deepEqual(await run.pending(), [])
})

test('a report of an order that was never given out is refused', async () => {
  const run = await OneRun.begin(engine)
  await assert.rejects(engine.report({ ...run.order, fence: run.order.fence + 1 }, progress), {
    code: 'conflict',
  })
  const elsewhere = await OneRun.begin(engine)
  await assert.rejects(engine.report({ ...run.order, workspaceId: elsewhere.order.workspaceId }, progress), {
    code: 'run_not_found',
  })
})

test('an event that does not fit the stage is refused, and the worker may still send the right one', async () => {
  const run = await OneRun.begin(engine)
  for (const event of [goesWell.change, goesWell.gates, goesWell.finish])
    await assert.rejects(engine.report(run.order, event, 1), { code: 'conflict', message: /planning/ })
  assert.deepEqual(await run.stands(), ['running', 'planning'])
  assert.equal(await engine.report(run.order, goesWell.plan, 1), 'stop')
  await engine.settle()
  assert.deepEqual(await run.stands(), ['running', 'implementing'])
})

test('whatever an agent writes can be stored', async () => {
  const text = 'cut \0 off \ud83d'
  const events: WorkEvent[] = [
    { type: 'progress', message: text },
    {
      type: 'proposal_made',
      proposal: { kind: 'maintenance_proposal', fingerprint: text, title: text, body: text, story: null },
    },
    { ...goesWell.plan, plan: text, paths: [text] },
    { type: 'scope_change_proposed', plan: text, change: text },
    { type: 'spec_failed', error: text },
    { ...goesWrong.question, question: text, context: text },
    { type: 'failed', failureClass: 'persistent', error: text },
  ]
  for (const event of events) {
    const run = await OneRun.begin(engine)
    await run.tell(event)
    assert.ok(await run.read())
  }
  const run = await OneRun.begin(engine)
  await run.tell(goesWell.plan, goesWell.change, {
    ...goesWell.gates,
    gates: [{ name: text, result: 'failed', summary: text }],
  })
  assert.equal((await run.read()).attempts, 2)
})

test('a proposed story that could not be filed is refused when it is proposed', async () => {
  const run = await OneRun.begin(engine)
  const proposal = (title: string): WorkEvent => ({
    type: 'proposal_made',
    proposal: {
      kind: 'maintenance_proposal',
      fingerprint: 'one',
      title: 'Worth a story',
      body: 'Because.',
      story: proposed({ title }),
    },
  })
  await assert.rejects(run.report(proposal('x'.repeat(201))), { code: 'invalid_request', message: /title/ })
  assert.deepEqual(await run.pending(), [])
  await run.tell(proposal('short'))
  assert.equal((await run.pending()).length, 1)
})

test('a run asks its question while someone else holds its team', async () => {
  const run = await OneRun.begin(engine, { preset: 'supervised' })
  const service = engine.service(run.owner.workspaceId)
  // Who dispatches holds the team and may then ask something too: were they to wait for each other, neither went on.
  await change(service, async (tx) => {
    await lockTeamById(tx, run.owner.workspaceId, run.team.id)
    await run.report(goesWell.plan)
    return { value: undefined, audit: [] }
  })
  assert.equal((await run.asked()).kind, 'plan_approval')
})

test('each report keeps the order alive for another minute', async () => {
  const run = await OneRun.begin(engine)
  const { order } = run
  for (let n = 0; n < 5; n += 1) {
    engine.clock.forward(59 * seconds)
    assert.equal(
      await engine.report(order, n % 2 ? progress : { type: 'usage', amount: 0, currency: 'EUR' }),
      'go_on',
    )
    await engine.sweep()
  }
  assert.equal((await run.read()).attempts, 1)
  engine.clock.forward(60 * seconds - 1)
  await engine.sweep()
  assert.equal((await run.read()).attempts, 1)
  engine.clock.forward(1)
  await engine.sweep()
  const { attempts, status, attemptList } = await run.read()
  assert.deepEqual([attempts, status], [2, 'queued'])
  assert.deepEqual([attemptList[0]?.status, attemptList[0]?.failureClass], ['failed', 'transient'])
  assert.equal(await engine.report(order, progress), 'stop')
})

test('an order that is lost is given out again after 10, 20 and 40 seconds, and then the run has failed', async () => {
  const run = await OneRun.begin(engine)
  for (const [index, pause] of [10, 20, 40].entries()) {
    engine.clock.forward(60 * seconds)
    await engine.sweep()
    const { attempts, status } = await run.read()
    assert.deepEqual([attempts, status], [index + 2, 'queued'])
    engine.clock.forward(pause * seconds - 1)
    await engine.settle()
    await engine.sweep()
    assert.equal((await run.read()).status, 'queued', `not before ${pause} seconds`)
    engine.clock.forward(1)
    await engine.settle()
    assert.deepEqual([(await run.read()).status, run.order.attempt], ['running', index + 2])
  }
  engine.clock.forward(60 * seconds)
  await engine.sweep()
  const { attempts, status, failureClass } = await run.read()
  assert.deepEqual([attempts, status, failureClass], [4, 'failed', 'transient'])
  assert.equal((await run.readStory()).column.role, 'in_progress')
})

test('a failure that passes is treated like a lost order; a stage that is done makes up for those before', async () => {
  const run = await OneRun.begin(engine)
  const passing: WorkEvent = { type: 'failed', failureClass: 'transient', error: 'the model is overloaded' }
  for (const pause of [10, 20, 40]) {
    await run.tell(passing)
    engine.clock.forward(pause * seconds)
    await engine.settle()
  }
  await run.tell(goesWell.plan, passing)
  assert.equal((await run.read()).status, 'queued')
  engine.clock.forward(10 * seconds)
  await engine.settle()
  assert.deepEqual(await run.stands(), ['running', 'implementing'])
})

for (const failureClass of ['persistent', 'policy', 'dependency'] as const) {
  test(`a ${failureClass} failure is not tried again without being asked`, async () => {
    const run = await OneRun.begin(engine)
    await run.tell({ type: 'failed', failureClass, error: 'the repository is gone' })
    engine.clock.forward(hours)
    await engine.sweep()
    const read = await run.read()
    assert.deepEqual([read.status, read.failureClass, read.attempts], ['failed', failureClass, 1])
    assert.equal(read.attemptList[0]?.error, 'the repository is gone')
  })
}

test('an order has four hours, however lively it is', async () => {
  const run = await OneRun.begin(engine)
  for (let minute = 0; minute < 240; minute += 1) {
    engine.clock.forward(minutes - 1)
    await run.report(progress)
  }
  await engine.sweep()
  assert.equal((await run.read()).status, 'running')
  engine.clock.forward(240)
  await engine.sweep()
  const { status, failureClass, attemptList } = await run.read()
  assert.deepEqual([status, failureClass], ['timed_out', 'persistent'])
  assert.match(attemptList[0]!.error ?? '', /planning/)
  assert.equal(await run.report(progress), 'stop')
})

test('the next stage has its own four hours', async () => {
  const run = await OneRun.begin(engine)
  for (let minute = 0; minute < 230; minute += 1) {
    engine.clock.forward(minutes - 1)
    await run.report(progress)
  }
  await run.tell(goesWell.plan)
  for (let minute = 0; minute < 20; minute += 1) {
    engine.clock.forward(minutes - 1)
    await run.report(progress)
  }
  await engine.sweep()
  assert.deepEqual(await run.stands(), ['running', 'implementing'])
})

test('after a night in which no one looked, work goes on', async () => {
  const run = await OneRun.begin(engine)
  engine.clock.forward(9 * hours)
  await engine.sweep()
  engine.clock.forward(10 * seconds)
  await engine.settle()
  assert.deepEqual([(await run.read()).status, run.order.attempt], ['running', 2])
})

test('a run whose order could not be handed over is stuck until its worker is heard from', async () => {
  const flaky = new TestEngine(database.db)
  const run = await OneRun.begin(flaky)
  const { order } = run
  // As the sweeper marks it when handing over fails again and again.
  await change(flaky.service(run.owner.workspaceId), async (tx) => {
    await tables(tx)
      .updateTable('runs')
      .set({ stuck_since: flaky.clock.now(), reason: 'hand_out fails: no route to host' })
      .where('id', '=', order.runId)
      .execute()
    return { value: undefined, audit: [] }
  })
  assert.equal((await listStuckRuns(run.owner)).length, 1)
  await run.report(progress)
  assert.deepEqual(await listStuckRuns(run.owner), [])
})

const hostile = (text: string) => `\u001b[2J\u001b[31m${text}\u001b[0m\u202e\u200b\u009b1A`
const shown = (text: string) => `\\u{1b}[2J${text}\\u{202e}\\u{200b}\\u{9b}1A`

test('what a worker says is read with nothing unseen in it; paths are what they are', async () => {
  const run = await OneRun.begin(engine)
  await run.tell(goesWell.plan)
  const paths = ['src/\u202ea.ts']
  await run.tell({ ...goesWell.change, change: { ...goesWell.change.change, paths } })
  const evidence = {
    ...goesWell.gates.evidence,
    ...{ demonstration: hostile('It works.'), changes: { ...goesWell.gates.evidence.changes, paths } },
  }
  const gates = [{ name: hostile('unit'), result: 'passed', summary: hostile('12 passed') } as const]
  await run.tell({ type: 'gates_ran', gates, evidence })
  const told = await run.read()
  const as = [{ name: shown('unit'), result: 'passed', summary: shown('12 passed') }]
  assert.deepEqual([told.evidence?.gates, told.attemptList[0]?.verification?.gates], [as, as])
  assert.equal(told.evidence?.demonstration, shown('It works.'))
  assert.deepEqual(told.evidence?.changes.paths, paths)
})

test('why a run failed, and what an agent asks, has nothing unseen in it', async () => {
  const failed = await OneRun.begin(engine)
  await failed.tell({ type: 'failed', failureClass: 'persistent', error: hostile('No.') })
  assert.equal((await failed.read()).attemptList[0]?.error, shown('No.'))
  const asking = await OneRun.begin(engine)
  await asking.tell({ ...goesWrong.question, question: hostile('Which?'), context: hostile('Why.') })
  const { title, body } = await asking.asked()
  assert.doesNotMatch(title + body, unseen)
  assert.match(body, /Why\./)
})

test('what was written before is read so, too', async () => {
  const run = await OneRun.begin(engine)
  await run.tell({ type: 'failed', failureClass: 'persistent', error: 'No.' })
  await change(engine.service(run.owner.workspaceId), async (tx) => {
    await tables(tx)
      .updateTable('attempts')
      .set({ error: hostile('No.') })
      .where('workspace_id', '=', run.owner.workspaceId)
      .execute()
    return { value: undefined, audit: [] }
  })
  assert.equal((await run.read()).attemptList[0]?.error, shown('No.'))
})

const unseen = /[^\P{Cc}\n\t]|\p{Bidi_Control}|\u200b/u
