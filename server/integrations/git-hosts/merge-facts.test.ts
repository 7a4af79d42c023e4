import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ToolBusy, ToolRefused } from '../../domain/ports/connection.ts'
import {
  type GitHost,
  type HostFacts,
  type MergeRequest,
  type MergeResult,
  placeOf,
} from '../../domain/ports/git-host.ts'
import { TestClock } from '../../test/clock.ts'
import { GithubPulls } from '../../test/doubles/github/pulls.ts'
import { GithubDouble } from '../../test/doubles/github.ts'
import type { ShownReview, ShownSuite } from '../../test/doubles/github-shapes.ts'
import { GitlabMergeRequests } from '../../test/doubles/gitlab/merge-requests.ts'
import { GitlabDouble } from '../../test/doubles/gitlab.ts'
import { ABareRepository } from '../../test/engine/bare-repository.ts'
import { callerFor } from '../connections/call.ts'
import { GitHosts } from './by-repository.ts'
import { createGitProxy } from './git-proxy.ts'

const ending: (() => unknown)[] = []
after(async () => {
  for (const end of ending) await end()
})

const token = 'tok-do-not-tell-0123456789'

/** One pull request at a host, of a change that was verified, and what speaks for and against it there. */
async function aPull(kind: 'github' | 'gitlab') {
  const git = new ABareRepository()
  ending.push(() => git.remove())
  const base = await git.push('main', { 'a.txt': 'a\n' })
  const head = await git.push('topic', { 'c.txt': 'c\n' })
  const github = await new GithubDouble().start()
  const gitlab = await new GitlabDouble().start()
  ending.push(() => Promise.all([github.stop(), gitlab.stop()]))
  const pulls = new GithubPulls(github)
  const requests = new GitlabMergeRequests(gitlab)
  github.addToken(token)
  gitlab.addToken(token)
  pulls.add('halden/shop', git)
  requests.add('halden/shop', git)
  const double = kind === 'github' ? github : gitlab
  const clock = new TestClock(new Date().toISOString())
  const host: GitHost = new GitHosts({
    local: null as never,
    open: async () => ({
      ...{ id: 'c', workspaceId: 'w', kind, name: 'Code', baseUrl: double.url },
      ...{ credentials: { token }, account: null },
    }),
    call: callerFor({ allow: ['127.0.0.1'], clock, timeoutMs: 30_000 }),
    passOn: createGitProxy({ allow: ['127.0.0.1'], clock }),
    clock,
  })
  const repository = {
    ...{ name: 'halden/shop', host: kind, address: `${double.url}/halden/shop.git`, branch: 'main' },
    ...{ connectionId: 'c', remoteId: '1' },
  }
  const wish = { key: 'k', workspaceId: 'w', team: 'web', run: 'run-1', story: 'WEB-1', repository }
  await host.openPullRequest({ ...wish, title: 'A', body: 'b', branch: { name: 'topic', head } })
  const tree = git.git('rev-parse', `${head}^{tree}`)
  const request: MergeRequest = {
    ...{ ...wish, pullRequest: { number: 1, url: '' }, head },
    verified: { base, head, tree, outside: [], commits: 1, paths: ['c.txt'] },
  }
  const noted: HostFacts[] = []
  const merge = () => host.merge(request, async (facts) => void noted.push(facts))
  /** Nothing is merged, whatever is said of it. */
  const unmerged = async (): Promise<Extract<MergeResult, { merged: false }>> => {
    const result = await merge().catch((error) => {
      // What an admin has to mend waits in the ledger of refusals, under its own connection.
      const isParked = error instanceof ToolRefused && error.extent !== 'thing'
      if (isParked) assert.deepEqual(error.at, placeOf(request.repository!))
      assert.ok(error instanceof ToolBusy || isParked, `${error}`)
      return { merged: false, reason: error.message, isPending: true } as const
    })
    assert.ok(!result.merged, JSON.stringify(result))
    assert.equal(git.tip('main'), base)
    assert.deepEqual(noted, [], 'nothing is written at the host')
    return result
  }
  const waits = async () => {
    const { reason, isPending } = await unmerged()
    assert.ok(isPending, reason)
    return reason
  }
  const refuses = async () => {
    const { reason, isPending } = await unmerged()
    assert.ok(!isPending, reason)
    return reason
  }
  const merges = async () => {
    const result = await merge()
    assert.ok(result.merged, JSON.stringify(result))
    return noted.at(-1)!
  }
  const review = (
    login: string,
    state: string,
    more: Partial<Pick<ShownReview, 'association' | 'commit'>> = {},
  ) => {
    const { reviews } = pulls.pulls[0]!
    const made = { id: reviews.length + 1, login, state, association: 'MEMBER' as const, body: '', ...more }
    reviews.push({ ...made, comments: [] })
  }
  return {
    ...{ git, base, head, double, github, clock, pulls, requests, request, host },
    ...{ pull: pulls.pulls[0]!, mr: requests.all[0]!, waits, refuses, merges, review },
  }
}

