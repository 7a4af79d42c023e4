import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Issue } from '../../domain/ports/tracker.ts'
import { readStoryMirror } from '../../domain/reach/mirror/read.ts'
import { sweepTeam } from '../../domain/reach/mirror/sweep.ts'
import { createStory } from '../../domain/work/stories/create.ts'
import { editStory } from '../../domain/work/stories/edit.ts'
import { placeStory } from '../../domain/work/stories/place.ts'
import { readStoryPage } from '../../domain/work/stories/read-page.ts'
import { TestClock } from '../../test/clock.ts'
import { testDatabase } from '../../test/database.ts'
import type { Double } from '../../test/doubles/double.ts'
import { GithubDouble } from '../../test/doubles/github.ts'
import { GithubIssues } from '../../test/doubles/github-issues.ts'
import { GitlabDouble } from '../../test/doubles/gitlab.ts'
import { GitlabIssues } from '../../test/doubles/gitlab-issues.ts'
import { JiraDouble } from '../../test/doubles/jira.ts'
import { JiraIssues } from '../../test/doubles/jira-issues.ts'
import { LinearDouble } from '../../test/doubles/linear.ts'
import { LinearIssues } from '../../test/doubles/linear-issues.ts'
import { Witness } from '../../test/doubles/published/witness.ts'
import { aPolicy } from '../../test/factories.ts'
import { aBoundTeam, type Bound } from '../../test/tools/bound-team.ts'
import { callerFor } from '../connections/call.ts'
import { trackersFor } from './index.ts'

const database = await testDatabase()
const doubles: Double[] = []
/** What is asked and answered here is held against what the tools publish. */
const witness = new Witness()
after(async () => {
  await Promise.all(doubles.map((double) => double.stop()))
  await database.close()
})

const ready = [
  'The window is shown too late, and people miss the slot that they booked yesterday.',
  '## Acceptance criteria',
  '- [ ] The window is shown on the first screen\n- [ ] A booked slot can be changed until noon',
  '## Demonstrate',
  'Open the page, book a slot, and change it.',
  '## Sizing',
  '- Size: M',
].join('\n\n')

/** What a person sees and does over there, in the words of no tool. */
interface There {
  bound: Bound
  double: Double
  open(title: string, body: string, isReady: boolean): string
  retitle(id: string, title: string): void
  /** Other words, wherever they are: in the description, or in our part. */
  reword(id: string, from: string, to: string): void
  /** Closed without being done. */
  dismiss(id: string): void
  remove(id: string): void
  block(id: string, by: string): void
  finish(id: string): void
  /** From now on the tool answers as if there were no such project, until `double.mend`. */
  hide(): void
  seen(id: string): { title: string; text: string; place: string; comments: string[] }
  count(): number
  isReady: string
  isDone: string
}

const started = async <D extends Double>(double: D): Promise<D> => {
  doubles.push(await double.start())
  return double
}

