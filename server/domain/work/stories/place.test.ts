import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { testDatabase } from '../../../test/database.ts'
import { aDecision, aMember, aRun, aStory, aTeam, aWorkspace } from '../../../test/factories.ts'
import { proposed } from '../../../test/requirements.ts'
import { stopRun } from '../../engine/lifecycle/stop.ts'
import { change } from '../../record/audit/change.ts'
import { listAudit } from '../../record/audit/list.ts'
import { readBoard } from './board.ts'
import { editStory } from './edit.ts'
import { fileStory } from './file.ts'
import { listStoryRows } from './list-rows.ts'
import { placeStory } from './place.ts'
import { readStoryPage } from './read-page.ts'

const database = await testDatabase()
after(() => database.close())

async function aTeamOfAMember() {
  const workspace = await aWorkspace(database.db)
  const member = await aMember(workspace, 'member')
  return { member, team: await aTeam(workspace) }
}

test('a story is moved by hand, with the person and both columns in its entry', async () => {
  const { member, team } = await aTeamOfAMember()
  const { key } = await aStory(member, team, { column: 'backlog' })
  assert.deepEqual(await placeStory(member, key, 'refining'), { from: 'backlog', to: 'refining' })
  assert.equal((await readStoryPage(member, key)).column.role, 'refining')
  const [entry] = (
    await listAudit({ ...member, actor: { type: 'system', name: 'test' } }, {}, { limit: 1, after: null })
  ).data.map(fromJson)
  assert.equal(entry?.actor.userId, member.personId)
  assert.deepEqual(entry?.details.changes, [{ field: 'column', before: 'backlog', after: 'refining' }])
  await assert.rejects(placeStory(member, key, 'refining'), { code: 'conflict' })
})

test('Ready takes only what is ready; the refusal says what is missing', async () => {
  const { member, team } = await aTeamOfAMember()
  const { key } = await change(member, async (tx) => ({
    value: await fileStory(member, tx, team, proposed({ size: null }), { column: 'backlog', draft: false }),
    audit: [],
  }))
  await assert.rejects(placeStory(member, key, 'ready'), {
    code: 'conflict',
    message: /has 90\. Missing: a size/,
  })
  await editStory(member, key, { size: 'm' })
  await placeStory(member, key, 'ready')
})

test('a story that a run works on, or a draft, is not moved', async () => {
  const { member, team } = await aTeamOfAMember()
  const story = await aStory(member, team, { column: 'in_progress' })
  const operator = { ...member, actor: { type: 'system', name: 'test' } as const }
  const run = await aRun(operator, team, story)
  await assert.rejects(placeStory(member, story.key, 'done'), {
    code: 'conflict',
    message: new RegExp(`${run.key}.*Stop it first`),
  })
  await stopRun(member, run.key, { confirmed: true })
  await placeStory(member, story.key, 'done')
  const draft = await aStory(member, team, { column: 'refining', draft: true })
  await assert.rejects(placeStory(member, draft.key, 'backlog'), { code: 'conflict', message: /is a draft/ })
})

test('an edit of a story that has changed since it was read is refused', async () => {
  const { member, team } = await aTeamOfAMember()
  const { key } = await aStory(member, team)
  const { updatedAt } = await readStoryPage(member, key)
  const stale = { readAt: '2020-01-01T00:00:00.000Z' }
  await assert.rejects(editStory(member, key, { size: 'm' }, stale), { code: 'changed_meanwhile' })
  await editStory(member, key, { size: 's' }, { readAt: updatedAt })
})

test('the board has six columns with the newest run and the decision that waits; filters narrow it', async () => {
  const { member, team } = await aTeamOfAMember()
  const operator = { ...member, actor: { type: 'system', name: 'test' } as const }
  const story = await aStory(member, team, { column: 'in_progress', title: 'Show 100% of it', size: 's' })
  await aStory(member, team, { column: 'in_progress', title: 'Another', classOfService: 'expedite' })
  await aStory(member, team, { column: 'refining', draft: true })
  const run = await aRun(operator, team, story)
  const decision = await aDecision(operator, team, { storyId: story.id, run })
  const filter = { team: team.slug, drafts: false }
  const board = (await readBoard(member, filter)).map(fromJson)
  assert.deepEqual(
    board.map(({ role, total }) => [role, total]),
    [
      ['backlog', 0],
      ['refining', 0],
      ['ready', 0],
      ['in_progress', 2],
      ['review', 0],
      ['done', 0],
    ],
  )
  const [first, second] = board[3]!.stories
  assert.equal(first?.classOfService, 'expedite')
  const { createdAt, ...shown } = second!.run!
  assert.deepEqual(shown, {
    ...{ key: run.key, status: 'waiting', stage: 'planning', open: true, local: null },
    ...{ executor: 'scripted', costCents: 0 },
  })
  assert.ok(createdAt)
  assert.deepEqual([second?.waiting, second?.waitingFor], [decision.key, 'plan_approval'])
  const count = async (more: object) =>
    (await readBoard(member, { ...filter, ...more })).map(fromJson).reduce((sum, { total }) => sum + total, 0)
  assert.deepEqual(
    [
      await count({ drafts: true }),
      await count({ q: '100%' }),
      await count({ q: '%' }),
      await count({ size: 's' }),
    ],
    [3, 1, 1, 1],
  )
  assert.equal(
    (await listStoryRows(member, { ...filter, q: story.key.toLowerCase() }, { limit: 5, after: null })).data
      .length,
    1,
  )
  const page = await readStoryPage(member, story.key)
  assert.deepEqual(
    [page.runs[0]?.key, page.decisions[0]?.key, page.decisions[0]?.runKey],
    [run.key, decision.key, run.key],
  )
  assert.ok(page.missing.length > 0)
})
