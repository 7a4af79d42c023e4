import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { MirrorPage } from '@signalbox/contract/app/mirror.ts'
import type { BoardColumn, StoryPage } from '@signalbox/contract/app/stories.ts'
import { systemClock } from '../../../infra/clock.ts'
import { json } from '../../../test/answers.ts'
import { testApp } from '../../../test/app.ts'
import { GithubDouble } from '../../../test/doubles/github.ts'
import { GithubIssues } from '../../../test/doubles/github-issues.ts'
import { aMember, aTeam, aWorkspace } from '../../../test/factories.ts'
import { signedIn } from '../../../test/signed-in.ts'
import { until } from '../../../test/until.ts'

let app: Awaited<ReturnType<typeof testApp>>
let github: GithubDouble
before(async () => {
  app = await testApp({ env: { CONNECTION_ALLOW: '127.0.0.1' } })
  github = await new GithubDouble().start()
  github.addToken('ghp_good')
})
after(async () => {
  await app.stop()
  await github.stop()
})

test('GitHub connected in the app: issues are imported, a webhook reaches the board, edits go back, and the mapping is confirmed', async () => {
  const workspace = await aWorkspace(app.storage.db)
  const { slug: team } = await aTeam(workspace)
  const admin = await signedIn(app, { ...(await aMember(workspace, 'admin')), slug: workspace.slug })
  const repository = github.addRepository('halden/shop')
  const tracker = new GithubIssues(github, 'halden/shop', systemClock)
  tracker.open({ title: 'Show the delivery window' })
  const { id, hookUrl, webhookSecret } = await json<Record<string, string>>(
    await admin.write('connections.connect', {
      ...{ kind: 'github', name: 'Our GitHub', baseUrl: github.url, credentials: { token: 'ghp_good' } },
    }),
  )
  const project = { id: `${repository.id}`, key: 'halden/shop' }
  await json(await admin.write('teams.bindTracker', { team, tracker: { connection: id, project } }))
  const mirror = async () => json<MirrorPage>(await admin.read('mirror.read', { team }))
  const board = async () =>
    (await json<BoardColumn[]>(await admin.read('stories.board', { team }))).flatMap(({ role, stories }) =>
      stories.map(({ key, title, tracker: issue }) => ({ role, key, title, issue: issue?.key })),
    )
  await until('the import', async () => (await mirror())?.importedAt != null)
  const [first] = await board()
  assert.deepEqual(
    [first?.role, first?.title, first?.issue],
    ['backlog', 'Show the delivery window', 'halden/shop#1'],
  )
  assert.equal((await mirror()).isConfirmed, false)

  // Moved over there: the webhook says so, and nothing of it is believed but which issue it is about.
  tracker.edit(1, { labels: ['signalbox:refining'] })
  const body = JSON.stringify({ ...tracker.delivery(1).body, issue: { number: 1, title: 'A forged title' } })
  const deliver = (signature: string) =>
    fetch(hookUrl!, {
      method: 'POST',
      body,
      headers: {
        ...{ 'content-type': 'application/json', 'x-github-event': 'issues' },
        ...{ 'x-github-delivery': randomUUID(), 'x-hub-signature-256': `sha256=${signature}` },
      },
    })
  assert.equal((await deliver('00')).status, 401)
  const signature = createHmac('sha256', webhookSecret!).update(body).digest('hex')
  assert.ok((await deliver(signature)).ok)
  await until('the board follows', async () => (await board())[0]?.role === 'refining')
  assert.equal((await board())[0]?.title, 'Show the delivery window')
  assert.equal((await mirror()).webhooks, true)

  const read = async () => json<StoryPage>(await admin.read('stories.read', { key: first!.key }))
  const edit = { key: first!.key, readAt: (await read()).updatedAt, title: 'Show the window' }
  await json(await admin.write('stories.edit', edit))
  await until('the issue follows', () => tracker.get(1).title === 'Show the window')
  await until('both agree', async () => (await read()).mirror?.inStepSince != null)

  const { statuses } = await mirror()
  const mapping = Object.fromEntries(statuses.map((one) => [one.id, one.column]))
  for (const wrong of [{ 'a\nb': { an: 'object' } }, { bug: { an: 'object' } }, { bug: 'nowhere' }])
    assert.equal((await admin.write('mirror.map', { team, mapping: { ...mapping, ...wrong } })).status, 400)
  await json(await admin.write('mirror.map', { team, mapping: { ...mapping, bug: 'ready' } }))
  assert.equal((await mirror()).isConfirmed, true)
  tracker.edit(1, { labels: ['bug'] })
  await json(await admin.write('mirror.sweep', { team }))
  await until('the new mapping counts', async () => (await board())[0]?.role === 'ready')

  const { key } = await json<{ key: string }>(
    await admin.write('stories.create', { team, title: 'Made here' }),
  )
  await until('its issue is created', async () =>
    (await board()).some((story) => story.key === key && story.issue === 'halden/shop#2'),
  )
  assert.equal(tracker.get(2).user.login, 'signalbox-bot')
  assert.doesNotMatch(app.log.join('\n'), /ghp_good/)
})

test('without a tracker a person creates a story that is kept here', async () => {
  const workspace = await aWorkspace(app.storage.db)
  const { slug: team } = await aTeam(workspace)
  const member = await signedIn(app, { ...(await aMember(workspace, 'member')), slug: workspace.slug })
  const { key } = await json<{ key: string }>(
    await member.write('stories.create', { team, title: 'Kept here' }),
  )
  const story = await json<StoryPage>(await member.read('stories.read', { key }))
  assert.deepEqual(
    [story.tracker, story.mirror, story.column.role, story.draft],
    [null, null, 'backlog', false],
  )
  assert.equal(await json(await member.read('mirror.read', { team })), null)
})