const tools: Record<string, (clock: TestClock) => Promise<There>> = {
  async GitHub(clock) {
    const double = await started(new GithubDouble())
    witness.github(double)
    double.addToken('ghp_right', { login: 'signalbox-bot' })
    const { id } = double.addRepository('halden/web')
    const over = new GithubIssues(double, 'halden/web', clock)
    return {
      bound: {
        ...{ kind: 'github', url: double.url, credentials: { token: 'ghp_right' }, account: 'signalbox-bot' },
        project: { id: `${id}`, key: 'halden/web' },
      },
      double,
      open: (title, body, isReady) =>
        `${over.open({ title, body, labels: isReady ? ['signalbox:ready'] : [] })}`,
      retitle: (number, title) => over.edit(Number(number), { title }),
      reword(number, from, to) {
        const { body } = over.get(Number(number))
        over.edit(Number(number), { body: body!.replace(from, to) })
      },
      dismiss: (number) => over.edit(Number(number), { state: 'closed', state_reason: 'not_planned' }),
      remove: (number) => over.edit(Number(number), { gone: 'deleted' }),
      block: (number, by) => over.block(Number(number), Number(by)),
      finish: (number) => over.edit(Number(number), { state: 'closed', state_reason: 'completed' }),
      hide: () => hide(double, { status: 404, json: { message: 'Not Found' } }),
      seen(number) {
        const { title, body, state, labels, comments } = over.get(Number(number))
        const place = state === 'closed' ? 'closed' : (labels[0]?.name ?? 'open')
        return { title, text: body ?? '', place, comments: comments.map((one) => one.body) }
      },
      count: () => over.issues.size,
      isReady: 'signalbox:ready',
      isDone: 'closed',
    }
  },
  async GitLab(clock) {
    const double = await started(new GitlabDouble())
    witness.gitlab(double)
    double.addToken('glpat_right', { username: 'signalbox' })
    const project = double.addProject('halden/web')
    const over = new GitlabIssues(double, project, clock)
    return {
      bound: {
        ...{ kind: 'gitlab', url: double.url, credentials: { token: 'glpat_right' }, account: 'signalbox' },
        project: { id: `${project.id}`, key: 'halden/web' },
      },
      double,
      open: (title, description, isReady) =>
        `${over.open({ title, description, labels: isReady ? ['workflow::ready'] : [] })}`,
      retitle: (iid, title) => over.edit(Number(iid), { title }),
      reword(iid, from, to) {
        const { description } = over.get(Number(iid))
        over.edit(Number(iid), { description: description!.replace(from, to) })
      },
      dismiss: (iid) => over.edit(Number(iid), { state: 'closed', moved_to_id: 9 }),
      remove: (iid) => over.edit(Number(iid), { isDeleted: true }),
      block: (iid, by) => over.block(Number(iid), Number(by)),
      finish: (iid) => over.edit(Number(iid), { state: 'closed' }),
      hide: () => hide(double, { status: 404, json: { message: '404 Project Not Found' } }),
      seen(iid) {
        const { title, description, state, labels, notes } = over.get(Number(iid))
        const place = state === 'closed' ? 'closed' : (labels[0] ?? 'opened')
        return { title, text: description ?? '', place, comments: notes.map((one) => one.body) }
      },
      count: () => over.issues.size,
      isReady: 'workflow::ready',
      isDone: 'closed',
    }
  },
  Jira: (clock) => jira(clock, { email: 'bot@example.com', token: 'right' }),
  'Jira Data Center': (clock) => jira(clock, { token: 'right' }),
  async Linear(clock) {
    const double = await started(new LinearDouble())
    witness.linear(double)
    double.addKey('lin_api_right')
    const team = double.addTeam('WEB', 'Web')
    const over = new LinearIssues(double, team, clock)
    return {
      bound: {
        ...{ kind: 'linear', url: double.url, credentials: { token: 'lin_api_right' }, account: 'bot' },
        project: { id: team.id, key: 'WEB' },
      },
      double,
      open: (title, description, isReady) =>
        over.open({ title, description, stateId: isReady ? 'state-todo' : 'state-backlog' }),
      retitle: (id, title) => over.edit(id, { title }),
      reword(id, from, to) {
        const { description } = over.get(id)
        over.edit(id, { description: description!.replace(from, to) })
      },
      dismiss: (id) => over.edit(id, { stateId: 'state-canceled' }),
      remove: (id) => over.edit(id, { trashed: true }),
      block: (id, by) => over.block(id, by),
      finish: (id) => over.edit(id, { stateId: 'state-done' }),
      hide() {
        const missing = { message: 'Entity not found: Team', extensions: { type: 'invalid input' } }
        hide(double, { json: { data: null, errors: [missing] } })
      },
      seen(id) {
        const { title, description, stateId } = over.get(id)
        const comments = [...over.comments.values()].filter(({ issueId }) => issueId === id)
        return { title, text: description ?? '', place: stateId, comments: comments.map(({ body }) => body) }
      },
      count: () => over.issues.size,
      isReady: 'state-todo',
      isDone: 'state-done',
    }
  },
}

const hide = (double: Double, fault: Parameters<Double['fail']>[0]) =>
  double.fail(fault, { times: 10_000, when: /repos|projects|project\/|issue|search|graphql/ })

