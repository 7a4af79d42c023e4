import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { TestClock } from '../../../test/clock.ts'
import { testDatabase } from '../../../test/database.ts'
import { aMember, aStory, aTeam, aWorkspace } from '../../../test/factories.ts'
import { aSplitter, proposed } from '../../../test/requirements.ts'
import type { Context } from '../../context.ts'
import type { ProposedStory } from '../../proposed-story.ts'
import { listAudit } from '../../record/audit/list.ts'
import { editStory } from '../stories/edit.ts'
import { listStories } from '../stories/list.ts'
import { readStory } from '../stories/read.ts'
import { approveDraft } from './approve-draft.ts'
import { readRequirement } from './read.ts'
import { rejectDraft } from './reject-draft.ts'
import { submitRequirement } from './submit.ts'

const database = await testDatabase()
after(() => database.close())

async function drafts(...stories: ProposedStory[]) {
  const workspace = await aWorkspace(database.db, new TestClock())
  const team = await aTeam(workspace)
  const member = await aMember(workspace, 'member')
  const splitter = aSplitter({ drafts: stories, notes: [] })
  const { slug, drafts: keys } = fromJson(
    await submitRequirement(member, splitter, { team: team.slug, text: 'Window' }),
  )
  return { workspace, team, member, slug, keys, key: keys[0]! }
}

const entries = async (ctx: Context, limit: number) =>
  (await listAudit(ctx, {}, { limit, after: null })).data.map(fromJson)

test('a ready draft becomes a story in Backlog, approved by the person who did it', async () => {
  const { workspace, team, member, key } = await drafts(proposed())
  await approveDraft(member, key)
  const story = fromJson(await readStory(member, key))
  assert.deepEqual([story.draft, story.column.role, story.tracker], [false, 'backlog', null])

  const [entry] = await entries(workspace, 1)
  assert.equal(entry?.event, 'story_changed')
  assert.equal(entry?.team, team.slug)
  assert.equal(entry?.actor.userId, member.personId)
  assert.deepEqual(entry?.entity, { type: 'draft', id: key, name: proposed().title })
  assert.deepEqual(entry?.details, {
    channel: 'app',
    change: 'approved',
    changes: [
      { field: 'draft', before: true, after: false },
      { field: 'column', before: 'refining', after: 'backlog' },
    ],
  })
})

test('only a readiness of 100 can be approved; the refusal says what is missing', async () => {
  const { member, key } = await drafts(proposed({ demonstrate: null, size: null }))
  await assert.rejects(approveDraft(member, key), {
    code: 'conflict',
    message: /score of 65; 100 is needed\. Missing: a Demonstrate step.*; a size\./,
  })
  await editStory(member, key, { demonstrate: 'Open the order page and read it.' })
  await assert.rejects(approveDraft(member, key), { code: 'conflict', message: /score of 90/ })
  await editStory(member, key, { size: 'm' })
  await approveDraft(member, key)
})

test('of many who approve a draft at once, one does', async () => {
  const { workspace, member, key } = await drafts(proposed())
  const all = await Promise.allSettled(Array.from({ length: 8 }, () => approveDraft(member, key)))
  assert.equal(all.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const refused of all.filter(({ status }) => status === 'rejected'))
    assert.equal((refused as PromiseRejectedResult).reason.code, 'conflict')
  const approved = (await entries(workspace, 50)).filter(({ details }) => details.change === 'approved')
  assert.equal(approved.length, 1)
  await assert.rejects(approveDraft(member, key), { code: 'conflict', message: /already approved/ })
})

test('of one who approves and one who rejects at once, one wins', async () => {
  const { member, key } = await drafts(proposed())
  const all = await Promise.allSettled([approveDraft(member, key), rejectDraft(member, key)])
  assert.equal(all.filter(({ status }) => status === 'fulfilled').length, 1)
})

test('a rejected draft is nowhere to be found, and its key is not given again', async () => {
  const { workspace, team, member, slug, keys } = await drafts(
    proposed(),
    proposed({ title: 'Tell the driver' }),
  )
  await rejectDraft(member, keys[0]!, ' we have that already ')
  const [entry] = await entries(workspace, 1)
  assert.equal(entry?.actor.userId, member.personId)
  assert.deepEqual(entry?.entity, { type: 'draft', id: keys[0], name: proposed().title })
  assert.equal(entry?.details.change, 'rejected')
  assert.equal(entry?.details.note, 'we have that already')
  assert.deepEqual(entry?.details.changes, [{ field: 'rejectedAt', before: null, after: entry?.timestamp }])

  await assert.rejects(readStory(member, keys[0]!), { code: 'story_not_found' })
  await assert.rejects(editStory(member, keys[0]!, { size: 'xl' }), { code: 'story_not_found' })
  await assert.rejects(approveDraft(member, keys[0]!), { code: 'story_not_found' })
  await assert.rejects(rejectDraft(member, keys[0]!), { code: 'story_not_found' })
  const page = await listStories(member, { team: team.slug, drafts: true }, { limit: 10, after: null })
  assert.deepEqual(
    page.data.map((story) => fromJson(story).key),
    [keys[1]],
  )
  assert.deepEqual(fromJson(await readRequirement(member, slug)).drafts, [keys[1]])
  assert.equal((await aStory(workspace, team)).key, `${team.keyPrefix}-3`)
})

test('a requirement is closed when its last draft is rejected', async () => {
  const { member, slug, keys } = await drafts(proposed(), proposed())
  await rejectDraft(member, keys[0]!)
  assert.equal(fromJson(await readRequirement(member, slug)).status, 'drafted')
  await rejectDraft(member, keys[1]!)
  assert.equal(fromJson(await readRequirement(member, slug)).status, 'closed')
})

test('a story is no draft, and another workspace’s draft is not there', async () => {
  const { workspace, team, member, key } = await drafts(proposed())
  const story = await aStory(workspace, team)
  await assert.rejects(approveDraft(member, story.key), { code: 'conflict', message: /not a draft/ })
  await assert.rejects(rejectDraft(member, story.key), { code: 'conflict', message: /not a draft/ })
  const stranger = await aWorkspace(database.db)
  await assert.rejects(approveDraft(stranger, key), { code: 'story_not_found' })
  await assert.rejects(rejectDraft(stranger, key), { code: 'story_not_found' })
})
