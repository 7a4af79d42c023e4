import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Wake } from '../../../infra/jobs/queue.ts'
import { PretendTracker } from '../../../integrations/trackers/pretend.ts'
import { TestClock } from '../../../test/clock.ts'
import { testDatabase } from '../../../test/database.ts'
import { aMember, aTeam, aWorkspace } from '../../../test/factories.ts'
import { aSplitter, proposed } from '../../../test/requirements.ts'
import { tables } from '../../../test/tables.ts'
import { asService } from '../../context.ts'
import { deleteTeam } from '../../engine/lifecycle/delete-team.ts'
import type { Split } from '../../ports/splitter.ts'
import type { Trackers } from '../../ports/tracker.ts'
import { writeStory } from '../../reach/mirror/write-story.ts'
import { change } from '../../record/audit/change.ts'
import { listAudit } from '../../record/audit/list.ts'
import { type Performers, performEffect } from '../../record/outbox/perform.ts'
import { editStory } from '../stories/edit.ts'
import { placeStory } from '../stories/place.ts'
import { readStory } from '../stories/read.ts'
import { answerQuestions } from './answer-questions.ts'
import { approveDraft } from './approve-draft.ts'
import { listRequirementRows } from './list-rows.ts'
import { readRequirement } from './read.ts'
import { readRequirementPage } from './read-page.ts'
import { rejectDraft } from './reject-draft.ts'
import { submitRequirement } from './submit.ts'
import { submitAcceptedProposal } from './submit-accepted-proposal.ts'
import { writeDrafts } from './write-drafts.ts'

/** No team here is bound to a project. */
const noProject = { trackers: {} as Trackers, secrets: { decrypt: () => '' }, publicUrl: () => '' }

const database = await testDatabase()
after(() => database.close())

/** A requirement whose drafts are approved, and an engine that is moved by hand. */
async function approved(count = 1) {
  const clock = new TestClock()
  const wakes: Wake[] = []
  const queue = { send: async (_: Tx, wake: Wake) => void wakes.push(wake), committed: () => {} }
  const workspace = { ...(await aWorkspace(database.db, clock)), queue }
  const team = await aTeam(workspace)
  const member = await aMember(workspace, 'member')
  const drafts = Array.from({ length: count }, (_, index) => proposed({ title: `Show the window ${index}` }))
  const { slug, drafts: keys } = fromJson(
    await submitRequirement(member, aSplitter({ drafts, notes: [] }), { team: team.slug, text: 'Window' }),
  )
  for (const key of keys) await approveDraft(member, key)

  const tracker = new PretendTracker()
  const service = asService(workspace, workspace.workspaceId)
  const performers = { write_story: writeStory(noProject, tracker) } as Partial<Performers> as Performers
  const effects = () =>
    tables(database.db)
      .selectFrom('effects')
      .select(['id', 'kind', 'key', 'attempts', 'done_at', 'last_error'])
      .where('workspace_id', '=', workspace.workspaceId)
      .orderBy('id')
      .execute()
  const perform = (id: string) => performEffect(service, id, performers)
  const written = async () =>
    (await listAudit(workspace, { event: 'story_written' }, { limit: 10, after: null })).data.map(fromJson)
  const status = async () => fromJson(await readRequirement(member, slug)).status
  return {
    clock,
    wakes,
    workspace,
    team,
    member,
    slug,
    keys,
    key: keys[0]!,
    tracker,
    service,
    effects,
    perform,
    written,
    status,
  }
}

