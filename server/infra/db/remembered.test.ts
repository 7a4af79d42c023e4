import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { housekeeping } from '../../domain/record/audit/change.ts'
import { listDecisions } from '../../domain/work/decisions/list.ts'
import { testDatabase } from '../../test/database.ts'
import { aDecision, aStory, aTeam, aWorkspace } from '../../test/factories.ts'
import { tables } from '../../test/tables.ts'

const database = await testDatabase()
after(() => database.close())

const page = { limit: 25, after: null }

test('a page that has not changed is the same page; any change of any row is seen by the next read', async () => {
  const ctx = await aWorkspace(database.db)
  const team = await aTeam(ctx)
  const story = await aStory(ctx, team, { title: 'First title' })
  const decision = await aDecision(ctx, team, { storyId: story.id })
  for (let n = 0; n < 3; n += 1) await aDecision(ctx, team)
  const read = async () => listDecisions(ctx, {}, page)
  const write = (work: Parameters<typeof housekeeping>[2]) => housekeeping(database.db, 'test', work)

  const first = await read()
  assert.equal(await read(), first, 'not fetched again')

  await aDecision(ctx, team)
  const second = await read()
  assert.equal(second.data.length, 5)

  await write((tx) =>
    tables(tx).updateTable('decisions').set({ title: 'Changed' }).where('id', '=', decision.id).execute(),
  )
  assert.equal(fromJson((await read()).data[4]!).title, 'Changed')

  await write((tx) =>
    tables(tx).updateTable('stories').set({ title: 'Second title' }).where('id', '=', story.id).execute(),
  )
  assert.equal(
    fromJson((await read()).data[4]!).story?.title,
    'Second title',
    'the story’s title follows the tracker',
  )

  await write((tx) =>
    tables(tx).updateTable('decisions').set({ status: 'expired' }).where('id', '=', decision.id).execute(),
  )
  assert.deepEqual((await listDecisions(ctx, { status: 'pending' }, page)).data.length, 4)
  await write((tx) => tables(tx).deleteFrom('decisions').where('id', '=', decision.id).execute())
  assert.equal((await read()).data.length, 4)
})

test('a later page is read anew each time: only the first is asked for again and again', async () => {
  const ctx = await aWorkspace(database.db)
  const team = await aTeam(ctx)
  for (let n = 0; n < 3; n += 1) await aDecision(ctx, team)
  const first = await listDecisions(ctx, {}, { limit: 2, after: null })
  const read = () => listDecisions(ctx, {}, { limit: 2, after: first.next })
  const [later, again] = [await read(), await read()]
  assert.equal(later.data.length, 1)
  assert.deepEqual(again, later)
  assert.notEqual(again, later, 'the same rows, fetched again')
  assert.equal(await listDecisions(ctx, {}, { limit: 2, after: null }), first, 'the first one is not')
})

test('a reader never sees less than what was committed before it asked', async () => {
  const ctx = await aWorkspace(database.db)
  const team = await aTeam(ctx)
  for (let n = 1; n <= 40; n += 1) {
    await Promise.all([listDecisions(ctx, {}, page), aDecision(ctx, team), listDecisions(ctx, {}, page)])
    const { data } = await listDecisions(ctx, {}, { limit: 100, after: null })
    assert.equal(data.length, n)
  }
})
