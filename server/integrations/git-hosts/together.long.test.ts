import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { keepPullRequests } from '../../domain/work/pull-requests/keep.ts'
import { readRunPage } from '../../domain/work/runs/page/read.ts'
import { secretsFrom } from '../../infra/secrets.ts'
import { testDatabase } from '../../test/database.ts'
import { GithubPulls } from '../../test/doubles/github/pulls.ts'
import { GithubDouble } from '../../test/doubles/github.ts'
import { GitlabMergeRequests } from '../../test/doubles/gitlab/merge-requests.ts'
import { GitlabDouble } from '../../test/doubles/gitlab.ts'
import { ABareRepository } from '../../test/engine/bare-repository.ts'
import { TestEngine } from '../../test/engine/engine.ts'
import { TwoRepositories } from '../../test/engine/two-repositories.ts'
import { aConnection } from '../../test/tools/connections.ts'
import { callerFor } from '../connections/call.ts'
import { GitHosts } from './by-repository.ts'
import { createGitProxy } from './git-proxy.ts'
import { LocalGitHost } from './local/local.ts'

/** One change in two repositories of a team, at GitHub and at GitLab: opened, merged and reverted together. */

const database = await testDatabase()
const ending: (() => unknown)[] = [() => database.close()]
after(async () => {
  for (const end of ending) await end()
})

const token = 'tok-do-not-tell-0123456789'

/** What a test sees of a pull request, whatever the host calls it. */
interface Seen {
  repository: string
  number: number
  text: string
  state: string
  branch: string
}

async function atGithub(git: TwoRepositories['git']) {
  const double = await new GithubDouble().start()
  const pulls = new GithubPulls(double)
  for (const name of ['api', 'web'] as const) pulls.add(`halden/${name}`, git[name])
  const seen = (): Seen[] =>
    pulls.pulls.map(({ repository, number, body, state, merge, head }) => ({
      ...{ repository, number, text: body, branch: head, state: merge ? 'merged' : state },
    }))
  const idOf = (name: string) => double.repositories.find((one) => one.full_name === name)!.id
  const green = (commit: string) => pulls.check(commit, 'unit', 'success')
  return {
    double,
    seen,
    idOf,
    green,
    kind: 'github' as const,
    mergeOf: /^PUT \/repos\/halden\/web\/pulls\/1\/merge$/,
  }
}

async function atGitlab(git: TwoRepositories['git']) {
  const double = await new GitlabDouble().start()
  const requests = new GitlabMergeRequests(double)
  for (const name of ['api', 'web'] as const) requests.add(`halden/${name}`, git[name])
  const seen = (): Seen[] =>
    requests.all.map(({ project, iid, description, state, source }) => ({
      ...{ repository: project, number: iid, text: description, branch: source },
      state: state === 'opened' ? 'open' : state,
    }))
  const idOf = (name: string) => double.projectOf(name)!.id
  const green = (commit: string) => requests.pipeline(commit, 'main', 'success')
  const mergeOf = /^PUT \/api\/v4\/projects\/halden%2Fweb\/merge_requests\/1\/merge$/
  return { double, seen, idOf, green, kind: 'gitlab' as const, mergeOf }
}

async function aTeamAt(make: typeof atGithub | typeof atGitlab, mergePolicy: 'auto' | 'ask' = 'auto') {
  const git = { api: new ABareRepository(), web: new ABareRepository() }
  for (const one of Object.values(git)) {
    ending.push(() => one.remove())
    await one.push('main', { 'a.txt': 'one\n' })
  }
  const { double, seen, idOf, green, kind, mergeOf } = await make(git)
  for (const one of Object.values(git)) green(one.tip('main')!)
  ending.push(() => double.stop())
  double.addToken(token)
  const engine = new TestEngine(database.db)
  const { clock } = engine
  const connection = {
    ...{ kind, name: 'Code', baseUrl: double.url, credentials: { token }, account: null },
  }
  engine.host = new GitHosts({
    local: new LocalGitHost({
      ...{ allow: [], pullRequests: keepPullRequests({ db: database.db, clock }), clock },
      publicUrl: () => 'https://signalbox.example.com',
    }),
    open: async (workspaceId, id) => ({ ...connection, workspaceId, id }),
    call: callerFor({ allow: ['127.0.0.1'], clock, timeoutMs: 30_000 }),
    passOn: createGitProxy({ allow: ['127.0.0.1'], clock }),
    clock,
  })
  const at = (name: string) => ({
    ...{ host: kind, address: `${double.url}/halden/${name}.git`, branch: 'main', connectionId: null },
    remoteId: `${idOf(`halden/${name}`)}`,
  })
  const two = await TwoRepositories.begin(database.db, engine, {
    ...{ git, at: { api: at('api'), web: at('web') } },
    departures: { mergePolicy, autoMergeMaxLines: null },
  })
  const { id: connectionId } = await aConnection(two.run.owner, secretsFrom('a key for tests, long enough'), {
    kind,
  })
  for (const one of Object.values(two.at)) one.connectionId = connectionId
  return { git, double, seen, mergeOf, two, engine }
}

