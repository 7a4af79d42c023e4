import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import fc from 'fast-check'
import { sql } from 'kysely'
import { testDatabase } from '../../../test/database.ts'
import { GithubDouble } from '../../../test/doubles/github.ts'
import { GithubIssues } from '../../../test/doubles/github-issues.ts'
import { goesWell } from '../../../test/engine/engine.ts'
import { aPolicy, aTeam } from '../../../test/factories.ts'
import { aSplitter, proposed } from '../../../test/requirements.ts'
import { tables } from '../../../test/tables.ts'
import { aBoundTeam, aConnection, type BoundTeam, bindTeam } from '../../../test/tools/bound-team.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { listDecisions } from '../../work/decisions/list.ts'
import { approveDraft } from '../../work/requirements/approve-draft.ts'
import { readRequirementPage } from '../../work/requirements/read-page.ts'
import { submitRequirement } from '../../work/requirements/submit.ts'
import { writeDrafts } from '../../work/requirements/write-drafts.ts'
import { readRun } from '../../work/runs/read.ts'
import { createStory } from '../../work/stories/create.ts'
import { editStory } from '../../work/stories/edit.ts'
import { placeStory } from '../../work/stories/place.ts'
import { readStoryPage } from '../../work/stories/read-page.ts'
import { readMirror, readStoryMirror } from './read.ts'
import { settleConflict } from './settle-conflict.ts'
import { sweepTeam } from './sweep.ts'

const database = await testDatabase()
const doubles: GithubDouble[] = []
after(async () => {
  await Promise.all(doubles.map((double) => double.stop()))
  await database.close()
})

const repository = 'halden/web'
const bot = 'signalbox-bot'

/** A team bound to a repository of a GitHub on this machine. */
async function onGithub(): Promise<BoundTeam & { github: GithubDouble; tracker: GithubIssues }> {
  const github = await new GithubDouble().start()
  doubles.push(github)
  github.addToken('ghp_right', { login: bot })
  const { id } = github.addRepository(repository)
  let tracker: GithubIssues | undefined
  const team = await aBoundTeam(database.db, async (clock) => {
    tracker = new GithubIssues(github, repository, clock)
    return {
      kind: 'github',
      url: github.url,
      credentials: { token: 'ghp_right' },
      account: bot,
      project: { id: `${id}`, key: repository },
    }
  })
  return { ...team, github, tracker: tracker! }
}

const ready = `The window is shown too late, and people miss the slot that they booked yesterday.

## Acceptance criteria

- [ ] The window is shown on the first screen
- [ ] A booked slot can be changed until noon

## Demonstrate

Open the page, book a slot, and change it.

## Sizing

- Size: M
`

test('issues become stories: title, description, criteria, Demonstrate and column come from the tracker', async () => {
  const it = await onGithub()
  it.tracker.open({ title: 'Show the delivery window', body: ready, labels: ['signalbox:ready'] })
  it.tracker.open({ title: 'An idea', labels: ['bug'] })
  it.tracker.edit(it.tracker.open({ title: 'Long done' }), { state: 'closed' })
  assert.equal(await it.sweep(), true)
  const [first, second, ...none] = await it.stories()
  assert.deepEqual(none, [], 'what is closed when it is first seen is no work')
  assert.equal(first?.column.role, 'ready')
  assert.equal(first?.readinessScore, 100)
  assert.equal(first?.size, 'm')
  assert.deepEqual(first?.tracker, {
    platform: 'github',
    key: 'halden/web#1',
    url: `${it.github.url}/halden/web/issues/1`,
  })
  const story = await it.story('halden/web#1')
  assert.deepEqual(
    story?.acceptanceCriteria.map(({ text }) => text),
    ['The window is shown on the first screen', 'A booked slot can be changed until noon'],
  )
  assert.equal(second?.column.role, 'backlog')
  assert.ok(
    it.wakes.some(({ task, id }) => task === 'team' && id === it.team.id),
    'the team is told of what is Ready',
  )
  const mirror = await readMirror(it.member, it.team.slug)
  assert.deepEqual([mirror?.imported, mirror?.importedAt !== null, mirror?.lastError], [2, true, null])
  assert.equal((await it.entries('story_changed')).length, 2)
})

