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
import { createStory } from './create.ts'
import { editStory } from './edit.ts'
import { fileStory } from './file.ts'
import { listStoryRows } from './list-rows.ts'
import { placeStory } from './place.ts'
import { placeStories } from './place-many.ts'
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

test('several are moved together: each has its own entry, and what cannot go says why', async () => {
  const { member, team } = await aTeamOfAMember()
  const operator = { ...member, actor: { type: 'system', name: 'test' } as const }
  const [free, there, busy] = [
    await aStory(member, team, { column: 'backlog' }),
    await aStory(member, team, { column: 'review' }),
    await aStory(member, team, { column: 'in_progress' }),
  ]
  const run = await aRun(operator, team, busy)
  const keys = [busy.key, free.key, 'NONE-1', there.key, free.key]
  const { moved, refused } = await placeStories(member, keys, 'review')
  assert.deepEqual(moved, [{ key: free.key, from: 'backlog' }])
  assert.deepEqual(refused.map(({ key }) => key).toSorted(), [busy.key, 'NONE-1', there.key].toSorted())
  const reasonOf = (wanted: string) => refused.find(({ key }) => key === wanted)?.reason
  assert.match(reasonOf(busy.key)!, new RegExp(`${run.key}.*Stop it first`))
  assert.match(reasonOf(there.key)!, /already there/)

  const back = await placeStories(member, [free.key, there.key], 'backlog')
  assert.equal(back.moved.length, 2)
  const entries = (await listAudit(operator, { event: 'story_changed' }, { limit: 3, after: null })).data
    .map(fromJson)
    .map(({ entity, actor }) => [entity.id, actor.userId])
  assert.deepEqual(
    entries.toSorted(),
    [free.key, free.key, there.key].map((key) => [key, member.personId]).toSorted(),
  )
})

test('two people who move the same stories at once do not wait for each other forever', async () => {
  const { member, team } = await aTeamOfAMember()
  const keys: string[] = []
  for (let n = 0; n < 8; n += 1) keys.push((await aStory(member, team, { column: 'backlog' })).key)
  const done = await Promise.all([
    placeStories(member, keys, 'review'),
    placeStories(member, keys.toReversed(), 'review'),
  ])
  assert.equal(
    done.reduce((sum, { moved }) => sum + moved.length, 0),
    keys.length,
  )
})

test('a board shows the stories of one person, and is sorted as asked', async () => {
  const { member, team } = await aTeamOfAMember()
  const titles = async (more: object) =>
    (await readBoard(member, { team: team.slug, drafts: false, ...more }))
      .map(fromJson)
      .flatMap(({ stories, total }) => [total, ...stories.map(({ title }) => title)])
      .filter((one) => one !== 0)
  await aStory(member, team, { column: 'backlog', title: 'First', readinessScore: 40 })
  const { key } = await createStory(member, team.slug, { title: 'Second, filed by me' })
  await aStory(member, team, { column: 'backlog', title: 'Third', readinessScore: 90 })
  assert.deepEqual(await titles({ mine: member.personId }), [1, 'Second, filed by me'])
  assert.deepEqual(await titles({}), [3, 'First', 'Second, filed by me', 'Third'])
  assert.deepEqual(await titles({ sort: 'newest' }), [3, 'Third', 'Second, filed by me', 'First'])
  assert.deepEqual((await titles({ sort: 'readiness' })).slice(0, 2), [3, 'Third'])
  await editStory(member, key, { size: 'm' })
  assert.deepEqual((await titles({ sort: 'updated' })).slice(0, 2), [3, 'Second, filed by me'])
  const rows = await listStoryRows(
    member,
    { team: team.slug, drafts: false, mine: member.personId },
    { limit: 5, after: null },
  )
  assert.deepEqual(
    rows.data.map((row) => fromJson(row).key),
    [key],
  )
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