test('an approved story is written: an issue, the story in Ready with its tracker, and an entry of the person who had it written', async () => {
  const { wakes, workspace, team, member, slug, key, tracker, effects, perform, written, status } =
    await approved()
  assert.deepEqual(await writeDrafts(member, tracker, slug), [key])
  const [asked] = (await listAudit(workspace, {}, { limit: 1, after: null })).data.map(fromJson)
  assert.equal(asked?.event, 'story_changed')
  assert.equal(asked?.actor.userId, member.personId)
  assert.deepEqual(asked?.details, {
    channel: 'app',
    change: 'write_ordered',
    requirement: slug,
  })
  assert.equal(tracker.issues.size, 0, 'nothing is awaited while somebody waits')

  const [effect] = await effects()
  const { id } = fromJson(await readStory(member, key))
  assert.deepEqual([effect?.kind, effect?.key], ['write_story', `write_story/${id}`])
  await perform(effect!.id)

  const issue = tracker.issues.get(effect!.key)!
  assert.equal(issue.title, 'Show the window 0')
  assert.equal(
    issue.body,
    [
      proposed().description,
      '## Acceptance criteria',
      proposed()
        .acceptanceCriteria.map((text) => `- [ ] ${text}`)
        .join('\n'),
      '## Demonstrate',
      proposed().demonstrate,
    ].join('\n\n'),
  )
  const story = fromJson(await readStory(member, key))
  assert.equal(story.column.role, 'ready')
  assert.deepEqual(story.tracker, { platform: 'pretend', key: issue.key, url: issue.url })
  assert.match(issue.url, /^https:\/\/tracker\.example\.com\//)
  assert.deepEqual(wakes.at(-1), { task: 'team', workspaceId: workspace.workspaceId, id: team.id })

  const [entry] = await written()
  assert.deepEqual(entry?.actor, { type: 'human', name: 'A member', userId: member.personId })
  assert.equal(entry?.team, team.slug)
  assert.deepEqual(entry?.entity, { type: 'story', id: key, name: 'Show the window 0' })
  assert.deepEqual(entry?.details, {
    channel: 'app',
    requirement: slug,
    trackerKey: issue.key,
    url: issue.url,
    changes: [{ field: 'column', before: 'backlog', after: 'ready' }],
  })
  assert.equal(await status(), 'closed')
  await assert.rejects(editStory(member, key, { title: 'Another title here' }), { code: 'conflict' })
})

test('however often it is performed, there is one issue and one entry', async () => {
  const { clock, workspace, member, slug, tracker, effects, perform, written } = await approved()
  await writeDrafts(member, tracker, slug)
  await writeDrafts(member, tracker, slug)
  const asked = (await listAudit(workspace, {}, { limit: 10, after: null })).data
    .map(fromJson)
    .filter(({ details }) => details.change === 'write_ordered')
  assert.equal(asked.length, 1, 'what was asked before is no change')
  const all = await effects()
  assert.equal(all.length, 1, 'the same wish is one effect')
  await Promise.all([perform(all[0]!.id), perform(all[0]!.id)])
  clock.forward(3_600_000)
  await perform(all[0]!.id)
  assert.equal(tracker.issues.size, 1)
  assert.equal((await written()).length, 1)
})

test('a node that dies after the call makes it again, and there is still one issue', async () => {
  const { clock, service, member, slug, key, tracker, effects, perform, written } = await approved()
  await writeDrafts(member, tracker, slug)
  const [effect] = await effects()
  // The call was made; that it was made was never written.
  const { id } = fromJson(await readStory(member, key))
  await writeStory(noProject, tracker)(service, {
    id: effect!.id,
    workspaceId: service.workspaceId,
    runId: null,
    kind: 'write_story',
    key: effect!.key,
    data: { storyId: id },
    attempts: 1,
    parkedBy: null,
  })
  assert.equal(tracker.issues.size, 1)
  clock.forward(60_000)
  await perform(effect!.id)
  assert.equal(tracker.issues.size, 1)
  assert.equal((await written()).length, 1)
})

test('a tracker that fails is tried again until it works', async () => {
  const { clock, member, slug, key, tracker, effects, perform, written, status } = await approved()
  await writeDrafts(member, tracker, slug)
  const { id } = (await effects())[0]!
  tracker.fail(2)
  await assert.rejects(perform(id), /is not responding/)
  await perform(id)
  assert.equal((await effects())[0]?.attempts, 1, 'not before its time')
  clock.forward(5_000)
  await assert.rejects(perform(id), /is not responding/)
  assert.match((await effects())[0]?.last_error ?? '', /is not responding/)
  assert.equal(await status(), 'drafted')
  assert.deepEqual(await written(), [])
  clock.forward(10_000)
  await perform(id)
  const [effect] = await effects()
  assert.deepEqual([effect?.attempts, effect?.last_error], [3, null])
  assert.equal(fromJson(await readStory(member, key)).column.role, 'ready')
  assert.equal((await written()).length, 1)
})

test('nothing approved is nothing to write, and another workspace’s requirement is not there', async () => {
  const { workspace, team, member, slug, effects, perform, tracker } = await approved()
  await writeDrafts(member, tracker, slug)
  await perform((await effects())[0]!.id)
  await assert.rejects(writeDrafts(member, tracker, slug), {
    code: 'conflict',
    message: /Approve a draft first/,
  })
  const splitter = aSplitter({ drafts: [proposed()], notes: [] })
  const unapproved = fromJson(await submitRequirement(member, splitter, { team: team.slug, text: 'Later' }))
  await assert.rejects(writeDrafts(member, tracker, unapproved.slug), { code: 'conflict' })
  await assert.rejects(writeDrafts(await aWorkspace(database.db), tracker, slug), {
    code: 'requirement_not_found',
  })
  assert.equal(
    (await listRequirementRows(workspace, { team: team.slug }, { limit: 9, after: null })).data.length,
    2,
  )
})

test('without a tracker approved drafts become stories here, immediately, in the name of the person who asked', async () => {
  const { wakes, workspace, team, member, slug, keys, effects, written, status } = await approved(2)
  assert.deepEqual(await writeDrafts(member, null, slug), keys)
  assert.deepEqual(await effects(), [], 'nobody is asked for an issue')
  for (const key of keys) {
    const story = fromJson(await readStory(member, key))
    assert.deepEqual([story.column.role, story.draft, story.tracker], ['ready', false, null])
  }
  const entries = await written()
  assert.deepEqual(
    entries.map(({ entity, actor, details }) => [entity.id, actor.userId, details]),
    keys.toReversed().map((key) => [
      key,
      member.personId,
      {
        channel: 'app',
        requirement: slug,
        trackerKey: null,
        changes: [{ field: 'column', before: 'backlog', after: 'ready' }],
      },
    ]),
  )
  assert.deepEqual(wakes.at(-1), { task: 'team', workspaceId: workspace.workspaceId, id: team.id })
  assert.equal(await status(), 'closed')
  const page = await readRequirementPage(member, null, slug)
  assert.equal(page.hasTracker, false)
  assert.deepEqual(
    page.drafts.map(({ state, tracker }) => [state, tracker]),
    [
      ['written', null],
      ['written', null],
    ],
  )
  const [row] = (await listRequirementRows(member, { team: team.slug }, { limit: 1, after: null })).data.map(
    fromJson,
  )
  assert.deepEqual([row?.approved, row?.written], [0, 2])
  await editStory(member, keys[0]!, { title: 'Show another window' })
  await assert.rejects(writeDrafts(member, null, slug), { code: 'conflict' })
})

test('a requirement is closed when its last stories are written at once, and not before', async () => {
  const { member, slug, effects, perform, status, tracker } = await approved(4)
  await writeDrafts(member, tracker, slug)
  const [first, ...others] = await effects()
  await perform(first!.id)
  assert.equal(await status(), 'drafted')
  await Promise.all(others.map(({ id }) => perform(id)))
  assert.equal(await status(), 'closed')
})

test('what is approved is written, while the others wait for a person', async () => {
  const { member, team, effects, perform, tracker } = await approved()
  const splitter = aSplitter({ drafts: [proposed(), proposed({ title: 'Tell the driver' })], notes: [] })
  const { slug, drafts } = fromJson(
    await submitRequirement(member, splitter, { team: team.slug, text: 'Two things' }),
  )
  await approveDraft(member, drafts[0]!)
  assert.deepEqual(await writeDrafts(member, tracker, slug), [drafts[0]])
  await perform((await effects()).at(-1)!.id)
  assert.equal(fromJson(await readRequirement(member, slug)).status, 'drafted')
  await rejectDraft(member, drafts[1]!)
  assert.equal(fromJson(await readRequirement(member, slug)).status, 'closed')
})

test('an accepted proposal becomes a requirement that the service submits', async () => {
  const { service, workspace, team } = await approved()
  const split: Split = { questions: ['Who?'] }
  const effect = {
    id: '00000000-0000-7000-8000-000000000000',
    workspaceId: service.workspaceId,
    runId: null,
    kind: 'submit_requirement',
    key: 'submit_requirement/1',
    data: { team: team.slug, text: `Print labels\n\n${'x'.repeat(30_000)}` },
    attempts: 1,
    parkedBy: null,
  } as const
  const performed = await submitAcceptedProposal(aSplitter(split), { publicUrl: () => '' })(service, effect)
  assert.ok('settle' in performed)
  await change(service, async (tx) => ({ value: null, audit: await performed.settle(tx) }))
  const { data } = await listRequirementRows(workspace, { team: team.slug }, { limit: 1, after: null })
  const requirement = fromJson(await readRequirement(workspace, fromJson(data[0]!).slug))
  assert.match(requirement.slug, /^print-labels-/)
  assert.equal(requirement.text.length, 20_000)
  assert.equal(requirement.status, 'clarifying')
  const [entry] = (await listAudit(workspace, {}, { limit: 1, after: null })).data.map(fromJson)
  assert.deepEqual([entry?.event, entry?.actor.type], ['requirement_submitted', 'service'])
})

test('a story that has left Backlog before its issue was made stays where it is', async () => {
  const { wakes, member, slug, key, tracker, effects, perform, written } = await approved()
  await writeDrafts(member, tracker, slug)
  const [effect] = await effects()
  await placeStory(member, key, 'done')
  wakes.length = 0
  await perform(effect!.id)
  const story = fromJson(await readStory(member, key))
  assert.deepEqual([story.column.role, story.tracker?.key], ['done', tracker.issues.get(effect!.key)!.key])
  assert.deepEqual((await written())[0]?.details.changes, [])
  assert.deepEqual(wakes, [])
})

test('nothing more comes of the requirements of a deleted team', async () => {
  const { workspace, team, member, slug, key, tracker, effects, perform } = await approved()
  await writeDrafts(member, tracker, slug)
  await deleteTeam(workspace, team.slug)
  const [effect] = await effects()
  await perform(effect!.id)
  assert.equal(tracker.issues.size, 0)
  assert.equal(fromJson(await readStory(member, key)).tracker, null)
  await assert.rejects(writeDrafts(member, tracker, slug), { code: 'requirement_not_found' })
  await assert.rejects(answerQuestions(member, aSplitter(), slug, []), { code: 'requirement_not_found' })
})
