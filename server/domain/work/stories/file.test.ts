import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { testDatabase } from '../../../test/database.ts'
import { aTeam, aWorkspace } from '../../../test/factories.ts'
import { proposed } from '../../../test/requirements.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { fileStory } from './file.ts'
import { readStory } from './read.ts'

const database = await testDatabase()
after(() => database.close())

async function aTeamToFileFor() {
  const ctx = await aWorkspace(database.db)
  const team = await aTeam(ctx)
  const file = (story = proposed(), draft = false) =>
    housekeeping(database.db, 'test', (tx) => fileStory(ctx, tx, team, story, { column: 'backlog', draft }))
  return { ctx, team, file }
}

test('a filed story has the next key, numbered criteria, its column and its readiness', async () => {
  const { ctx, team, file } = await aTeamToFileFor()
  const { key } = await file()
  assert.equal(key, `${team.keyPrefix}-1`)
  const story = fromJson(await readStory(ctx, key))
  assert.equal(story.column.role, 'backlog')
  assert.equal(story.draft, false)
  assert.equal(story.readinessScore, 100)
  assert.equal(story.tracker, null)
  assert.deepEqual(
    story.acceptanceCriteria.map(({ id, status }) => [id, status]),
    [
      ['ac-1', 'unverified'],
      ['ac-2', 'unverified'],
    ],
  )
  const second = await file(proposed({ title: 'Late', demonstrate: null }), true)
  assert.equal(second.key, `${team.keyPrefix}-2`)
  const { draft, readinessScore } = fromJson(await readStory(ctx, second.key))
  assert.deepEqual([draft, readinessScore], [true, 65])
})

test('stories filed at once get different keys', async () => {
  const { file } = await aTeamToFileFor()
  const keys = (await Promise.all(Array.from({ length: 8 }, () => file()))).map(({ key }) => key)
  assert.equal(new Set(keys).size, 8)
})

test('a story that no one could read is not filed', async () => {
  const { file } = await aTeamToFileFor()
  await assert.rejects(file(proposed({ title: ' ' })), { code: 'invalid_request', message: /title is empty/ })
})
