import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { TestEngine } from '../../../test/engine/engine.ts'
import { aStory, aTeam } from '../../../test/factories.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { blockedStories, blockStory, waitForBlockers } from './block.ts'

const database = await testDatabase()
after(() => database.close())

test('all that is blocked is asked about in turns, and so is what is ready and not known', async () => {
  const engine = new TestEngine(database.db)
  const owner = await engine.workspace()
  const team = await aTeam(owner)
  const wanted: string[] = []
  for (let count = 0; count < 62; count += 1)
    wanted.push((await aStory(owner, team, { column: count < 60 ? 'backlog' : 'ready' })).id)
  const idea = await aStory(owner, team, { column: 'backlog' })
  await housekeeping(database.db, 'blockers for a test', async (tx) => {
    for (const id of wanted.slice(0, 60)) await blockStory(owner, tx, { id, teamId: team.id }, ['WEB-1'])
    await waitForBlockers(owner, tx, [...wanted.slice(60), idea.id])
  })
  const seen: string[] = []
  for (let round = 0; round < 2; round += 1) {
    seen.push(...(await blockedStories(owner, team.id)))
    engine.clock.forward(60_000)
  }
  assert.deepEqual([...new Set(seen)].toSorted(), wanted.toSorted())
})
