import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { testDatabase } from '../../../test/database.ts'
import { aMember, aTeam, aWorkspace } from '../../../test/factories.ts'
import { proposed } from '../../../test/requirements.ts'
import type { ProposedStory } from '../../proposed-story.ts'
import { change, housekeeping } from '../../record/audit/change.ts'
import { listAudit } from '../../record/audit/list.ts'
import { editStory, type StoryEdit } from './edit.ts'
import { fileStory } from './file.ts'
import { readStory } from './read.ts'
import { readStoryPage } from './read-page.ts'
import { updateStory } from './store.ts'

const database = await testDatabase()
after(() => database.close())

async function aFiledStory(story: ProposedStory = proposed(), draft = true) {
  const workspace = await aWorkspace(database.db)
  const team = await aTeam(workspace)
  const member = await aMember(workspace, 'member')
  const { id, key } = await change(member, async (tx) => {
    const filed = await fileStory(member, tx, team, story, { column: 'refining', draft })
    return {
      value: filed,
      audit: {
        event: 'story_changed',
        team: team.slug,
        entity: { type: 'draft', id: filed.key },
        details: { change: 'drafted' },
      },
    }
  })
  return { workspace, member, team, id, key }
}

test('an edit changes what is given, leaves the rest, and says how ready the story is now', async () => {
  const { member, key } = await aFiledStory(proposed({ demonstrate: null, size: null }))
  assert.equal(fromJson(await readStory(member, key)).readinessScore, 65)
  const readiness = await editStory(member, key, {
    size: 'm',
    complexity: 'high',
    classOfService: 'expedite',
  })
  assert.deepEqual(readiness, {
    score: 75,
    missing: ['a Demonstrate step: a command, or at least five words on how a person can see that it works'],
  })
  const story = fromJson(await readStory(member, key))
  assert.deepEqual(
    [story.readinessScore, story.size, story.complexity, story.classOfService, story.title],
    [75, 'm', 'high', 'expedite', 'Show the delivery window'],
  )
  assert.equal((await editStory(member, key, { demonstrate: 'Open an order and read it.' })).score, 100)
  assert.equal((await editStory(member, key, { size: null })).score, 90)
})

test('the entry has the person, and before and after of what changed', async () => {
  const { workspace, member, team, key } = await aFiledStory()
  await editStory(member, key, { title: 'Show the delivery  day', size: 's', demonstrate: '' })
  const [entry] = (await listAudit(workspace, {}, { limit: 1, after: null })).data.map(fromJson)
  assert.equal(entry?.event, 'story_changed')
  assert.equal(entry?.team, team.slug)
  assert.equal(entry?.actor.userId, member.personId)
  assert.deepEqual(entry?.entity, { type: 'draft', id: key, name: 'Show the delivery day' })
  assert.deepEqual(entry?.details.changes, [
    { field: 'title', before: 'Show the delivery window', after: 'Show the delivery day' },
    { field: 'demonstrate', before: 'Open an order that is on its way and read the window.', after: null },
    { field: 'readinessScore', before: 100, after: 75 },
  ])
})

test('a criterion whose text stays keeps its id and result; a new text is a new one, not verified', async () => {
  const { member, id, key } = await aFiledStory(
    proposed({ acceptanceCriteria: ['One is shown.', 'Two is.'] }),
  )
  const before = fromJson(await readStory(member, key)).acceptanceCriteria
  assert.deepEqual(
    before.map((criterion) => [criterion.id, criterion.status]),
    [
      ['ac-1', 'unverified'],
      ['ac-2', 'unverified'],
    ],
  )
  const passed = before.map((criterion) => ({ ...criterion, status: 'passed' as const }))
  await housekeeping(database.db, 'test', (tx) =>
    updateStory(tx, member.workspaceId, id, { acceptanceCriteria: passed }, new Date()),
  )
  await editStory(member, key, { acceptanceCriteria: ['Three is shown.', 'Two is.', 'One is printed.'] })
  const { acceptanceCriteria } = fromJson(await readStory(member, key))
  assert.deepEqual(
    acceptanceCriteria.map((criterion) => [criterion.id, criterion.text, criterion.status]),
    [
      ['ac-3', 'Three is shown.', 'unverified'],
      ['ac-2', 'Two is.', 'passed'],
      ['ac-4', 'One is printed.', 'unverified'],
    ],
  )
})

