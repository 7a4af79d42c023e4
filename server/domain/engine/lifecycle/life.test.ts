import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { RunListed } from '@signalbox/contract/run.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, TestEngine } from '../../../test/engine/engine.ts'
import { aPolicy, aStory, aTeam } from '../../../test/factories.ts'
import { tables } from '../../../test/tables.ts'
import { until } from '../../../test/until.ts'
import { change } from '../../record/audit/change.ts'
import { listAudit } from '../../record/audit/list.ts'
import { listDecisions } from '../../work/decisions/list.ts'
import { listRuns } from '../../work/runs/list.ts'
import { readRun } from '../../work/runs/read.ts'
import { readStory } from '../../work/stories/read.ts'
import { resolveDecision } from '../answers/resolve.ts'
import { type LockedRun, lockRun } from '../machine/lock.ts'
import { advance } from './advance.ts'

const database = await testDatabase()
after(() => database.close())

const engine = new TestEngine(database.db)
const firstPage = { limit: 100, after: null }

test('a Ready story is planned, implemented, verified, merged and done; people are asked where the policy says so', async () => {
  const owner = await engine.workspace()
  const team = await aTeam(owner)
  const story = await aStory(owner, team)
  await aPolicy(owner, team, 'supervised')
  const runOf = async (): Promise<RunListed> =>
    fromJson((await listRuns(owner, { story: story.key }, firstPage)).data[0]!)
  const pending = async () =>
    (await listDecisions(owner, { status: 'pending' }, firstPage)).data.map(fromJson)

  await engine.settle()
  const { key } = await runOf()
  assert.deepEqual([(await runOf()).status, (await runOf()).stage], ['running', 'planning'])
  assert.equal(fromJson(await readStory(owner, story.key)).column.role, 'in_progress')

  assert.equal(await engine.report(engine.orderOf(key), { type: 'progress', message: 'reading' }), 'go_on')
  assert.equal(await engine.report(engine.orderOf(key), goesWell.plan), 'stop')
  const [plan] = await pending()
  assert.equal(plan?.kind, 'plan_approval')
  assert.equal((await runOf()).status, 'waiting')

  await resolveDecision(owner, { key: plan!.key, optionId: 'approve' })
  await engine.settle()
  assert.deepEqual([(await runOf()).status, (await runOf()).stage], ['running', 'implementing'])
  await engine.report(engine.orderOf(key), { type: 'usage', amount: 1.5, currency: 'USD' })
  await engine.report(engine.orderOf(key), goesWell.change)
  await engine.settle()
  assert.equal((await runOf()).stage, 'verifying')
  await engine.report(engine.orderOf(key), goesWell.gates)
  await engine.settle()
  assert.equal(fromJson(await readStory(owner, story.key)).column.role, 'review')
  await engine.report(engine.orderOf(key), goesWell.finish)
  const [merge] = await pending()
  assert.equal(merge?.kind, 'merge_approval')

  await resolveDecision(owner, { key: merge!.key, optionId: 'merge' })
  await engine.settle()
  const run = fromJson(await readRun(owner, key))
  assert.deepEqual([run.status, run.attempts, run.costCents], ['succeeded', 1, 75])
  assert.equal(run.pullRequest?.number, 7)
  assert.equal(run.evidence?.commit, 'c0ffee')
  assert.equal(fromJson(await readStory(owner, story.key)).column.role, 'done')

  const entries = (await listAudit(owner, { run: key }, firstPage)).data.map(fromJson)
  const answers = entries.filter(({ event }) => event === 'decision_resolved')
  assert.deepEqual(
    answers.map(({ actor }) => actor.type),
    ['human', 'human'],
  )
  assert.ok(
    entries.some(({ event, details }) => event === 'run_state_changed' && details.status === 'succeeded'),
  )
})

test('a step that had to wait for another one sees what that one did', async () => {
  const owner = await engine.workspace()
  const team = await aTeam(owner)
  const story = await aStory(owner, team)
  await aPolicy(owner, team, 'autonomous')
  await engine.settle()
  const { key } = fromJson((await listRuns(owner, { story: story.key }, firstPage)).data[0]!)
  const hold = (after: (run: LockedRun, tx: Tx) => Promise<unknown>) =>
    change(owner, async (tx) => {
      const run = await lockRun(tx, owner.workspaceId, { key })
      await after(run, tx)
      return { value: run.state.attempt, audit: [] }
    })
  const isWaitedFor = async (pid: number) => {
    const waiting = 'select from pg_locks where not granted and $1 = any(pg_blocking_pids(pid))'
    return (await database.pool.query(waiting, [pid])).rowCount === 1
  }
  // The first begins another attempt; the second, which comes while the first is at it, must find that one.
  let second: Promise<number> | undefined
  const first = await hold(async (run, tx) => {
    const backend = tables(tx).selectNoFrom((is) => is.fn<number>('pg_backend_pid').as('pid'))
    const { pid } = await backend.executeTakeFirstOrThrow()
    second = hold(async () => {})
    await until('the second waits for the first', () => isWaitedFor(pid))
    await advance(owner, tx, run, { type: 'lease_lost' })
  })
  assert.deepEqual([first, await second], [1, 2])
})