test('GitHub: who may write and asked for changes keeps a merge back, where no review is required too', async () => {
  const { pulls, review, refuses, merges } = await aPull('github')
  pulls.permissions.set('ada', 'write')
  review('ada', 'APPROVED')
  review('ada', 'CHANGES_REQUESTED')
  review('ada', 'COMMENTED')
  assert.equal(await refuses(), 'ada asked for changes on GitHub.')
  review('ada', 'APPROVED')
  assert.deepEqual((await merges()).reviews, {
    ...{ approvedBy: ['ada'], withoutWeight: [], isRequired: false },
  })
})

test('GitHub: a review of an older commit stands, one that was dismissed does not', async () => {
  const { base, pulls, pull, review, refuses, merges } = await aPull('github')
  pulls.permissions.set('ada', 'admin')
  review('ada', 'CHANGES_REQUESTED', { commit: base })
  assert.match(await refuses(), /ada asked for changes/)
  pull.reviews[0]!.state = 'DISMISSED'
  await merges()
})

test('GitHub: the last of many reviews is read, whatever page it is on', async () => {
  const { pulls, review, refuses } = await aPull('github')
  pulls.permissions.set('grace', 'write')
  for (let n = 0; n < 250; n += 1) review(`user${n}`, 'APPROVED')
  review('grace', 'CHANGES_REQUESTED')
  assert.match(await refuses(), /grace asked for changes/)
})

test('GitHub: who may not write is named and keeps no one back; a member who hides it is heard', async () => {
  const { pulls, review, refuses, merges } = await aPull('github')
  pulls.permissions.set('reader', 'read')
  pulls.permissions.set('hidden', 'write')
  review('stranger', 'CHANGES_REQUESTED', { association: 'NONE' })
  review('reader', 'CHANGES_REQUESTED')
  review('hidden', 'CHANGES_REQUESTED', { association: 'CONTRIBUTOR' })
  assert.equal(await refuses(), 'hidden asked for changes on GitHub.')
  pulls.permissions.set('hidden', 'read')
  assert.deepEqual((await merges()).reviews?.withoutWeight, ['stranger', 'reader', 'hidden'])
})

test('GitHub: where it is not told who may write, people of the repository are heard and others are waited for', async () => {
  const { github, review, refuses, waits } = await aPull('github')
  github.on('GET', /\/collaborators\/[^/]+\/permission$/, () => ({
    ...{ status: 403, json: { message: 'Resource not accessible by personal access token' } },
  }))
  review('stranger', 'CHANGES_REQUESTED', { association: 'NONE' })
  assert.match(await waits(), /did not say whether stranger may write/)
  review('stranger', 'APPROVED', { association: 'NONE' })
  review('ada', 'CHANGES_REQUESTED', { association: 'MEMBER' })
  assert.match(await refuses(), /ada asked for changes/)
})

const whole = {
  ...{ isInMergeQueue: false, isMergeQueueEnabled: false, mergeQueueEntry: null, autoMergeRequest: null },
  ...{ reviewDecision: null, timelineItems: { nodes: [] } },
}
const told = (pullRequest: unknown) => ({ repository: { pullRequest } })
const { isInMergeQueue: _, ...partial } = whole

/** Each of them is an answer with status 200. */
const untold: [string, { data?: unknown; errors?: unknown[] }, RegExp][] = [
  [
    'RATE_LIMITED',
    { errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] },
    /called too often/,
  ],
  ['an error without a type', { data: null, errors: [{ message: 'Something went wrong' }] }, /went wrong/],
  [
    'an error beside data',
    { data: told(whole), errors: [{ type: 'FORBIDDEN', message: 'Resource not accessible' }] },
    /did not return .*not accessible/,
  ],
  ['no repository', { data: { repository: null } }, /did not return/],
  ['no pull request', { data: told(null) }, /did not return/],
  ['a field that is missing', { data: told(partial) }, /did not return/],
  [
    'a null where a permission lacks',
    { data: told({ ...whole, isMergeQueueEnabled: null }) },
    /did not return/,
  ],
  ['nothing', {}, /did not return/],
]
for (const [name, answer, says] of untold)
  test(`GitHub: GraphQL that answers ${name} is waited for, and nothing is merged past queue, auto-merge and reviews`, async () => {
    const { pulls, pull, waits } = await aPull('github')
    pulls.graphqlSays = answer
    assert.match(await waits(), says)
    pulls.graphqlSays = null
    pull.autoMerge = true
    assert.match(await waits(), /auto-merge/, 'which it would have been merged past')
  })