test('a sweep that finds nothing costs one request, and GitHub does not count it', async () => {
  const it = await onGithub()
  it.tracker.open({ title: 'An idea' })
  for (let round = 0; round < 3; round += 1) await it.sweep()
  const before = it.github.asked.length
  await it.sweep()
  assert.equal(it.github.asked.length, before + 1)
  assert.ok(it.github.asked.at(-1)?.headers['if-none-match'])
})

test('two nodes that sweep at once file each issue once', async () => {
  const it = await onGithub()
  for (let number = 0; number < 5; number += 1) it.tracker.open({ title: `Issue ${number}` })
  const swept = await Promise.all([
    sweepTeam(it.service, it.services, it.team.id),
    sweepTeam(it.service, it.services, it.team.id),
  ])
  assert.deepEqual(swept.filter(Boolean).length, 1)
  assert.equal((await it.stories()).length, 5)
  const heard = await Promise.all([1, 2, 1].map((number) => it.handleWebhook(it.tracker.delivery(number))))
  assert.equal(heard.length, 3)
  assert.equal((await it.stories()).length, 5)
})

test('an issue that is bound twice is the story of one team', async () => {
  const it = await onGithub()
  const other = await aTeam(it.workspace)
  const again = await aConnection(it.workspace, {
    kind: 'github',
    url: it.github.url,
    credentials: { token: 'ghp_right' },
    account: bot,
  })
  const project = { id: `${it.github.repositories[0]!.id}`, key: repository }
  await bindTeam(it.workspace, other.id, again, { project })
  it.tracker.open({ title: 'An idea' })
  await Promise.all([it.sweep(), sweepTeam(it.service, it.services, other.id)])
  await it.sweep()
  await sweepTeam(it.service, it.services, other.id)
  const { entries } = it
  assert.equal((await entries('story_changed')).length, 1)
})

test('an edit here is written there, in our block, with its entry; its echo changes nothing', async () => {
  const it = await onGithub()
  it.tracker.open({ title: 'An idea', body: 'Because.' })
  await it.sweep()
  const { key } = (await it.story('halden/web#1'))!
  it.clock.forward(5_000)
  await editStory(it.member, key, { title: 'A better idea', acceptanceCriteria: ['It works in the evening'] })
  const writing = await readStoryMirror(it.member, key)
  assert.deepEqual([writing?.inStepSince, writing?.isWriting], [null, true])
  await it.settle()
  const issue = it.tracker.get(1)
  assert.equal(issue.title, 'A better idea')
  assert.match(issue.body!, /^Because\.\n\n<!-- signalbox:story -->/)
  assert.match(issue.body!, /- \[ \] It works in the evening/)
  const written = await it.entries('tracker_written')
  assert.deepEqual(
    written.map(({ details }) => details.fields),
    [['title', 'acceptanceCriteria']],
  )
  assert.equal(written[0]?.actor.type, 'human')
  const calls = it.github.asked.length
  assert.equal(await it.handleWebhook(it.tracker.delivery(1)), 'halden/web#1: known already.')
  assert.equal(it.github.asked.length, calls + 1)
  assert.equal((await it.story('halden/web#1'))?.title, 'A better idea')
  assert.notEqual((await readStoryMirror(it.member, key))?.inStepSince, null)
})

test('people edit the block over there, and the story follows', async () => {
  const it = await onGithub()
  it.tracker.open({ title: 'An idea', body: 'Because.' })
  await it.sweep()
  const { key } = (await it.story('halden/web#1'))!
  await editStory(it.member, key, { acceptanceCriteria: ['It works in the evening'], size: 's' })
  await it.settle()
  it.clock.forward(60_000)
  const body = it.tracker
    .get(1)
    .body!.replace('It works in the evening', 'It works at night')
    .replace('Size: S', 'Size: L')
  it.tracker.edit(1, { body })
  await it.handleWebhook(it.tracker.delivery(1))
  const story = (await it.story('halden/web#1'))!
  assert.deepEqual([story.acceptanceCriteria[0]?.text, story.size], ['It works at night', 'l'])
  assert.equal(story.description, 'Because.')
})

/** As it was written down before test plans were in trackers. */
const forgetPlan = (it: BoundTeam) =>
  housekeeping(database.db, 'an older version wrote it', (tx) =>
    sql`
      update mirrored_stories set base = base - 'testPlan' where workspace_id = ${it.workspace.workspaceId}
    `.execute(tables(tx)),
  )
const planOf = async (it: BoundTeam) =>
  (await readStoryPage(it.member, (await it.story('halden/web#1'))!.key)).testPlan

