import assert from 'node:assert/strict'
import type { Connection } from '../../../domain/ports/connection.ts'
import { callerFor } from '../../../integrations/connections/call.ts'
import { gitlabConnector } from '../../../integrations/connections/gitlab.ts'
import { GitHosts } from '../../../integrations/git-hosts/by-repository.ts'
import { createGitProxy } from '../../../integrations/git-hosts/git-proxy.ts'
import { trackersFor } from '../../../integrations/trackers/index.ts'
import { TestClock } from '../../clock.ts'
import { ABareRepository } from '../../engine/bare-repository.ts'
import { GitlabMergeRequests } from '../gitlab/merge-requests.ts'
import { GitlabDouble } from '../gitlab.ts'
import { GitlabIssues } from '../gitlab-issues.ts'
import { playGitHost } from './play-git-host.ts'
import { playTracker } from './play-tracker.ts'
import type { Witness } from './witness.ts'

const token = 'glpat-tok-do-not-tell-0123456789'

/** Everything that we ask of GitLab. */
export async function playGitlab(witness: Witness, ending: (() => unknown)[]): Promise<GitlabDouble> {
  const double = await new GitlabDouble().start()
  const git = new ABareRepository()
  ending.push(
    () => double.stop(),
    () => git.remove(),
  )
  witness.gitlab(double)
  double.addToken(token)
  const requests = new GitlabMergeRequests(double)
  requests.add('halden/shop', git)
  const project = double.projectOf('halden/shop')!
  const clock = new TestClock(new Date().toISOString())
  const call = callerFor({ allow: ['127.0.0.1'], clock })
  const connection: Connection = {
    ...{ id: 'c', workspaceId: 'w', kind: 'gitlab', name: 'GitLab', baseUrl: double.url },
    ...{ credentials: { token }, account: 'signalbox' },
  }
  await playConnector(double, call, connection, { id: `${project.id}`, name: 'halden/shop' })
  const issues = new GitlabIssues(double, project, clock)
  const at = { connection, project: { id: `${project.id}`, key: 'halden/shop' }, label: null }
  await playTracker(trackersFor(call, clock).gitlab, at, {
    open: () => `${issues.open({ title: 'Lay the ground', labels: ['bug'] })}`,
    block: (id, by) => issues.block(Number(id), Number(by)),
    absent: '999',
  })
  await playGitHost({
    ...{ git, kind: 'gitlab', url: double.url, clock },
    hostAs: (credentials) =>
      new GitHosts({
        ...{ local: null as never, open: async () => ({ ...connection, credentials }), call, clock },
        passOn: createGitProxy({ allow: ['127.0.0.1'], clock }),
      }),
    credentials: [connection.credentials],
    before: (commit, number) => beforeMerge(requests, commit, number),
    queued: (number) => {
      requests.rules.trains = true
      return () => {
        requests.rules.trains = false
        requests.all.find(({ iid }) => iid === number)!.inTrain = false
      }
    },
  })
  return double
}

async function playConnector(
  double: GitlabDouble,
  call: ReturnType<typeof callerFor>,
  connection: Connection,
  scope: { id: string; name: string },
): Promise<void> {
  double.addProject('halden/read-only', 20)
  const connector = gitlabConnector(call)
  await connector.check(connection)
  const found = await connector.projects!(connection, 'halden')
  assert.deepEqual(
    found.map(({ key }) => key),
    ['halden/shop'],
    'what we may not push to is not offered',
  )
  await connector.repositories!(connection, '')
  // A hook that is tested needs an answer.
  const hook = { url: `${double.url}/listener`, secret: 's' }
  double.on('POST', /^\/listener$/, () => ({ status: 200 }))
  for (let time = 0; time < 2; time += 1) await connector.makeWebhook!(connection, { ...hook, scope })
  const made = double.hooks.get(Number(scope.id))![0]!
  made.alert_status = 'disabled'
  double.hookEvents.set(
    Number(made.id),
    Array.from({ length: 25 }, (_, n) => ({
      ...{ id: n + 1, created_at: new Date().toISOString(), response_status: n === 24 ? '500' : '200' },
    })),
  )
  const health = await connector.lookAfterHooks!(connection, { ...hook, scopes: [scope], since: null })
  assert.deepEqual([health.state, health.mended], ['failing', true], health.note)
}

/** What speaks for and against a merge: pipelines, approvals, reviewers, discussions. */
async function beforeMerge(requests: GitlabMergeRequests, commit: string, number: number): Promise<void> {
  const one = requests.all.find(({ iid }) => iid === number)!
  if (one.state === 'merged') requests.pipeline(commit, 'main', 'failed', ['unit'])
  else {
    requests.pipeline(commit, one.source, 'success')
    await requests.mergedResults(number, 'success')
  }
  requests.members.set(5, 40)
  one.approvedBy = ['grace']
  one.reviewers = [{ user: { id: 6, username: 'guest' }, state: 'requested_changes' }]
  const position = { new_path: 'c.txt', new_line: 1, head_sha: commit }
  one.discussions = [
    {
      id: 'a',
      notes: [
        {
          ...{ body: 'Use the constant.', system: false, resolvable: true, resolved: false, position },
          author: { id: 5, username: 'user5' },
        },
      ],
    },
  ]
  one.notes = [{ system: true, body: 'approved this merge request' }]
}
