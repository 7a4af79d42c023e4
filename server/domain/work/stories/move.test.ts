import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { TestClock } from '../../../test/clock.ts'
import { testDatabase } from '../../../test/database.ts'
import { aStory, aTeam, aWorkspace } from '../../../test/factories.ts'
import { tables } from '../../../test/tables.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { moveStory } from './move.ts'
import { readStory } from './read.ts'

const database = await testDatabase()
after(() => database.close())

async function aMovable() {
  const clock = new TestClock()
  const ctx = await aWorkspace(database.db, clock)
  const team = await aTeam(ctx)
  const story = await aStory(ctx, team)
  const move = (
    ...what: Parameters<typeof moveStory> extends [unknown, unknown, ...infer Rest] ? Rest : never
  ) => housekeeping(database.db, 'test', (tx) => moveStory(ctx, tx, ...what))
  const note = async () => {
    const row = await tables(database.db)
      .selectFrom('stories')
      .select('returned_note')
      .where('id', '=', story.id)
      .executeTakeFirstOrThrow()
    return row.returned_note
  }
  return { clock, ctx, team, story, move, note }
}

test('a story is moved to the team’s column of the role, and it is told where it came from', async () => {
  const { clock, ctx, team, story, move } = await aMovable()
  clock.forward(60_000)
  assert.deepEqual(await move(story.id, 'in_progress'), {
    key: story.key,
    title: `Story ${story.key}`,
    team: team.slug,
    from: 'ready',
    to: 'in_progress',
    tracker: null,
  })
  const { column, updatedAt } = fromJson(await readStory(ctx, story.key))
  assert.equal(column.role, 'in_progress')
  assert.equal(updatedAt, clock.now().toISOString())
})

test('a note is kept until another one is given or it is taken away', async () => {
  const { story, move, note } = await aMovable()
  await move(story.id, 'backlog', { note: 'not like this' })
  assert.equal(await note(), 'not like this')
  await move(story.id, 'ready')
  assert.equal(await note(), 'not like this')
  await move(story.id, 'in_progress', { note: null })
  assert.equal(await note(), null)
})

test('a story of another workspace cannot be moved', async () => {
  const { move } = await aMovable()
  const other = await aMovable()
  await assert.rejects(move(other.story.id, 'done'), /is not there/)
})

test('of many who move a story at once each finds it where the one before has put it', async () => {
  const { story, move } = await aMovable()
  const roles = ['in_progress', 'review', 'backlog', 'done', 'refining'] as const
  const moves = await Promise.all(roles.map((role) => move(story.id, role)))
  // Five moves leave five different places: the first Ready, each other one where the one before had ended.
  assert.equal(new Set(moves.map(({ from }) => from)).size, roles.length)
})