test('GitHub: a server without a merge queue is asked for the rest, and believed', async () => {
  const { github, pulls, waits, merges } = await aPull('github')
  const unknown = { message: "Field 'isInMergeQueue' doesn't exist on type 'PullRequest'" }
  const rest = { autoMergeRequest: null, reviewDecision: 'REVIEW_REQUIRED' as string | null }
  github.on('POST', /\/graphql$/, ({ body }) => ({
    json: body.query.includes('isInMergeQueue') ? { errors: [unknown] } : { data: told(rest) },
  }))
  assert.match(await waits(), /needs an approving review/)
  rest.reviewDecision = null
  pulls.rules.review = false
  assert.equal((await merges()).queue, 'none')
})

for (const path of ['check-runs', 'check-suites', 'status', 'reviews', 'graphql'])
  for (const [name, status, message] of [
    ['away', 503, 'Unicorn!'],
    ['limits us', 403, 'You have exceeded a secondary rate limit'],
    ['forbids it', 403, 'Resource not accessible by integration'],
  ] as const)
    test(`GitHub: a merge waits where ${path} can’t be read because GitHub ${name}`, async () => {
      const { github, waits } = await aPull('github')
      const method = path === 'graphql' ? 'POST' : 'GET'
      github.on(method, new RegExp(`/${path}$`), () => ({ status, json: { message } }))
      await waits()
    })

test('GitHub: checks and statuses are read to the last page', async () => {
  for (const kind of ['check', 'status'] as const) {
    const { pulls, head, refuses } = await aPull('github')
    for (let n = 0; n < 120; n += 1) pulls[kind](head, `job ${n}`, 'success')
    pulls[kind](head, 'the last', 'failure')
    assert.equal(await refuses(), 'the check the last failed.')
  }
})

test('GitHub: a workflow that has not begun is waited for, one that could not begin has failed, an idle App is neither', async () => {
  const { pulls, head, clock, waits, refuses, merges } = await aPull('github')
  const actions = { app: { slug: 'github-actions', name: 'GitHub Actions' }, latest_check_runs_count: 0 }
  const queued = { id: 1, status: 'queued', conclusion: null, created_at: null } as const
  const suite = (more: Partial<ShownSuite>) => pulls.suites.set(head, [{ ...queued, ...actions, ...more }])
  suite({ created_at: clock.now().toISOString() })
  assert.match(await waits(), /GitHub Actions to finish/)
  suite({ status: 'completed', conclusion: 'startup_failure' })
  assert.match(await refuses(), /GitHub Actions failed/)
  const idle = { app: { slug: 'preview', name: 'Preview' } }
  suite({ ...idle, created_at: clock.now().toISOString() })
  assert.match(await waits(), /Preview to finish/)
  clock.forward(3 * 60_000)
  await merges()
})

test('GitHub: a check that was cancelled is waited for, unless another of its name passed', async () => {
  const { pulls, head, waits, merges } = await aPull('github')
  pulls.check(head, 'unit', 'cancelled')
  assert.match(await waits(), /the check unit: cancelled/)
  pulls.status(head, 'unit', 'success')
  pulls.check(head, 'docs', 'skipped')
  assert.deepEqual((await merges()).checks, { passed: ['unit'], skipped: ['docs'] })
})

test('GitHub: a queue that can’t answer is asked again, and one that refuses is a reason', async () => {
  const { github, pulls, request, host } = await aPull('github')
  pulls.rules.queue = true
  const says = { errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] as object[] }
  github.on('POST', /\/graphql$/, ({ body }) => ({
    json: body.query.startsWith('mutation') ? says : { data: told({ ...whole, isMergeQueueEnabled: true }) },
  }))
  await assert.rejects(host.merge(request), /called too often/)
  says.errors = [{ type: 'UNPROCESSABLE', message: 'Pull request is a draft' }]
  const refused = await host.merge(request)
  assert.match(refused.merged ? '' : refused.reason, /to its merge queue: Pull request is a draft\./)
})

test('GitLab: the pipeline of the merge request is read, though it ran on another commit', async () => {
  const { requests, refuses, waits, merges } = await aPull('gitlab')
  await requests.mergedResults(1, 'running')
  assert.match(await waits(), /Waiting for the check pipeline/)
  await requests.mergedResults(1, 'failed', ['integration'])
  assert.equal(await refuses(), 'the check integration failed.')
  await requests.mergedResults(1, 'success')
  assert.equal((await merges()).checks?.passed.length, 1)
})