for (const [name, make] of Object.entries({ GitHub: atGithub, GitLab: atGitlab })) {
  test(`${name}: pull requests of one change name each other, and are merged in the order of their names`, async () => {
    const { git, double, seen, two } = await aTeamAt(make)
    const mains = [git.api.tip('main'), git.web.tip('main')]
    const made = await two.handOver({ api: { 'b.txt': 'b\n' }, web: { 'b.txt': 'b\nc\n' } })
    const branch = `signalbox/${two.run.key}/1`
    assert.deepEqual(
      seen().map(({ repository, number, state, ...one }) => [repository, number, state, one.branch]),
      [
        ['halden/api', 1, 'merged', branch],
        ['halden/web', 1, 'merged', branch],
      ],
      'each is the first of its repository',
    )
    const [api, web] = seen()
    assert.match(api!.text, /merged together in the order of their names:\n- halden\/web#1: http/)
    assert.match(web!.text, /merged together in the order of their names:\n- halden\/api#1: http/)
    for (const which of ['api', 'web'] as const)
      assert.equal(git[which].git('rev-parse', 'main^2'), made[which].work.head, 'what was verified')
    assert.deepEqual(
      double.asked
        .filter(({ method, path }) => method === 'PUT' && path.endsWith('/merge'))
        .map(({ path }) => /halden(?:\/|%2F)(\w+)/.exec(path)?.[1]),
      ['api', 'web'],
    )
    const merges = (await two.run.audit()).filter(({ event }) => event === 'pull_request_merged')
    assert.deepEqual(
      merges.map(({ details }) => [details.repository, details.read]).toSorted(),
      [made.api, made.web].map(({ work }, at) => [
        ['halden/api', 'halden/web'][at],
        {
          ...{ head: work.head, queue: 'none', checks: { passed: [], skipped: [] } },
          reviews: { approvedBy: [], withoutWeight: [], isRequired: false },
          main: { commit: mains[at], state: 'green', by: 'host' },
        },
      ]),
      'each says what was read before it was made',
    )
    const { pullRequest } = await two.run.read()
    assert.match(pullRequest?.url ?? '', /halden\/web/, 'the one of the repository that changed most')
  })

  test(`${name}: a second merge that is refused is told, and the first is taken back where it was made`, async () => {
    const { git, double, seen, mergeOf, two } = await aTeamAt(make)
    const before = git.web.tip('main')
    const json = { message: 'Merging is blocked by a rule.' }
    double.fail({ status: 405, json }, { when: mergeOf, times: 100 })
    await two.handOver({ api: { 'b.txt': 'b\n' }, web: { 'b.txt': 'b\nc\n' } })
    assert.equal(git.web.tip('main'), before)
    const asked = await two.run.asked()
    assert.equal(asked.kind, 'revert_approval')
    assert.match(
      asked.body,
      /Merged: halden\/api #1\. Not merged: halden\/web #1, because .*blocked by a rule/,
    )
    await two.run.answer('revert')
    assert.deepEqual(
      seen().map(({ repository, number, state }) => [repository, number, state]),
      [
        ['halden/api', 1, 'merged'],
        ['halden/web', 1, 'open'],
        ['halden/api', 2, 'open'],
      ],
      'its revert is opened there, and nowhere else',
    )
    const { status, attemptList } = await two.run.read()
    assert.deepEqual([status, attemptList[0]?.error], ['failed', 'Reverted by halden/api#2.'])
  })

  test(`${name}: a repository that a rework leaves has its pull request closed, with the reason`, async () => {
    const { git, seen, two } = await aTeamAt(make, 'ask')
    await two.handOver({ api: { 'b.txt': 'b\n' }, web: { 'b.txt': 'b\nc\n' } })
    assert.equal((await two.run.asked()).kind, 'merge_approval')
    await two.unbind()
    await two.run.answer('changes', 'Leave the web alone.')
    const api = await two.make('api', { 'b.txt': 'better\n' })
    await two.tell(two.ready(api))
    await two.measure({ api })
    await two.bind()
    await two.push('api', api.work.head)
    assert.deepEqual(
      seen().map(({ repository, number, state }) => [repository, number, state]),
      [
        ['halden/api', 1, 'open'],
        ['halden/web', 1, 'closed'],
      ],
    )
    assert.doesNotMatch(seen()[0]!.text, /halden\/web/, 'the other no longer names it')
    assert.match(
      seen()[1]!.text,
      /^.*\n\nPart of[\s\S]*\n\nClosed by run-\w+: after a rework, \S+ no longer changes/,
    )
    const page = fromJson(await readRunPage(two.run.owner, two.run.key))
    assert.deepEqual(
      page.pullRequests.map(({ repository, number }) => [repository, number]),
      [['halden/api', 1]],
    )
    const before = git.web.tip('main')
    await two.run.answer('merge')
    assert.deepEqual([git.api.read('main', 'b.txt'), git.web.tip('main')], ['better', before])
  })
}
