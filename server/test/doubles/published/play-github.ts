import assert from 'node:assert/strict'
import type { Connection } from '../../../domain/ports/connection.ts'
import { callerFor } from '../../../integrations/connections/call.ts'
import { githubConnector } from '../../../integrations/connections/github.ts'
import { GitHosts } from '../../../integrations/git-hosts/by-repository.ts'
import { createGitProxy } from '../../../integrations/git-hosts/git-proxy.ts'
import { trackersFor } from '../../../integrations/trackers/index.ts'
import { TestClock } from '../../clock.ts'
import { ABareRepository } from '../../engine/bare-repository.ts'
import { GithubPulls } from '../github/pulls.ts'
import { GithubDouble } from '../github.ts'
import { GithubIssues } from '../github-issues.ts'
import { playGitHost } from './play-git-host.ts'
import { playTracker } from './play-tracker.ts'
import type { Witness } from './witness.ts'

const token = 'ghp-tok-do-not-tell-0123456789'

/** Everything that we ask of GitHub, with a token and as an App. */
export async function playGithub(witness: Witness, ending: (() => unknown)[]): Promise<GithubDouble> {
  const double = await new GithubDouble().start()
  const git = new ABareRepository()
  ending.push(
    () => double.stop(),
    () => git.remove(),
  )
  witness.github(double)
  double.addToken(token)
  const pulls = new GithubPulls(double)
  pulls.add('halden/shop', git)
  const [repository] = double.repositories
  const clock = new TestClock(new Date().toISOString())
  const call = callerFor({ allow: ['127.0.0.1'], clock })
  const connection: Connection = {
    ...{ id: 'c', workspaceId: 'w', kind: 'github', name: 'GitHub', baseUrl: double.url },
    ...{ credentials: { token }, account: 'signalbox-bot' },
  }
  const app = await playApps(double, call, connection)
  const issues = new GithubIssues(double, 'halden/shop', clock)
  const at = { connection, project: { id: `${repository!.id}`, key: 'halden/shop' }, label: null }
  await playTracker(trackersFor(call, clock).github, at, {
    ...{ open: () => `${issues.open({ title: 'Lay the ground', labels: ['bug'] })}` },
    block: (id, by) => issues.block(Number(id), Number(by)),
    absent: '999',
  })
  issues.edit(1, { gone: 'deleted' })
  assert.equal(await trackersFor(call, clock).github.fetch(at, '1'), null)
  const connector = githubConnector(call)
  for (const each of [connection, app]) {
    await connector.check(each)
    await connector.projects!(each, 'shop')
    await connector.repositories!(each, '')
    const hook = { url: 'https://box.example.com/hooks/t', secret: 's' }
    const scope = { id: `${repository!.id}`, name: 'halden/shop' }
    for (let time = 0; time < 2; time += 1) await connector.makeWebhook!(each, { ...hook, scope })
    const made = double.hooks.get('halden/shop')![0]!
    for (const id of [made.id, 0]) await double.deliver(id, 'ping', {})
    made.active = false
    const health = await connector.lookAfterHooks!(each, { ...hook, scopes: [scope], since: null })
    assert.equal(health.mended, true)
  }
  await playGitHost({
    ...{ git, kind: 'github', url: double.url, clock },
    hostAs: (credentials) =>
      new GitHosts({
        ...{ local: null as never, open: async () => ({ ...connection, credentials }), call, clock },
        passOn: createGitProxy({ allow: ['127.0.0.1'], clock }),
      }),
    credentials: [connection.credentials, app.credentials],
    before: (head, number) => beforeMerge(double, pulls, head, number),
    queued: (number) => {
      pulls.rules.queue = true
      return () => {
        pulls.rules.queue = false
        pulls.pulls.find((one) => one.number === number)!.isQueued = false
      }
    },
  })
  return double
}

/** What speaks for and against a merge: checks, suites, statuses, reviews, the queue. */
function beforeMerge(double: GithubDouble, pulls: GithubPulls, head: string, number: number): void {
  const pull = pulls.pulls.find((one) => one.number === number)!
  pulls.check(head, 'build', 'success')
  pulls.check(head, 'preview', null)
  pulls.checks.set(
    head,
    pulls.checks.get(head)!.filter(({ name }) => name !== 'preview'),
  )
  pulls.status(head, 'ci/lint', 'success')
  pulls.suites.set(head, [
    {
      ...{
        id: double.nextId(),
        status: 'completed',
        conclusion: 'success',
        created_at: '2026-01-05T09:00:00Z',
      },
      ...{ latest_check_runs_count: 1, app: { slug: 'github-actions', name: 'GitHub Actions' } },
    },
  ])
  pulls.permissions.set('ada', 'read')
  pull.reviews.push({
    ...{ id: double.nextId(), login: 'ada', association: 'MEMBER', state: 'CHANGES_REQUESTED', body: 'No.' },
    comments: [{ path: 'c.txt', line: 1, body: 'Use the constant.' }],
  })
}

/** The manifest that a browser posts, the code it brings back, and the installation. */
async function playApps(
  double: GithubDouble,
  call: ReturnType<typeof callerFor>,
  connection: Connection,
): Promise<Connection> {
  const { form, convert, installations } = githubConnector(call).apps!
  const { action, manifest } = form({
    ...{ name: 'Signalbox', baseUrl: double.url, organization: 'acme', state: 's' },
    ...{ returnTo: 'https://box.acme.dev/back', hookUrl: 'https://box.acme.dev/hooks/t' },
  })
  const posted = await fetch(action, {
    ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams({ manifest }) },
  })
  const code = new URL(posted.headers.get('location')!).searchParams.get('code')!
  const made = await convert(connection, code)
  await fetch(made.installUrl, { redirect: 'manual' })
  const { appId, privateKey } = made
  const app = { ...connection, credentials: { appId, privateKey, installationId: '0' } }
  const [installationId] = await installations(app)
  return {
    ...app,
    credentials: { appId, privateKey, installationId: `${installationId}` },
    account: 'signalbox[bot]',
  }
}