async function jira(clock: TestClock, credentials: { email?: string; token: string }): Promise<There> {
  const double = await started(new JiraDouble())
  double.addAccount(credentials)
  const project = double.addProject('WEB', 'Web')
  const over = new JiraIssues(double, project, clock)
  over.workflow = { 1: ['2', '5'], 2: ['1', '3', '5'], 3: ['2', '4', '5'], 4: ['3', '5'], 5: ['1'] }
  return {
    bound: {
      ...{ kind: 'jira', url: double.url, credentials, account: credentials.email ?? 'signalbox' },
      project: { id: project.id, key: 'WEB' },
    },
    double,
    open: (summary, body, isReady) =>
      over.open({
        summary,
        description: body.replaceAll('## ', 'h2. ').replaceAll('- [ ]', '*').replaceAll('- ', '* '),
        status: isReady ? '2' : '1',
      }),
    retitle: (id, summary) => over.edit(id, { summary }),
    reword(id, from, to) {
      const { description, comments } = over.get(id)
      over.edit(id, {
        description: description?.replace(from, to) ?? null,
        comments: comments.map((one) => ({ ...one, body: one.body.replace(from, to) })),
      })
    },
    dismiss: (id) => over.edit(id, { status: '5', resolution: "Won't Do" }),
    remove: (id) => void over.issues.delete(id),
    block: (id, by) => over.block(id, by),
    finish: (id) => over.edit(id, { status: '5', resolution: 'Done' }),
    hide: () =>
      hide(double, { status: 404, json: { errorMessages: ['No project could be found.'], errors: {} } }),
    seen(id) {
      const { summary, description, status, comments } = over.get(id)
      const block = comments.find(({ body }) => body.startsWith('h3. Signalbox story'))
      return {
        title: summary,
        text: `${description ?? ''}\n${block?.body ?? ''}`,
        place: status,
        comments: comments.filter((one) => one !== block).map(({ body }) => body),
      }
    },
    count: () => over.issues.size,
    isReady: '2',
    isDone: '5',
  }
}

