import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, goesWrong, TestEngine } from '../../../test/engine/engine.ts'
import { OneRun } from '../../../test/engine/one-run.ts'
import { aMember } from '../../../test/factories.ts'
import { retryRun } from './retry.ts'
import { stopRun } from './stop.ts'

const database = await testDatabase()
after(() => database.close())

const engine = new TestEngine(database.db)
const begin = async (input: Parameters<typeof OneRun.begin>[1] = {}) =>
  OneRun.begin(engine, { owner: await aMember(await engine.workspace(), 'owner'), ...input })

const results = async (run: OneRun, event: string) =>
  (await run.audit())
    .filter((entry) => entry.event === event)
    .map(({ result, details }) => [details.cause ?? details.answer, result])
    .toReversed()

test('a policy that has a person asked denies nothing: its entry is a success', async () => {
  const supervised = await begin({ preset: 'supervised' })
  await supervised.tell(goesWell.plan)
  assert.deepEqual(await results(supervised, 'policy_evaluated'), [['ask', 'success']])
  const guarded = await begin({ departures: { deniedPaths: ['infra/**'] } })
  await guarded.tell(goesWell.plan, {
    ...goesWell.change,
    change: { ...goesWell.change.change, paths: ['infra/main.tf'] },
  })
  assert.deepEqual(await results(guarded, 'policy_evaluated'), [
    ['yes', 'success'],
    ['ask', 'success'],
  ])
})

test('another attempt that a person wants is no failure; an attempt that failed on its own is one', async () => {
  const run = await begin({ departures: { gateFailureBudget: 9 } })
  await run.tell(goesWell.plan, goesWell.change, goesWrong.gates)
  await run.tell(goesWell.change, goesWrong.gates)
  await run.answer('retry', 'Once more.')
  await stopRun(run.owner, run.key, { confirmed: true })
  await retryRun(run.owner, run.key)
  const told = new Map((await results(run, 'run_state_changed')).map(([cause, result]) => [cause, result]))
  assert.equal(told.get('attempt_wanted'), 'success')
  assert.equal(told.get('stopped'), 'success')
  assert.equal(told.get('retried'), 'success')
  const entries = (await run.audit()).filter(({ details }) => details.cause === 'gates_ran')
  assert.ok(
    entries.some(({ result, details }) => result === 'failure' && details.failureClass === 'gate'),
    'the automatic rework follows a failure',
  )
  const restored = await begin()
  await restored.tell(goesWell.plan, goesWrong.changedSpec)
  await restored.answer('restore')
  assert.deepEqual((await results(restored, 'run_state_changed')).at(-2), ['spec_restored', 'success'])
})