test('the tracker is the source of title and description; the rest of its story can be edited', async () => {
  const { member, id, key } = await aFiledStory(proposed(), false)
  const tracker = { platform: 'pretend', key: 'SHOP-7', url: 'https://tracker.example.com/issues/SHOP-7' }
  await housekeeping(database.db, 'test', (tx) =>
    updateStory(tx, member.workspaceId, id, { tracker }, new Date()),
  )
  for (const edit of [
    { title: 'Another title here' },
    { description: 'Something else.', size: 'xl' as const },
  ])
    await assert.rejects(editStory(member, key, edit), {
      code: 'conflict',
      message: /SHOP-7.*Change it there/,
    })
  // What is there already is no change.
  await editStory(member, key, { title: proposed().title, size: 'xl' })
  assert.equal(fromJson(await readStory(member, key)).size, 'xl')
})

test('an edit that changes nothing is a conflict', async () => {
  const { member, key } = await aFiledStory()
  await assert.rejects(editStory(member, key, {}), { code: 'conflict' })
  await assert.rejects(editStory(member, key, { ...proposed() }), { code: 'conflict' })
})

test('what a field cannot take is refused by its name', async () => {
  const { member, key } = await aFiledStory()
  const wrong: [StoryEdit, RegExp][] = [
    [{ title: ' \0 ' }, /title is empty/],
    [{ title: 'x'.repeat(201) }, /title is longer than 200/],
    [{ description: 'x'.repeat(50_001) }, /description is longer than 50,000/],
    [{ acceptanceCriteria: ['fine', ''] }, /acceptanceCriteria 2 is empty/],
    [{ acceptanceCriteria: ['x'.repeat(1_001)] }, /acceptanceCriteria 1 is longer than 1,000/],
    [{ acceptanceCriteria: Array.from({ length: 31 }, () => 'x') }, /acceptanceCriteria has 31 entries/],
    [{ demonstrate: 'x'.repeat(10_001) }, /demonstrate is longer than 10,000/],
    [{ size: 'huge' as 'xl' }, /size must be one of xs, s, m, l, xl/],
    [{ complexity: 'none' as 'low' }, /complexity must be one of/],
    [{ classOfService: null as unknown as 'standard' }, /classOfService must be one of/],
  ]
  for (const [edit, message] of wrong)
    await assert.rejects(editStory(member, key, edit), { code: 'invalid_request', message })
})

test('text that the database could not store is stored without what it cannot take', async () => {
  const { member, key } = await aFiledStory()
  await editStory(member, key, {
    title: 'Half \ud800 a letter\0',
    acceptanceCriteria: ['half \udfff', 'nul \0 is'],
  })
  const story = fromJson(await readStory(member, key))
  assert.equal(story.title, 'Half \ufffd a letter')
  assert.deepEqual(
    story.acceptanceCriteria.map(({ text }) => text),
    ['half \ufffd', 'nul  is'],
  )
})

test('another workspace’s story is not there', async () => {
  const { key } = await aFiledStory()
  const stranger = await aMember(await aWorkspace(database.db), 'owner')
  await assert.rejects(editStory(stranger, key, { size: 'l' }), { code: 'story_not_found' })
})

test('of edits at the same time none is lost', async () => {
  const { member, key } = await aFiledStory()
  await Promise.all([
    editStory(member, key, { size: 'xl' }),
    editStory(member, key, { complexity: 'high' }),
    editStory(member, key, { title: 'Show the delivery hour' }),
  ])
  const story = fromJson(await readStory(member, key))
  assert.deepEqual([story.size, story.complexity, story.title], ['xl', 'high', 'Show the delivery hour'])
})

test('a test plan is kept with the story, can be changed and taken away, and is no part of readiness or REST', async () => {
  const { member, key } = await aFiledStory(proposed({ testPlan: 'Try an empty order.' }))
  const before = await readStoryPage(member, key)
  assert.deepEqual([before.testPlan, before.readinessScore], ['Try an empty order.', 100])
  assert.ok(!('testPlan' in fromJson(await readStory(member, key))))
  await editStory(member, key, { testPlan: 'Try an order of yesterday.' })
  assert.equal((await readStoryPage(member, key)).testPlan, 'Try an order of yesterday.')
  const { score } = await editStory(member, key, { testPlan: '' })
  assert.deepEqual([(await readStoryPage(member, key)).testPlan, score], [null, 100])
})