test('GitLab: a pipeline of the branch that failed is not outdone by one of the merge request that passed', async () => {
  const { requests, head, refuses } = await aPull('gitlab')
  requests.pipeline(head, 'topic', 'failed', ['unit'])
  await requests.mergedResults(1, 'success')
  assert.equal(await refuses(), 'the check unit failed.')
})

test('GitLab: the pipeline of an older commit says nothing of the newest, which is waited for', async () => {
  const { requests, base, waits } = await aPull('gitlab')
  requests.pipeline(base, 'topic', 'success')
  requests.pipelines[0]!.request = 1
  assert.match(await waits(), /of its newest commit, which has not begun/)
})

for (const [status, says] of [
  ['manual', /is waiting for a job to be started manually/],
  ['canceled', /cancelled, and not run again/],
  ['scheduled', /to finish/],
  ['waiting_for_resource', /to finish/],
  ['created', /to finish/],
] as const)
  test(`GitLab: a pipeline that is ${status} is waited for`, async () => {
    const { requests, waits } = await aPull('gitlab')
    await requests.mergedResults(1, status)
    assert.match(await waits(), says)
  })

test('GitLab: a pipeline that was skipped keeps no one back, and is named', async () => {
  const { requests, head, merges } = await aPull('gitlab')
  requests.pipeline(head, 'topic', 'skipped')
  assert.equal((await merges()).checks?.skipped.length, 1)
})

for (const [status, isFinal] of [
  ['merge_request_blocked', false],
  ['security_policy_violations', false],
  ['jira_association_missing', false],
  ['a_status_of_tomorrow', false],
  ['commits_status', false],
  ['discussions_not_resolved', true],
  ['requested_changes', true],
  ['need_rebase', true],
] as const)
  test(`GitLab: of the status ${status} nothing is merged`, async () => {
    const { mr, waits, refuses } = await aPull('gitlab')
    mr.status = status
    await (isFinal ? refuses() : waits())
  })

test('GitLab: a reviewer who may push and asked for changes keeps a merge back; approvals that are wanted are waited for', async () => {
  const { requests, mr, refuses, waits, merges } = await aPull('gitlab')
  requests.members.set(5, 40)
  mr.reviewers = [
    { user: { id: 5, username: 'ada' }, state: 'requested_changes' },
    { user: { id: 6, username: 'guest' }, state: 'requested_changes' },
  ]
  assert.equal(await refuses(), 'ada asked for changes on GitLab.')
  mr.reviewers[0]!.state = 'approved'
  mr.approvalsLeft = 1
  assert.match(await waits(), /needs an approval/)
  Object.assign(mr, { approvalsLeft: 0, approvedBy: ['ada'] })
  assert.deepEqual((await merges()).reviews, {
    ...{ approvedBy: ['ada'], withoutWeight: ['guest'], isRequired: true },
  })
})

for (const path of ['pipelines', 'approvals', 'reviewers'])
  for (const status of [503, 403, 429])
    test(`GitLab: a merge waits where ${path} can’t be read (${status})`, async () => {
      const { double, waits } = await aPull('gitlab')
      double.on('GET', new RegExp(`/${path}$`), () => ({ status, json: { message: 'No' } }))
      await waits()
    })

for (const kind of ['github', 'gitlab'] as const)
  test(`${kind}: after a merge, what is red is held against main as it was before anybody is blamed`, async () => {
    const { git, base, head, clock, pulls, requests, request, host } = await aPull(kind)
    const check = (commit: string, name: string, state: 'failed' | 'success' | 'running') => {
      if (kind === 'gitlab') requests.pipeline(commit, 'main', state, state === 'failed' ? [name] : [])
      else
        pulls.check(commit, name, ({ failed: 'failure', success: 'success', running: null } as const)[state])
    }
    const merged = await host.merge(request)
    assert.ok(merged.merged)
    assert.equal(git.git('show', '-s', '--format=%P', merged.commit), `${base} ${head}`)
    const look = () => host.checkMain(request)
    check(merged.commit, 'unit', 'failed')
    const unknown = await look()
    assert.match(
      unknown.state === 'red' ? unknown.findings : '',
      /Nothing was checked on .* may have been red/,
    )
    assert.ok(unknown.state === 'red' && !unknown.isOlder)
    check(base, 'unit', 'success')
    assert.deepEqual(await look(), { state: 'red', findings: 'the check unit failed.' })
    check(base, 'unit', 'failed')
    assert.deepEqual(await look(), { state: 'red', findings: 'the check unit failed.', isOlder: true })
    check(base, 'lint', 'failed')
    if (kind === 'gitlab') assert.ok(!((await look()) as { isOlder?: true }).isOlder, 'another one failed')
    if (kind === 'github') {
      check(base, 'unit', 'running')
      assert.deepEqual(await look(), { state: 'pending' }, 'what has not ended is waited for')
      clock.forward(61 * 60_000)
      const late = await look()
      assert.match(late.state === 'red' ? late.findings : '', /before the merge have not finished, so it may/)
    }
  })