for (const [there, kept] of [
  ['', 'Try it at night.'],
  ['\n\n## Test plan\n\nTheirs.', 'Try it at night.'],
] as const)
  test(`a test plan from before trackers had them is written there, ${there ? 'beside one in the description' : 'where there is none'}: no conflict, nothing erased`, async () => {
    const it = await onGithub()
    it.tracker.open({ title: 'An idea', body: `Because.${there}` })
    await it.sweep()
    const { key } = (await it.story('halden/web#1'))!
    await editStory(it.member, key, { testPlan: 'Try it at night.' })
    await housekeeping(database.db, 'nobody has written it there', (tx) =>
      sql`
        update effects set due_at = null where workspace_id = ${it.workspace.workspaceId}
      `.execute(tables(tx)),
    )
    await forgetPlan(it)
    it.clock.forward(60_000)
    it.tracker.edit(1, { title: 'A better idea' })
    await it.sweep()
    assert.deepEqual((await readStoryMirror(it.member, key))?.conflicts, [])
    assert.equal(await planOf(it), kept)
    await it.settle()
    assert.match(it.tracker.get(1).body!, /### Test plan\n\nTry it at night\./)
    await it.sweep()
    assert.equal(await planOf(it), kept)
    assert.notEqual((await readStoryMirror(it.member, key))?.inStepSince, null)
    assert.deepEqual(await it.dueEffects(), [])
  })

test('a story without a test plan from before trackers had them: nothing is written, and a plan over there is taken', async () => {
  const it = await onGithub()
  it.tracker.open({ title: 'An idea', body: 'Because.' })
  await it.sweep()
  await forgetPlan(it)
  it.clock.forward(60_000)
  it.tracker.edit(1, { title: 'A better idea' })
  await it.sweep()
  assert.deepEqual(await it.dueEffects(), [])
  await forgetPlan(it)
  it.clock.forward(60_000)
  it.tracker.edit(1, { body: 'Because.\n\n## Test plan\n\nTheirs.' })
  await it.sweep()
  assert.equal(await planOf(it), 'Theirs.')
  assert.deepEqual(await it.dueEffects(), [])
})

test('what both sides edited is not overwritten: the tracker’s is kept, ours is shown, and a person settles it', async () => {
  const it = await onGithub()
  it.tracker.open({ title: 'An idea', body: 'Because.' })
  await it.sweep()
  const { key } = (await it.story('halden/web#1'))!
  it.clock.forward(60_000)
  it.tracker.edit(1, { title: 'Theirs' })
  await editStory(it.member, key, { title: 'Ours', size: 'xs' })
  await it.settle()
  assert.equal(it.tracker.get(1).title, 'Theirs')
  assert.match(it.tracker.get(1).body!, /Size: XS/, 'what only we changed is written')
  assert.equal((await it.story('halden/web#1'))?.title, 'Theirs')
  const mirror = await readStoryMirror(it.member, key)
  assert.deepEqual(mirror?.conflicts, [{ field: 'title', ours: 'Ours', theirs: 'Theirs' }])
  await assert.rejects(settleConflict(it.member, 'NO-1', 'ours'), { code: 'story_not_found' })
  await settleConflict(it.member, key, 'ours')
  await it.settle()
  await assert.rejects(settleConflict(it.member, key, 'ours'), { code: 'conflict' })
  assert.equal(it.tracker.get(1).title, 'Ours')
  assert.deepEqual((await readStoryMirror(it.member, key))?.conflicts, [])
})

test('an older version of an issue never overwrites a newer one', async () => {
  const it = await onGithub()
  it.tracker.open({ title: 'First' })
  await it.sweep()
  it.clock.forward(60_000)
  it.tracker.edit(1, { title: 'Second' })
  const old = { ...it.tracker.get(1), title: 'First', updated_at: '2026-11-16T08:00:30Z' }
  await it.handleWebhook(it.tracker.delivery(1))
  const now = it.tracker.get(1)
  it.tracker.issues.set(1, old)
  await it.handleWebhook(it.tracker.delivery(1))
  assert.equal((await it.story('halden/web#1'))?.title, 'Second')
  it.tracker.issues.set(1, now)
})

test('a column is moved over there by its label, and Done closes the issue', async () => {
  const it = await onGithub()
  it.tracker.open({ title: 'Show the delivery window', body: ready, labels: ['bug'] })
  await it.sweep()
  const { key } = (await it.story('halden/web#1'))!
  await placeStory(it.member, key, 'ready')
  await it.settle()
  assert.deepEqual(it.tracker.labelsOf(1), ['bug', 'signalbox:ready'])
  await placeStory(it.member, key, 'done')
  await it.settle()
  assert.deepEqual([it.tracker.get(1).state, it.tracker.get(1).state_reason], ['closed', 'completed'])
  const written = await it.entries('tracker_written')
  assert.deepEqual(
    written.map(({ details }) => [details.wrote, details.after]),
    [
      ['status', 'ready'],
      ['status', 'done'],
    ],
  )
  it.clock.forward(60_000)
  it.tracker.edit(1, { state: 'open', labels: ['signalbox:refining'] })
  await it.sweep()
  assert.equal((await it.story('halden/web#1'))?.column.role, 'refining', 'reopened over there')
})

test('an issue that was closed unfinished, transferred or deleted: the story is back in Backlog and says why', async () => {
  const it = await onGithub()
  for (const title of ['One', 'Two', 'Three']) it.tracker.open({ title, labels: ['signalbox:refining'] })
  await it.sweep()
  it.clock.forward(60_000)
  it.tracker.edit(1, { state: 'closed', state_reason: 'not_planned' })
  it.tracker.edit(2, { gone: 'deleted' })
  it.tracker.edit(3, { gone: { movedTo: 'halden/other/issues/9' } })
  await it.sweep()
  await it.handleWebhook(it.tracker.delivery(2, 'deleted'))
  // No webhook reports the third: the daily look for missing issues finds it.
  it.clock.forward(24 * 3_600_000)
  await it.sweep()
  const states = []
  for (const story of await it.stories()) {
    const mirror = await readStoryMirror(it.member, story.key)
    states.push([story.title, story.column.role, mirror?.left])
  }
  assert.deepEqual(states, [
    ['One', 'backlog', 'closed'],
    ['Two', 'backlog', 'deleted'],
    ['Three', 'backlog', 'deleted'],
  ])
  const left = (await it.entries('story_changed')).filter(({ details }) => details.change === 'issue_left')
  assert.equal(left.length, 3)
})

test('a story created here becomes one issue, whatever fails in between, and the mirror knows it', async () => {
  const it = await onGithub()
  await it.sweep()
  const { key } = await createStory(it.member, it.team.slug, { title: 'Made here', description: 'Because.' })
  // The issue is created but the response is lost; then the sweep sees the issue before it is recorded here.
  it.github.fail('half', { when: /POST .*\/issues$/ })
  const [effect] = await it.dueEffects()
  await assert.rejects(it.perform(effect!.id))
  assert.equal(it.tracker.issues.size, 1)
  await it.sweep()
  assert.equal((await it.stories()).length, 1)
  await it.settle()
  assert.equal(it.tracker.issues.size, 1)
  const [story] = await it.stories()
  assert.deepEqual([story?.key, story?.tracker?.key, story?.column.role], [key, 'halden/web#1', 'backlog'])
  assert.equal((await it.entries('story_written')).length, 1)
  assert.equal((await it.entries('tracker_written')).length, 1)
  assert.equal((await it.story('halden/web#1'))?.description, 'Because.')
})

test('an approved draft is written as one Ready issue, with story_written and tracker_written', async () => {
  const it = await onGithub()
  await it.sweep()
  const splitter = aSplitter({ drafts: [proposed({ title: 'Show the delivery window' })], notes: [] })
  const { slug, drafts } = fromJson(
    await submitRequirement(it.member, splitter, { team: it.team.slug, text: 'Window' }),
  )
  await approveDraft(it.member, drafts[0]!)
  assert.deepEqual(await writeDrafts(it.member, null, slug), drafts)
  assert.equal((await readRequirementPage(it.member, null, slug)).hasTracker, true)
  it.github.fail('none', { when: /POST/ })
  await it.settle()
  it.clock.forward(60_000)
  await it.settle()
  assert.equal(it.tracker.issues.size, 1)
  assert.deepEqual(it.tracker.labelsOf(1), ['signalbox:ready'])
  assert.match(it.tracker.get(1).body!, /### Acceptance criteria/)
  const [written, ...more] = await it.entries('story_written')
  assert.deepEqual(
    [written?.details.trackerKey, written?.actor.type, more.length],
    ['halden/web#1', 'human', 0],
  )
  const wrote = (await it.entries('tracker_written')).map(({ details }) => details.wrote)
  assert.deepEqual(wrote, ['created', 'status'])
})

test('killed between a write and its record: nothing is written twice, and it is in the log once', async () => {
  const it = await onGithub()
  it.tracker.open({ title: 'An idea' })
  await it.sweep()
  const { key } = (await it.story('halden/web#1'))!
  await editStory(it.member, key, { title: 'A better idea' })
  it.github.fail('half', { when: /PATCH/ })
  const [effect] = await it.dueEffects()
  await assert.rejects(it.perform(effect!.id))
  assert.equal(it.tracker.get(1).title, 'A better idea', 'it was written, and nobody knows')
  it.clock.forward(60_000)
  // The webhook sees it first.
  await it.handleWebhook(it.tracker.delivery(1))
  await it.settle()
  assert.equal(it.github.asked.filter(({ method }) => method === 'PATCH').length, 1)
  assert.equal((await it.entries('tracker_written')).length, 1)
  assert.deepEqual(await it.dueEffects(), [])
})

test('a tool that says we called too often is left alone by everybody until then, and people are told', async () => {
  const it = await onGithub()
  it.tracker.open({ title: 'An idea' })
  await it.sweep()
  const { key } = (await it.story('halden/web#1'))!
  await editStory(it.member, key, { title: 'A better idea' })
  it.github.fail({
    status: 403,
    headers: { 'retry-after': '1800' },
    json: { message: 'secondary rate limit' },
  })
  const [effect] = await it.dueEffects()
  await assert.rejects(it.perform(effect!.id), /called too often/)
  const calls = it.github.asked.length
  await it.sweep()
  assert.equal(it.github.asked.length, calls, 'not even the sweep calls it')
  const page = await readMirror(it.member, it.team.slug)
  assert.match(page?.lastError ?? '', /asked us to wait until/)
  assert.match((await readStoryMirror(it.member, key))?.trouble ?? '', /called too often/)
  it.clock.forward(1_800_000)
  await it.settle()
  assert.equal(it.tracker.get(1).title, 'A better idea')
})

test('a tool that is away for an hour: people are told, it is not hammered, and what waited is written once', async () => {
  const it = await onGithub()
  it.tracker.open({ title: 'An idea' })
  it.tracker.open({ title: 'Another' })
  await it.sweep()
  const { key } = (await it.story('halden/web#1'))!
  await editStory(it.member, key, { title: 'A better idea' })
  await createStory(it.member, it.team.slug, { title: 'Made here', description: 'Because.' })
  it.github.fail('none', { times: 40 })
  it.github.fail({ status: 503, text: '<html>' }, { times: 1_000 })
  const before = it.github.asked.length
  for (let minute = 0; minute < 60; minute += 1) {
    it.clock.forward(60_000)
    await sweepTeam(it.service, it.services, it.team.id)
    await it.settleDue()
  }
  const calls = it.github.asked.length - before
  assert.ok(calls > 5 && calls < 40, `${calls} calls in an hour`)
  assert.match((await readMirror(it.member, it.team.slug))?.lastError ?? '', /GitHub/)
  assert.match((await readStoryMirror(it.member, key))?.trouble ?? '', /GitHub/)
  it.github.mend()
  it.tracker.edit(2, { title: 'Changed while it was away' })
  it.clock.forward(3_600_000)
  await it.settle()
  await it.sweep()
  assert.equal((await readMirror(it.member, it.team.slug))?.lastError, null)
  const titles = (await it.stories()).map(({ title }) => title).sort()
  assert.deepEqual(titles, ['A better idea', 'Changed while it was away', 'Made here'])
  assert.equal(it.tracker.get(1).title, 'A better idea')
  assert.equal(it.tracker.issues.size, 3, 'what was created here is one issue')
  assert.deepEqual(await it.dueEffects(), [])
})

test('a token that was revoked over there is said on the team and the story, and all goes on once it is replaced', async () => {
  const it = await onGithub()
  it.tracker.open({ title: 'An idea' })
  await it.sweep()
  const { key } = (await it.story('halden/web#1'))!
  it.github.tokens.clear()
  await editStory(it.member, key, { title: 'A better idea' })
  await it.sweep()
  await it.settle()
  assert.match((await readMirror(it.member, it.team.slug))?.lastError ?? '', /rejected the credentials/)
  assert.match((await readStoryMirror(it.member, key))?.trouble ?? '', /rejected the credentials/)
  it.github.addToken('ghp_right', { login: bot })
  it.clock.forward(3_600_000)
  await it.settle()
  await it.sweep()
  assert.equal(it.tracker.get(1).title, 'A better idea')
  assert.equal((await readMirror(it.member, it.team.slug))?.lastError, null)
})

test('an issue labelled ready is taken, worked on and closed, and one comment tells of it', async () => {
  const it = await onGithub()
  await aPolicy(it.admin, it.team, 'autonomous')
  it.tracker.open({ title: 'Show the delivery window', body: ready, labels: ['signalbox:ready'] })
  await it.sweep()
  await it.settle()
  assert.deepEqual(it.tracker.labelsOf(1), ['signalbox:in-progress'])
  assert.match(it.tracker.get(1).comments[0]?.body ?? '', /is working on \[/)
  // It is merged when it is finished, and main is green.
  await it.report(goesWell.plan, goesWell.change, goesWell.gates, goesWell.finish)
  const story = (await it.story('halden/web#1'))!
  assert.equal(story.column.role, 'done')
  const issue = it.tracker.get(1)
  assert.deepEqual([issue.state, issue.state_reason, issue.comments.length], ['closed', 'completed', 1])
  const run = story.runKeys[0]!
  assert.match(issue.comments[0]!.body, /finished work/)
  assert.match(issue.comments[0]!.body, /Pull request: \[#7\]\(https:\/\/git\.example\.com\/pull\/7\)/)
  assert.ok(issue.comments[0]!.body.includes(`/runs/${run}`), 'with the evidence')
  const before = (await it.entries('story_changed')).length
  await it.sweep()
  assert.equal(
    (await it.entries('story_changed')).length,
    before,
    'the echo of our own writes changes nothing',
  )
})

test('a closed issue still gives its story title and description', async () => {
  const it = await onGithub()
  for (const title of ['One', 'Two', 'Three']) it.tracker.open({ title })
  await it.sweep()
  const next = () => it.clock.forward(1_000)
  next()
  // Both between two sweeps.
  it.tracker.edit(1, { title: 'One, renamed', state: 'closed', state_reason: 'not_planned' })
  await it.sweep()
  assert.equal((await it.story('halden/web#1'))?.title, 'One, renamed')
  assert.equal((await it.entries('story_changed')).length, 4, 'left, and renamed, in one entry')
  next()
  it.tracker.edit(1, { title: 'One, renamed again', body: 'What it is about.' })
  await it.sweep()
  const story = (await it.story('halden/web#1'))!
  assert.deepEqual([story.title, story.description], ['One, renamed again', 'What it is about.'])
  assert.deepEqual(
    [story.column.role, (await readStoryMirror(it.member, story.key))?.left],
    ['backlog', 'closed'],
  )
  assert.equal((await it.entries('story_changed')).length, 5)
  // Both sides at once: the tracker's counts, ours is shown.
  next()
  await editStory(it.member, story.key, { title: 'One, as we call it' })
  it.tracker.edit(1, { title: 'One, as they call it' })
  await it.sweep()
  assert.equal((await it.story('halden/web#1'))?.title, 'One, as they call it')
  assert.deepEqual((await readStoryMirror(it.member, story.key))?.conflicts, [
    { field: 'title', ours: 'One, as we call it', theirs: 'One, as they call it' },
  ])
  await it.settle()
  assert.equal(it.tracker.get(1).title, 'One, as they call it', 'nothing is written to a closed issue')
  next()
  it.tracker.edit(1, { state: 'open', state_reason: 'reopened', labels: ['signalbox:ready'] })
  await it.sweep()
  const back = (await it.story('halden/web#1'))!
  assert.deepEqual([back.title, back.column.role], ['One, as they call it', 'ready'])
})

for (const policy of ['stop', 'finish'] as const)
  test(`an issue closed while a run works on it: whenIssueLeaves ${policy}`, async () => {
    const it = await onGithub()
    await aPolicy(it.admin, it.team, 'supervised', { whenIssueLeaves: policy })
    it.tracker.open({ title: 'Show the delivery window', body: ready, labels: ['signalbox:ready'] })
    await it.sweep()
    await it.settle()
    await it.report(goesWell.plan)
    const page = { limit: 1, after: null }
    const decision = async () => fromJson((await listDecisions(it.member, {}, page)).data[0]!)
    assert.equal((await decision()).status, 'pending')
    assert.match(it.tracker.get(1).comments[0]!.body, /A person is asked/)
    it.clock.forward(60_000)
    it.tracker.edit(1, { state: 'closed', state_reason: 'not_planned' })
    await it.handleWebhook(it.tracker.delivery(1, 'closed'))
    await it.settle()
    const { key, runKeys, column } = (await it.story('halden/web#1'))!
    const { status } = fromJson(await readRun(it.member, runKeys[0]!))
    const mirror = await readStoryMirror(it.member, key)
    assert.equal(mirror?.left, 'closed')
    assert.match(mirror?.notice ?? '', /halden\/web#1 was closed without being done in GitHub\./)
    if (policy === 'stop') {
      assert.deepEqual([status, (await decision()).status, column.role], ['stopped', 'cancelled', 'backlog'])
    } else {
      assert.deepEqual(
        [status, (await decision()).status, column.role],
        ['waiting', 'pending', 'in_progress'],
      )
      assert.match(mirror?.notice ?? '', /finishes, as the policy says/)
    }
  })

test('whatever is delivered, repeated, reordered, lost or forged: after a sweep the mirror equals the tracker', async () => {
  const columns = ['signalbox:refining', 'signalbox:ready', 'signalbox:review', null] as const
  const act = fc.oneof(
    fc.record({ do: fc.constant('open' as const), title: fc.string({ minLength: 1, maxLength: 20 }) }),
    fc.record({
      do: fc.constant('title' as const),
      of: fc.nat(6),
      title: fc.string({ minLength: 1, maxLength: 20 }),
    }),
    fc.record({ do: fc.constant('label' as const), of: fc.nat(6), label: fc.constantFrom(...columns) }),
    fc.record({
      do: fc.constant('close' as const),
      of: fc.nat(6),
      reason: fc.constantFrom('completed', 'not_planned'),
    }),
    fc.record({ do: fc.constant('reopen' as const), of: fc.nat(6) }),
    fc.record({ do: fc.constant('deliver' as const), of: fc.nat(8), times: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ do: fc.constant('sweep' as const) }),
    fc.record({
      do: fc.constant('fault' as const),
      fault: fc.constantFrom('half' as const, 'none' as const),
    }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 14 }), async (acts) => {
      const it = await onGithub()
      await it.sweep()
      for (const one of acts) {
        it.clock.forward(1_000)
        const number = 'of' in one ? one.of + 1 : 0
        const exists = it.tracker.issues.has(number)
        if (one.do === 'open') it.tracker.open({ title: `${one.title}.` })
        else if (one.do === 'deliver') {
          // Also of issues that are not there, which a forger or a mistake would name.
          for (let time = 0; time < one.times; time += 1)
            await it.handleWebhook(it.tracker.delivery(number)).catch(() => {})
        } else if (one.do === 'sweep') await it.sweep()
        else if (one.do === 'fault') it.github.fail(one.fault)
        else if (!exists) continue
        else if (one.do === 'title') it.tracker.edit(number, { title: `${one.title}.` })
        else if (one.do === 'label') it.tracker.edit(number, { labels: one.label ? [one.label] : [] })
        else if (one.do === 'close') it.tracker.edit(number, { state: 'closed', state_reason: one.reason })
        else it.tracker.edit(number, { state: 'open', state_reason: 'reopened' })
      }
      // What was to fail has failed by then; one more finds what is left.
      do {
        it.clock.forward(3_600_000)
        await it.sweep()
      } while ((await readMirror(it.member, it.team.slug))?.lastError !== null)
      await it.sweep()
      const mirrored = new Map((await it.stories()).map((story) => [story.tracker!.key, story]))
      for (const issue of it.tracker.issues.values()) {
        const story = mirrored.get(`${repository}#${issue.number}`)
        if (issue.state === 'closed' && !story) continue
        assert.ok(story, `issue ${issue.number} is a story`)
        assert.equal(story.title, issue.title.replace(/\s+/g, ' ').trim())
        const label = issue.labels[0]?.name.replace('signalbox:', '') ?? 'backlog'
        const expected =
          issue.state === 'open' ? label : issue.state_reason === 'completed' ? 'done' : story.column.role
        assert.equal(story.column.role, expected)
      }
      assert.equal(mirrored.size, (await it.stories()).length, 'each issue is one story')
      assert.deepEqual(await it.dueEffects(), [], 'nothing is written to a tracker that nobody changed here')
    }),
    { numRuns: 12 },
  )
})
