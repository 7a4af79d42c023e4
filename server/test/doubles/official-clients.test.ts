import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Gitlab } from '@gitbeaker/rest'
import { LinearClient } from '@linear/sdk'
import { Octokit } from '@octokit/core'
import examples from '@octokit/webhooks-examples' with { type: 'json' }
import { createCloudClient, isAuthError } from 'jira.js'
import { trackersFor } from '../../integrations/trackers/index.ts'
import { ABareRepository } from '../engine/bare-repository.ts'
import type { Double } from './double.ts'
import { GithubPulls } from './github/pulls.ts'
import { GithubDouble } from './github.ts'
import { GithubIssues } from './github-issues.ts'
import { GitlabDouble } from './gitlab.ts'
import { GitlabIssues } from './gitlab-issues.ts'
import { JiraDouble } from './jira.ts'
import { LinearDouble } from './linear.ts'

/** The doubles, from the other side: what the makers' own clients make of them. */

const clock = { now: () => new Date() }
const ending: (() => unknown)[] = []
after(async () => {
  for (const end of ending) await end()
})
async function started<D extends Double>(double: D): Promise<D> {
  await double.start()
  ending.push(() => double.stop())
  return double
}

test('Octokit lists repositories, files an issue, comments, opens, reads and merges a pull request, and is refused as GitHub refuses', async () => {
  const double = await started(new GithubDouble())
  double.addToken('ghp_1')
  const git = new ABareRepository()
  ending.push(() => git.remove())
  await git.push('main', { 'a.txt': 'one\n' })
  const head = await git.push('topic', { 'a.txt': 'two\n' })
  new GithubPulls(double).add('halden/shop', git)
  new GithubIssues(double, 'halden/shop', clock)
  const at = { owner: 'halden', repo: 'shop' }
  const octokit = new Octokit({ auth: 'ghp_1', baseUrl: double.url })
  assert.equal((await octokit.request('GET /user')).data.login, 'signalbox-bot')
  const { data: repositories } = await octokit.request('GET /user/repos')
  assert.deepEqual(
    repositories.map(({ full_name: name }) => name),
    ['halden/shop'],
  )
  const { data: issue } = await octokit.request('POST /repos/{owner}/{repo}/issues', {
    ...at,
    title: 'Round',
  })
  assert.deepEqual([issue.number, issue.state], [1, 'open'])
  const { data: comment } = await octokit.request(
    'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
    {
      ...{ ...at, issue_number: 1, body: 'Soon.' },
    },
  )
  assert.equal(comment.body, 'Soon.')
  const opened = await octokit.request('POST /repos/{owner}/{repo}/pulls', {
    ...{ ...at, title: 'Round down', head: 'topic', base: 'main' },
  })
  const which = { ...at, pull_number: opened.data.number }
  const { data: pull } = await octokit.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', which)
  assert.deepEqual([pull.head.sha, pull.merged_at, pull.mergeable], [head, null, true])
  const again = octokit.request('POST /repos/{owner}/{repo}/pulls', {
    ...{ ...at, title: 'Again', head: 'topic', base: 'main' },
  })
  await assert.rejects(again, { status: 422 })
  const merge = 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge'
  await assert.rejects(octokit.request(merge, { ...which, sha: 'a'.repeat(40) }), { status: 409 })
  const { data: merged } = await octokit.request(merge, { ...which, sha: head })
  assert.deepEqual([merged.merged, merged.sha], [true, git.tip('main')])
  const stranger = new Octokit({ auth: 'ghp_unknown', baseUrl: double.url })
  await assert.rejects(stranger.request('GET /user'), { status: 401 })
})

test('Gitbeaker shows the user, lists projects, files an issue, comments on it and sees its hooks', async () => {
  const double = await started(new GitlabDouble())
  double.addToken('glpat-1')
  const project = double.addProject('halden/shop')
  new GitlabIssues(double, project, clock)
  const api = new Gitlab({ host: double.url, token: 'glpat-1' })
  assert.equal((await api.Users.showCurrentUser()).username, 'signalbox')
  const projects = await api.Projects.all({ membership: true, maxPages: 1 })
  assert.deepEqual(
    projects.map(({ id }) => id),
    [project.id],
  )
  const issue = await api.Issues.create(project.id, 'Round down')
  assert.deepEqual([issue.iid, issue.state], [1, 'opened'])
  const note = await api.IssueNotes.create(project.id, 1, 'Soon.')
  assert.equal(note.body, 'Soon.')
  await api.ProjectHooks.add(project.id, 'https://box.example.com/hooks/t', { pushEvents: true })
  const [hook] = await api.ProjectHooks.all(project.id)
  assert.equal(hook?.url, 'https://box.example.com/hooks/t')
  await assert.rejects(
    new Gitlab({ host: double.url, token: 'wrong' }).Users.showCurrentUser(),
    /401|Unauthorized/,
  )
})

test('jira.js is told who it is and which projects there are, and is refused with a wrong token', async () => {
  const double = await started(new JiraDouble())
  double.addAccount({ email: 'bot@example.com', token: 'jira-1' })
  double.addProject('SHOP', 'Shop')
  const as = (apiToken: string) =>
    createCloudClient({ host: double.url, auth: { type: 'basic', email: 'bot@example.com', apiToken } })
  assert.equal((await as('jira-1').myself.getCurrentUser()).emailAddress, 'bot@example.com')
  const { values } = await as('jira-1').projects.searchProjects({ query: 'shop' })
  assert.deepEqual(
    values?.map(({ key }) => key),
    ['SHOP'],
  )
  await assert.rejects(as('jira-2').myself.getCurrentUser(), isAuthError)
})

test('Linear’s own client is told who it is, and is refused with a wrong key', async () => {
  const double = await started(new LinearDouble())
  double.addKey('lin_api_1')
  const viewer = await new LinearClient({ apiKey: 'lin_api_1', apiUrl: `${double.url}/graphql` }).viewer
  assert.equal(viewer.email, 'bot@example.com')
  const stranger = new LinearClient({ apiKey: 'lin_api_2', apiUrl: `${double.url}/graphql` })
  await assert.rejects(async () => await stranger.viewer, /Authentication/i)
})

interface Example {
  name: string
  examples: { issue?: { number: number; pull_request?: object } }[]
}

test('GitHub’s own examples of what hooks bring are understood or left alone, and never a reason to fail', async () => {
  const { github } = trackersFor(async () => assert.fail('nothing is asked'), clock)
  const named = new Map<string, number>()
  for (const { name, examples: bodies } of examples as unknown as Example[])
    for (const body of bodies) {
      const hints = github.hints(name, body)
      if (name === 'issues')
        assert.deepEqual(
          hints.map(({ issue }) => issue),
          // A pull request is an issue at GitHub, and none of ours.
          body.issue!.pull_request ? [] : [`${body.issue!.number}`],
        )
      named.set(name, (named.get(name) ?? 0) + hints.length)
    }
  assert.ok(named.get('issues')! >= 20)
  assert.equal(named.get('star'), 0)
})
