import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, TestEngine } from '../../../test/engine/engine.ts'
import { aPolicy, aStory, aTeam } from '../../../test/factories.ts'
import { listDecisions } from '../../work/decisions/list.ts'
import { listRuns } from '../../work/runs/list.ts'
import { stopRunsOfStory } from './stop-runs-of-story.ts'

const database = await testDatabase()
after(() => database.close())

test('a story that leaves takes its run along, and what the run asked is taken back', async () => {
  const engine = new TestEngine(database.db)
  const owner = await engine.workspace()
  const team = await aTeam(owner)
  const story = await aStory(owner, team)
  await aPolicy(owner, team, 'supervised')
  await engine.settle()
  const page = { limit: 10, after: null }
  const runOf = async () => fromJson((await listRuns(owner, { story: story.key }, page)).data[0]!)
  await engine.report(engine.orderOf((await runOf()).key), goesWell.plan)
  await stopRunsOfStory(owner, story.key)
  assert.equal((await runOf()).status, 'stopped')
  const [decision] = (await listDecisions(owner, {}, page)).data.map(fromJson)
  assert.equal(decision?.status, 'cancelled')
  // No one works on it any more: leaving again is no mistake.
  await stopRunsOfStory(owner, story.key)
})
