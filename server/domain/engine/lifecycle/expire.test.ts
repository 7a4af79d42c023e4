import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { TestClock } from '../../../test/clock.ts'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, goesWrong, TestEngine } from '../../../test/engine/engine.ts'
import { OneRun } from '../../../test/engine/one-run.ts'
import type { Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import { listAudit } from '../../record/audit/list.ts'
import { readDecision } from '../../work/decisions/read.ts'
import { resolveDecision } from '../answers/resolve.ts'
import { expireDecision } from './expire.ts'
import { raiseDecision } from './raise.ts'
import { retryRun } from './retry.ts'
import { stopRun } from './stop.ts'

const database = await testDatabase()
after(() => database.close())

const engine = new TestEngine(database.db)
const days = 86_400_000

async function aQuestion() {
  const run = await OneRun.waitingForApproval(engine)
  return { run, owner: run.owner, key: (await run.asked()).key }
}

const statusOf = async (ctx: Context, key: string) => fromJson(await readDecision(ctx, key)).status
const entriesOf = async (ctx: Context) =>
  (await listAudit(ctx, {}, { limit: 100, after: null })).data.map(fromJson)

test('a decision that no one answers in seven days expires, and its run ends for want of an answer', async () => {
  const { run, owner, key } = await aQuestion()
  engine.clock.forward(7 * days - 1)
  await engine.sweep()
  assert.equal(await statusOf(owner, key), 'pending')
  engine.clock.forward(1)
  await engine.sweep()
  assert.equal(await statusOf(owner, key), 'expired')
  const { status, failureClass, attemptList } = await run.read()
  assert.deepEqual([status, failureClass], ['failed', 'dependency'])
  assert.equal(attemptList[0]?.error, 'No one answered in time.')
  assert.equal((await run.readStory()).column.role, 'in_progress', 'the story stays where it is')
  const expired = (await run.audit()).filter(({ event }) => event === 'decision_expired')
  assert.deepEqual(
    expired.map(({ actor, entity }) => [actor.type, entity.id]),
    [['service', key]],
  )
  const decision = fromJson(await readDecision(owner, key))
  assert.deepEqual([decision.resolution, decision.resolvedVia, decision.resolvedAt], [null, null, null])
})

test('a run whose decision expired can be retried', async () => {
  const { run, owner } = await aQuestion()
  engine.clock.forward(7 * days)
  await engine.sweep()
  await retryRun(owner, run.key)
  await engine.settle()
  assert.deepEqual(await run.stands(), ['running', 'planning'])
})

test('what has been answered or taken back does not expire', async () => {
  const answered = await aQuestion()
  await resolveDecision(answered.owner, { key: answered.key, optionId: 'approve' })
  const cancelled = await aQuestion()
  await stopRun(cancelled.owner, cancelled.run.key, { confirmed: true })
  engine.clock.forward(8 * days)
  for (const { owner, key } of [answered, cancelled])
    await expireDecision(engine.service(owner.workspaceId), key)
  assert.equal(await statusOf(answered.owner, answered.key), 'resolved')
  assert.equal(await statusOf(cancelled.owner, cancelled.key), 'cancelled')
})

test('a proposal that no one answers lapses, is remembered, and costs no run anything', async () => {
  const run = await OneRun.begin(engine)
  const proposal = {
    type: 'proposal_made',
    proposal: { kind: 'maintenance_proposal', fingerprint: 'x', title: 'x', body: 'x', story: null },
  } as const
  await run.tell(proposal)
  const { key } = await run.asked()
  await run.tell(goesWell.plan, goesWell.change, goesWell.gates, goesWell.finish)
  engine.clock.forward(7 * days)
  await engine.sweep()
  assert.equal(await statusOf(run.owner, key), 'expired')
  assert.equal((await run.read()).status, 'succeeded')
  const next = await OneRun.begin(engine, { owner: run.owner })
  await next.tell(proposal)
  assert.equal((await next.pending()).length, 1, 'another team may be asked')
})

test('of an answer at the last moment and the timer, exactly one wins', async () => {
  for (let round = 0; round < 30; round += 1) {
    const { run, owner, key } = await aQuestion()
    // Two nodes whose clocks differ by a moment: for one the time is over, for the other it is not.
    const early = {
      ...owner,
      clock: new TestClock(new Date(engine.clock.now().getTime() + 7 * days - 1).toISOString()),
    }
    const late = {
      ...engine.service(owner.workspaceId),
      clock: new TestClock(new Date(engine.clock.now().getTime() + 7 * days).toISOString()),
    }
    const answer = () => resolveDecision(early, { key, optionId: 'approve' })
    const timer = () => expireDecision(late, key)
    const [first, second] = round % 2 ? [answer, timer] : [timer, answer]
    const results = await Promise.allSettled([first(), second()])
    const answered = results[round % 2 ? 0 : 1]!
    assert.equal(results[round % 2 ? 1 : 0]!.status, 'fulfilled', 'the timer never complains')

    const status = await statusOf(owner, key)
    const events = (await entriesOf(owner))
      .map(({ event }) => event)
      .filter((event) => event === 'decision_resolved' || event === 'decision_expired')
    if (status === 'resolved') {
      assert.equal(answered.status, 'fulfilled')
      assert.deepEqual(events, ['decision_resolved'])
      assert.equal((await run.read()).status, 'queued')
    } else {
      assert.equal(status, 'expired')
      assert.ok(answered.status === 'rejected' && answered.reason.code === 'decision_not_pending')
      assert.deepEqual(events, ['decision_expired'])
      assert.equal((await run.read()).status, 'failed')
    }
  }
})

test('a newer decision of the same kind for the same run takes the place of the older one', async () => {
  const { run, owner, key } = await aQuestion()
  const service = engine.service(owner.workspaceId)
  const newer = await change(service, async (tx) => {
    const raised = await raiseDecision(service, tx, {
      kind: 'plan_approval',
      title: 'A newer plan',
      facts: { plan: '2. Do it better.', because: 'it is newer' },
      team: run.team,
      story: run.story,
      run: { id: run.order.runId, key: run.key },
    })
    return { value: raised.key, audit: raised.entries }
  })
  assert.equal(await statusOf(owner, key), 'superseded')
  const entry = (await run.audit()).find(({ event }) => event === 'decision_superseded')
  assert.deepEqual([entry?.entity.id, entry?.actor.type], [key, 'service'])
  assert.equal((await run.asked()).key, newer)
  await run.answer('approve')
  assert.deepEqual(await run.stands(), ['running', 'implementing'])
})

test('a question of another kind, or of another run, is left alone', async () => {
  const first = await aQuestion()
  const other = await OneRun.begin(engine, { owner: first.owner })
  await other.tell(goesWrong.question)
  const again = await OneRun.begin(engine, { preset: 'supervised', owner: first.owner })
  await again.tell(goesWell.plan)
  assert.equal(await statusOf(first.owner, first.key), 'pending')
  assert.equal((await other.asked()).status, 'pending')
})