for (const [name, make] of Object.entries(tools)) {
  describe(name, () => {
    const onTool = async () => {
      let there: There | undefined
      const team = await aBoundTeam(database.db, async (clock) => {
        there = await make(clock)
        return there.bound
      })
      return { ...team, there: there! }
    }
    const connectionOf = (it: Awaited<ReturnType<typeof onTool>>) => ({
      ...{ id: it.connectionId, workspaceId: it.workspace.workspaceId, name },
      ...{ kind: it.there.bound.kind, baseUrl: it.there.bound.url },
      ...{ credentials: it.there.bound.credentials, account: it.there.bound.account },
    })

    test('both ways: an issue becomes a story, edits and moves go there, theirs come here', async () => {
      const it = await onTool()
      const id = it.there.open('Show the delivery window', ready, true)
      await it.sweep()
      const [story] = await it.stories()
      assert.deepEqual([story?.column.role, story?.readinessScore, story?.size], ['ready', 100, 'm'])
      it.clock.forward(60_000)
      await editStory(it.member, story!.key, {
        title: 'Show the window',
        acceptanceCriteria: ['The window is shown in the morning', 'It is gone in the evening'],
      })
      await placeStory(it.member, story!.key, 'done')
      await it.settle()
      assert.deepEqual(await it.dueEffects(), [])
      const seen = it.there.seen(id)
      assert.deepEqual([seen.title, seen.place], ['Show the window', it.there.isDone])
      assert.match(seen.text, /The window is shown in the morning/)
      it.clock.forward(60_000)
      it.there.retitle(id, 'Show it')
      await it.sweep()
      const [after] = await it.stories()
      assert.deepEqual([after?.title, after?.column.role], ['Show it', 'done'])
      const page = await readStoryMirror(it.member, story!.key)
      assert.notEqual(page?.inStepSince, null)
      assert.deepEqual(page?.conflicts, [])
      const wrote = (await it.entries('tracker_written')).map(({ details }) => details.wrote)
      assert.deepEqual(wrote, ['edited', 'status'])
    })

    test('a test plan is in the block, edited here or there, and stays as it was written', async () => {
      const it = await onTool()
      const id = it.there.open('Show the delivery window', ready, true)
      await it.sweep()
      const { key } = (await it.stories())[0]!
      const plan = '1. Book a slot\n2. Change it **late**\n\n## Odd cases\n\n* A slot in the past\n* No slot'
      await editStory(it.member, key, { testPlan: plan })
      await it.settle()
      assert.match(it.there.seen(id).text, /Test plan\n+(1\.|#) Book a slot/)
      const planOf = async () => (await readStoryPage(it.member, key)).testPlan
      it.clock.forward(60_000)
      it.there.retitle(id, 'Show it')
      await it.sweep()
      assert.equal((await it.stories())[0]?.title, 'Show it')
      assert.equal(await planOf(), plan, 'what the tool makes of our marks is no edit')
      assert.deepEqual(await it.dueEffects(), [])
      it.clock.forward(60_000)
      it.there.reword(id, 'A slot in the past', 'A slot of last week')
      await it.sweep()
      assert.match((await planOf()) ?? '', /^1\. Book a slot\n[\s\S]*[-*] A slot of last week/)
      assert.deepEqual((await readStoryMirror(it.member, key))?.conflicts, [])
      await editStory(it.member, key, { testPlan: null })
      await it.settle()
      assert.doesNotMatch(it.there.seen(id).text, /Book a slot\n/)
      assert.equal(await planOf(), null)
    })

    test('a story created here is one issue there, also when no one heard that it was created', async () => {
      const it = await onTool()
      await it.sweep()
      await createStory(it.member, it.team.slug, { title: 'Made here', description: 'Because.', size: 's' })
      it.there.double.fail('half', { when: /POST .*\/(issues?|graphql)$/ })
      await it.settle()
      it.clock.forward(60_000)
      await it.settle()
      assert.equal(it.there.count(), 1)
      await it.sweep()
      const stories = await it.stories()
      assert.deepEqual(
        stories.map(({ title, size, tracker }) => [title, size, tracker !== null]),
        [['Made here', 's', true]],
      )
      assert.deepEqual(await it.dueEffects(), [])
    })

    test('an issue of ours is found again, however many were created since', async () => {
      const it = await onTool()
      const tracker = it.services.trackers[it.there.bound.kind as 'github']
      const at = { connection: connectionOf(it), project: it.there.bound.project, label: null }
      const create = (wish: string, look: boolean) =>
        tracker.create(at, { token: tracker.token(wish), title: wish, description: '', block: '', look })
      it.there.double.fail('half', { when: /POST .*\/(issues?|graphql)$/ })
      await assert.rejects(create('ours', false))
      for (let count = 0; count < 101; count += 1) await create(`other ${count}`, false)
      const { title } = await create('ours', true)
      assert.deepEqual([title, it.there.count()], ['ours', 102])
    })

    test('a comment is added once, however many there are, and then changed', async () => {
      const it = await onTool()
      const id = it.there.open('An idea', '', false)
      const tracker = it.services.trackers[it.there.bound.kind as 'github']
      const at = { connection: connectionOf(it), project: it.there.bound.project, label: null }
      const token = tracker.token('milestones/1')
      const others = Array.from({ length: 101 }, (_, n) => tracker.token(`others/${n}`))
      for (const other of others)
        await tracker.comment(at, id, { token: other, text: 'Talk', ref: null, look: false })
      it.there.double.fail('half', { when: /POST .*(comments?|notes|graphql)$/ })
      await assert.rejects(tracker.comment(at, id, { token, text: 'Working', ref: null, look: false }))
      const ref = await tracker.comment(at, id, { token, text: 'Working', ref: null, look: true })
      await tracker.comment(at, id, { token, text: 'Done', ref, look: false })
      const { comments } = it.there.seen(id)
      assert.equal(comments.length, 102)
      assert.match(comments.at(-1)!, /^Done/)
    })

    test('an issue that an open one blocks is not started, says so, and is once the other is closed', async () => {
      const it = await onTool()
      const first = it.there.open('Lay the ground', '', false)
      it.clock.forward(60_000)
      const id = it.there.open('Show the window', ready, true)
      it.there.block(id, first)
      await aPolicy(it.workspace, it.team)
      await it.sweep()
      await it.settle()
      const stories = await it.stories()
      const key = (title: string) => stories.find((story) => story.title === title)!
      const { tracker } = key('Lay the ground')
      const held = async () =>
        (await readStoryPage(it.member, key('Show the window').key, [])).heldBy.map(({ by, reason }) => [
          by,
          reason,
        ])
      assert.deepEqual([await held(), it.orders.length], [[['blocked', `Blocked by ${tracker!.key}.`]], 0])
      it.there.finish(first)
      await it.sweep()
      await it.settle()
      assert.deepEqual(
        it.orders.map(({ story }) => story.title),
        ['Show the window'],
      )
    })

    test('what blocks an issue is known before its story is started, wherever it stands there, or it waits', async () => {
      const it = await onTool()
      const first = it.there.open('Lay the ground', '', false)
      it.clock.forward(60_000)
      const id = it.there.open('Show the window', ready, false)
      await aPolicy(it.workspace, it.team)
      await it.sweep()
      await it.settle()
      const { key } = (await it.stories()).find(({ title }) => title === 'Show the window')!
      const held = async () =>
        (await readStoryPage(it.member, key, [])).heldBy.map(({ by, reason }) => [by, reason])
      it.there.block(id, first)
      // What the tool doesn't show with the issue can't be read just now.
      const links = /\/(links|blocked_by)$/
      it.there.double.fail({ status: 404, json: { message: '404 Not Found' } }, { when: links, times: 100 })
      await placeStory(it.member, key, 'ready')
      await it.settle()
      assert.equal(it.orders.length, 0)
      assert.equal((await held())[0]?.[0], 'blocked')
      it.there.double.mend()
      await it.sweep()
      await it.settle()
      assert.deepEqual([it.orders.length, /^Blocked by /.test((await held())[0]?.[1] ?? '')], [0, true])
      it.there.finish(first)
      await it.sweep()
      await it.settle()
      assert.equal(it.orders.length, 1)
    })

    test('an issue that is dismissed or deleted leaves', async () => {
      const it = await onTool()
      const [one, two] = ['One', 'Two'].map((title) => it.there.open(title, '', false))
      await it.sweep()
      it.clock.forward(60_000)
      it.there.dismiss(one!)
      it.there.remove(two!)
      await it.sweep()
      it.clock.forward(24 * 3_600_000)
      await it.sweep()
      const left: (Issue['left'] | undefined)[] = []
      const stories = (await it.stories()).sort((a, b) => a.title.localeCompare(b.title))
      for (const { key } of stories) left.push((await readStoryMirror(it.member, key))?.left)
      assert.deepEqual(left, [it.there.bound.kind === 'gitlab' ? 'moved' : 'closed', 'deleted'])
    })

    test('a project that is hidden from us has lost no issue', async () => {
      const it = await onTool()
      const id = it.there.open('One', '', false)
      await it.sweep()
      await it.settle()
      const [story] = await it.stories()
      it.clock.forward(60_000)
      await editStory(it.member, story!.key, { title: 'Another' })
      it.there.hide()
      await it.settleDue()
      const left = async () => (await readStoryMirror(it.member, story!.key))?.left
      const waiting = async () => (await it.dueEffects()).filter(({ kind }) => kind === 'write_issue').length
      assert.deepEqual([await left(), await waiting()], [null, 1], 'it waits')
      it.there.double.mend()
      it.clock.forward(2 * 60_000)
      await it.settleDue()
      assert.deepEqual([await left(), await waiting()], [null, 0])
      assert.equal(it.there.seen(id).title, 'Another')
    })

    for (const hours of [-2, 2])
      test(`the clock of the tool is ${Math.abs(hours)} hours ${hours < 0 ? 'behind' : 'ahead'}: no change is missed, none is taken twice`, async () => {
        let there: There | undefined
        const it = await aBoundTeam(database.db, async (clock) => {
          const theirs = { now: () => new Date(clock.now().getTime() + hours * 3_600_000) }
          there = await make(theirs as TestClock)
          return there.bound
        })
        const [one, two] = ['One', 'Two'].map((title) => there!.open(title, 'Because.', false))
        await it.sweep()
        it.clock.forward(60_000)
        there!.retitle(one!, 'One, changed')
        await it.sweep()
        it.clock.forward(3 * 3_600_000)
        there!.retitle(two!, 'Two, changed')
        await it.sweep()
        await it.sweep()
        const titles = (await it.stories()).map(({ title }) => title).sort()
        assert.deepEqual(titles, ['One, changed', 'Two, changed'])
        assert.equal((await it.entries('story_changed')).length, 4, 'two filed, two changed')
        assert.deepEqual(await it.dueEffects(), [])
      })

    test('limits of the tool wait outside of the call', async () => {
      const it = await onTool()
      it.there.open('An idea', '', false)
      const limited = {
        github: { status: 429, headers: { 'retry-after': '120' }, json: { message: 'too many' } },
        gitlab: { status: 429, headers: { 'retry-after': '120' }, text: 'Retry later' },
        jira: { status: 429, headers: { 'retry-after': '120', 'ratelimit-reason': 'jira-burst-based' } },
        linear: {
          status: 400,
          json: { errors: [{ message: 'limit', extensions: { code: 'RATELIMITED' } }] },
        },
        slack: { status: 429 },
      }[it.there.bound.kind]
      it.there.double.fail(limited)
      await it.sweep()
      const calls = it.there.double.asked.length
      assert.deepEqual(await it.stories(), [])
      it.clock.forward(30_000)
      assert.equal(await sweepTeam(it.service, it.services, it.team.id), false)
      assert.equal(it.there.double.asked.length, calls)
      await it.sweep()
      assert.equal((await it.stories()).length, 1)
    })
  })
}

test('Linear: a new issue gets the label of its own team, or the workspace’s, and never another team’s', async () => {
  const clock = new TestClock()
  const double = await started(new LinearDouble())
  double.addKey('lin_api_right')
  const [team, other] = [double.addTeam('WEB', 'Web'), double.addTeam('OPS', 'Operations')]
  const over = new LinearIssues(double, team, clock)
  const tracker = trackersFor(callerFor({ allow: ['127.0.0.1'], clock }), clock).linear
  const at = {
    connection: {
      ...{
        id: 'c',
        workspaceId: 'w',
        kind: 'linear' as const,
        name: 'Linear',
        baseUrl: double.url,
        account: 'bot',
      },
      credentials: { token: 'lin_api_right' },
    },
    ...{ project: { id: team.id, key: 'WEB' }, label: 'agents' },
  } as const
  const made = async (title: string) => {
    const wish = { token: tracker.token(title), title, description: '', block: '', look: false }
    const { id, fits } = await tracker.create(at, wish)
    return [over.get(id).labelIds, fits]
  }
  over.label('Agents', other.id)
  assert.deepEqual(await made('Nobody has it'), [[], false])
  over.label('Agents', null, true)
  const shared = over.label('Agents', null)
  assert.deepEqual(await made('The workspace has it'), [[shared], true])
  const own = over.label('agents', team.id)
  assert.deepEqual(await made('The team has it'), [[own], true])
  const { issues } = await tracker.changed(at, null)
  assert.deepEqual(issues.map(({ title }) => title).toSorted(), ['The team has it', 'The workspace has it'])
})

test('Linear: what blocks an issue is found behind any number of relations', async () => {
  const clock = new TestClock()
  const double = await started(new LinearDouble())
  double.addKey('lin_api_right')
  const team = double.addTeam('WEB', 'Web')
  const over = new LinearIssues(double, team, clock)
  const tracker = trackersFor(callerFor({ allow: ['127.0.0.1'], clock }), clock).linear
  const at = {
    connection: {
      ...{ id: 'c', workspaceId: 'w', kind: 'linear' as const, name: 'Linear', baseUrl: double.url },
      ...{ account: 'bot', credentials: { token: 'lin_api_right' } },
    },
    ...{ project: { id: team.id, key: 'WEB' }, label: null },
  }
  const [id, first] = [over.open({ title: 'Show the window' }), over.open({ title: 'Lay the ground' })]
  const blockedBy = async () => (await tracker.fetch(at, id))!.blockedBy
  for (let count = 0; count < 300; count += 1) over.relate(id, first, 'related')
  assert.equal(await blockedBy(), 'some', 'a list that was cut says nothing')
  assert.deepEqual(await tracker.blockers!(at, id), [])
  over.block(id, first)
  assert.deepEqual(await tracker.blockers!(at, id), ['WEB-2'])
  over.edit(first, { stateId: 'state-done' })
  assert.deepEqual(await tracker.blockers!(at, id), [])
})

test('GitHub, GitLab and Linear: all that was asked and answered above is what their descriptions take', async () => {
  assert.deepEqual(await witness.complaints(), [])
})
