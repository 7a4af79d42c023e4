import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readinessOf } from '../server/domain/work/stories/readiness.ts'
import { haldenParcels } from './halden-parcels/workspace.ts'
import { assessed } from './load/story.ts'

test('stories that are ready or beyond are ready by the rules of the product', () => {
  const stories = haldenParcels.teams.flatMap((team) => team.stories)
  const beyond = stories.filter(({ columnRole }) => !['backlog', 'refining'].includes(columnRole))
  assert.ok(beyond.length > 30)
  for (const story of beyond) assert.deepEqual(readinessOf(assessed(story)).missing, [], story.title)
})