test('GitLab: main that failed for no job of its own before the merge is not blamed on the merge', async () => {
  const { base, requests, request, host } = await aPull('gitlab')
  const merged = await host.merge(request)
  assert.ok(merged.merged)
  for (const commit of [base, merged.commit]) requests.pipeline(commit, 'main', 'failed')
  const found = await host.checkMain(request)
  assert.deepEqual(found, { state: 'red', findings: 'the check pipeline (push) failed.', isOlder: true })
})

test('GitLab: a scheduled pipeline that passed does not make up for that of the push', async () => {
  const { base, requests, request, host } = await aPull('gitlab')
  requests.pipeline(base, 'main', 'failed', ['unit'])
  requests.pipeline(base, 'main', 'success')
  Object.assign(requests.pipelines[0]!, { source: 'schedule' })
  const { workspaceId, team, repository } = request
  const now = await host.readMain({ workspaceId, team, repository })
  assert.deepEqual(now, { state: 'red', commit: base, findings: 'the check unit failed.' })
})

test('GitHub: main of which a check was cancelled is not green, whatever else passed', async () => {
  const { base, pulls, clock, request, host } = await aPull('github')
  const { workspaceId, team, repository } = request
  const now = async () => (await host.readMain({ workspaceId, team, repository }))?.state
  pulls.check(base, 'lint', 'success')
  assert.equal(await now(), 'green')
  pulls.check(base, 'unit', 'cancelled')
  assert.equal(await now(), 'unchecked', 'a runner looks')
  const merged = await host.merge(request)
  assert.ok(merged.merged)
  pulls.check(merged.commit, 'lint', 'success')
  pulls.check(merged.commit, 'unit', 'cancelled')
  assert.deepEqual(await host.checkMain(request), { state: 'pending' }, 'it may be run again')
  clock.forward(3 * 60_000)
  assert.deepEqual(await host.checkMain(request), { state: 'by_runner' })
  pulls.status(merged.commit, 'unit', 'success')
  assert.deepEqual(await host.checkMain(request), { state: 'green' })
})

for (const kind of ['github', 'gitlab'] as const)
  test(`${kind}: a pull request that conflicts is told as such while it is open, and when it is merged`, async () => {
    const { git, request, host } = await aPull(kind)
    assert.deepEqual(await host.readPullRequest(request), { state: 'open' })
    await git.push('main', { 'c.txt': 'theirs\n' })
    const conflicts = 'it conflicts with the branch main.'
    assert.deepEqual(await host.readPullRequest(request), { state: 'open', conflicts })
    assert.deepEqual(await host.merge(request), { merged: false, reason: conflicts, isOutdated: true })
  })

for (const kind of ['github', 'gitlab'] as const)
  test(`${kind}: a repository that is hidden from us has lost no branch and no pull request: what is to be done there waits`, async () => {
    const { head, double, request, host, waits, merges } = await aPull(kind)
    const hidden = /or hides it from this connection\. Give its account access\./
    double.fail({ status: 404, json: { message: 'Not Found' } }, { times: 10_000 })
    assert.match(await waits(), hidden)
    const { verified: _, pullRequest, ...wish } = request
    const waiting: [string, () => Promise<unknown>][] = [
      [
        'a pull request',
        () => host.openPullRequest({ ...wish, title: 'A', body: 'b', branch: { name: 'topic', head } }),
      ],
      ['its end', () => host.closePullRequest({ ...wish, pullRequest, why: 'No.' })],
      ['a revert', () => host.openRevert(request)],
      [
        'a verdict',
        () =>
          host.postVerdict({ ...wish, pullRequest, head, passed: true, title: 'A', summary: '', url: '' }),
      ],
    ]
    for (const [what, asked] of waiting)
      await assert.rejects(
        asked,
        (error) => error instanceof ToolRefused && error.extent === 'place' && hidden.test(error.message),
        what,
      )
    double.mend()
    assert.equal((await merges()).head, head)
  })
