import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { sql } from 'kysely'
import { secretsFrom } from '../../../infra/secrets.ts'
import { callerFor } from '../../../integrations/connections/call.ts'
import { GitHosts } from '../../../integrations/git-hosts/by-repository.ts'
import { createGitProxy } from '../../../integrations/git-hosts/git-proxy.ts'
import { LocalGitHost } from '../../../integrations/git-hosts/local/local.ts'
import { testDatabase } from '../../../test/database.ts'
import { GithubPulls } from '../../../test/doubles/github/pulls.ts'
import { GithubDouble } from '../../../test/doubles/github.ts'
import { GithubIssues } from '../../../test/doubles/github-issues.ts'
import { ABareRepository } from '../../../test/engine/bare-repository.ts'
import { goesWell, TestEngine } from '../../../test/engine/engine.ts'
import { OneRun } from '../../../test/engine/one-run.ts'
import { TwoRepositories } from '../../../test/engine/two-repositories.ts'
import { aMember } from '../../../test/factories.ts'
import { tables } from '../../../test/tables.ts'
import { aBoundTeam } from '../../../test/tools/bound-team.ts'
import { aConnection } from '../../../test/tools/connections.ts'
import { listNotifications } from '../../accounts/notifications/list.ts'
import type { Context } from '../../context.ts'
import { readStoryMirror } from '../../reach/mirror/read.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { listAudit } from '../../record/audit/list.ts'
import { keepPullRequests } from '../../work/pull-requests/keep.ts'
import { editStory } from '../../work/stories/edit.ts'
import { readConnection } from './list.ts'

/** What git hosts and trackers refuse, from the refusal to the release: parked, told, marked, and done in order. */

const database = await testDatabase()
const ending: (() => unknown)[] = []
after(async () => {
  for (const end of ending) await end()
  await database.close()
})

const token = 'ghp_right'
const secrets = secretsFrom('a key for tests that nobody else has')
const publicUrl = () => 'https://box.example.com'

async function aGithub() {
  const double = await new GithubDouble().start()
  ending.push(() => double.stop())
  double.addToken(token)
  return double
}

/** The git hosts of a test's engine, all at one double. */
const hostsOf = ({ clock }: TestEngine, github: GithubDouble, tokenOf: (connectionId: string) => string) =>
  new GitHosts({
    local: new LocalGitHost({
      ...{ allow: [], pullRequests: keepPullRequests({ db: database.db, clock }), clock, publicUrl },
    }),
    open: async (workspaceId, id) => ({
      ...{ id, workspaceId, kind: 'github', name: 'Code', baseUrl: github.url },
      ...{ credentials: { token: tokenOf(id) }, account: null },
    }),
    call: callerFor({ allow: ['127.0.0.1'], clock, timeoutMs: 30_000 }),
    passOn: createGitProxy({ allow: ['127.0.0.1'], clock }),
    clock,
  })

async function minutes(engine: TestEngine, count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    engine.clock.forward(60_000)
    await engine.sweep()
    await engine.settle()
  }
}

/** How the connection is shown to its admins, and who was told about it. */
async function marked(
  admin: Context & { personId: string },
  member: Context & { personId: string },
  id: string,
) {
  const { refusals } = await readConnection(admin, { secrets, publicUrl }, id)
  const told = async (person: Context & { personId: string }) =>
    (await listNotifications(person, person.personId, { limit: 100, after: null })).data
      .map(fromJson)
      .filter(({ kind }) => kind === 'connection').length
  const changes = (await listAudit(admin, { event: 'connection_changed' }, { limit: 100, after: null })).data
  return {
    waiting: refusals.map(({ scope, name, waiting }) => [name ?? scope, waiting]),
    says: refusals[0]?.message ?? '',
    told: [await told(admin), await told(member)],
    changes: changes.map((entry) => fromJson(entry).details.change).toReversed(),
  }
}

test('a tracker that rejects the credentials: edits wait in line, and are written in order once it is mended', async () => {
  const github = await aGithub()
  const { id } = github.addRepository('halden/web')
  let issues: GithubIssues
  const it = await aBoundTeam(database.db, async (clock) => {
    issues = new GithubIssues(github, 'halden/web', clock)
    return {
      ...{ kind: 'github', url: github.url, credentials: { token }, account: 'signalbox-bot' },
      project: { id: `${id}`, key: 'halden/web' },
    }
  })
  for (const title of ['One', 'Two', 'Three']) issues!.open({ title })
  await it.sweep()
  await it.settle()
  github.tokens.clear()
  for (const { key, title } of await it.stories())
    await editStory(it.member, key, { title: `${title}, again` })
  await it.settleDue()
  await it.settleDue()
  const refused = await marked(it.admin, it.member, it.connectionId)
  assert.deepEqual(refused.waiting, [['', 3]])
  assert.match(refused.says, /rejected the credentials/)
  assert.deepEqual([refused.told, refused.changes], [[1, 0], ['refused']], 'admins, once')
  github.addToken(token)
  const before = github.asked.length
  for (let minute = 0; minute < 20; minute += 1) {
    it.clock.forward(60_000)
    await it.settleDue()
  }
  const written = github.asked
    .slice(before)
    .filter(({ method, path }) => method === 'PATCH' && /\/issues\/\d+$/.test(path))
    .map(({ path, body }) => [path.split('/').at(-1), body.title])
  assert.deepEqual(
    written.filter(([, title]) => title),
    [
      ['1', 'One, again'],
      ['2', 'Two, again'],
      ['3', 'Three, again'],
    ],
  )
  const mended = await marked(it.admin, it.member, it.connectionId)
  assert.deepEqual([mended.waiting, mended.changes], [[], ['refused', 'mended']])
})

test('a project that is hidden from us: nothing is taken for deleted, and edits wait until it is shown again', async () => {
  const github = await aGithub()
  const { id } = github.addRepository('halden/web')
  let issues: GithubIssues
  const it = await aBoundTeam(database.db, async (clock) => {
    issues = new GithubIssues(github, 'halden/web', clock)
    return {
      ...{ kind: 'github', url: github.url, credentials: { token }, account: 'signalbox-bot' },
      project: { id: `${id}`, key: 'halden/web' },
    }
  })
  for (const title of ['One', 'Two']) issues!.open({ title })
  await it.sweep()
  await it.settle()
  // An account that loses access to a private repository is told that there is none.
  github.fail(
    { status: 404, json: { message: 'Not Found' } },
    { when: /\/repos\/halden\/web/, times: 10_000 },
  )
  for (const { key, title } of await it.stories())
    await editStory(it.member, key, { title: `${title}, again` })
  await it.settleDue()
  await assert.rejects(it.handleWebhook(issues!.delivery(1)), /hides it from this connection/)
  for (const { key } of await it.stories())
    assert.equal((await readStoryMirror(it.member, key))?.left, null, 'nothing was deleted')
  const refused = await marked(it.admin, it.member, it.connectionId)
  assert.deepEqual(refused.waiting, [['halden/web', 2]])
  assert.match(
    refused.says,
    /has no project halden\/web, or hides it from this connection\. Give its account/,
  )
  assert.deepEqual([refused.told, refused.changes], [[1, 0], ['refused']], 'admins, once')
  github.mend()
  for (let minute = 0; minute < 20; minute += 1) {
    it.clock.forward(60_000)
    await it.settleDue()
  }
  assert.deepEqual(
    [1, 2].map((number) => issues!.get(number).title),
    ['One, again', 'Two, again'],
  )
  assert.deepEqual((await marked(it.admin, it.member, it.connectionId)).waiting, [])
})

test('a git host that rejects the credentials: runs say what they wait for, and go on in order once it is mended', async () => {
  const github = await aGithub()
  const pulls = new GithubPulls(github)
  const git = new ABareRepository()
  ending.push(() => git.remove())
  const main = await git.push('main', { 'a.txt': 'one\n' })
  pulls.add('halden/web', git)
  pulls.check(main, 'unit', 'success')
  const engine = new TestEngine(database.db)
  const owner = await engine.workspace()
  const member = await aMember(owner, 'member')
  const { id: connectionId } = await aConnection(owner, secrets, { kind: 'github', baseUrl: github.url })
  engine.host = hostsOf(engine, github, () => token)
  const runs: OneRun[] = []
  for (let count = 0; count < 2; count += 1) {
    const run = await OneRun.begin(engine, { owner, departures: { mergePolicy: 'ask' } })
    await run.tell(goesWell.plan, goesWell.change, goesWell.gates)
    runs.push(run)
  }
  // Without a repository the test does the work; from here on it is at the host.
  for (const [at, name] of ['first', 'second'].entries())
    await runs[at]!.report({
      ...goesWell.pushed,
      branch: { name, head: await git.push(name, { [name]: 'x\n' }) },
    })
  await housekeeping(database.db, 'repositories for a test', async (tx) => {
    for (const { team } of runs)
      await sql`
        insert into team_repositories (workspace_id, team_id, name, host, address, branch, connection_id, remote_id)
        values (${owner.workspaceId}, ${team.id}, 'halden/web', 'github', ${`${github.url}/halden/web.git`}, 'main',
          ${connectionId}, '1')
      `.execute(tables(tx))
  })
  github.tokens.clear()
  await engine.settle()
  await engine.sweep()
  assert.deepEqual(pulls.pulls, [])
  const refused = await marked(owner, member, connectionId)
  assert.deepEqual([refused.waiting, refused.told, refused.changes], [[['', 2]], [1, 0], ['refused']])
  for (const run of runs) {
    const { rows } = await database.pool.query('select phase, reason from runs where id = $1', [
      run.order.runId,
    ])
    assert.equal(rows[0].phase, 'opening')
    assert.match(rows[0].reason, /GitHub rejected the credentials/)
  }
  github.addToken(token)
  await minutes(engine, 20)
  assert.deepEqual(
    pulls.pulls.map(({ head, state }) => [head, state]),
    [
      ['first', 'open'],
      ['second', 'open'],
    ],
  )
  for (const run of runs) assert.equal((await run.asked()).kind, 'merge_approval')
  const mended = await marked(owner, member, connectionId)
  assert.deepEqual([mended.waiting, mended.changes], [[], ['refused', 'mended']])
})

/** A run in two repositories, each with a connection of its own. */
async function aRunInTwo(mergePolicy: 'auto' | 'ask' = 'auto') {
  const github = await aGithub()
  const pulls = new GithubPulls(github)
  const git = { api: new ABareRepository(), web: new ABareRepository() }
  for (const [name, one] of Object.entries(git)) {
    ending.push(() => one.remove())
    pulls.check(await one.push('main', { 'a.txt': 'one\n' }), 'unit', 'success')
    pulls.add(`halden/${name}`, one)
  }
  const engine = new TestEngine(database.db)
  const at = (name: string) => ({
    ...{ host: 'github', address: `${github.url}/halden/${name}.git`, branch: 'main', connectionId: '' },
    remoteId: `${github.repositories.find((one) => one.full_name === `halden/${name}`)!.id}`,
  })
  const two = await TwoRepositories.begin(database.db, engine, {
    ...{ git, at: { api: at('api'), web: at('web') } },
    departures: { mergePolicy, autoMergeMaxLines: null },
  })
  const { owner } = two.run
  const [admin, member] = [await aMember(owner, 'admin'), await aMember(owner, 'member')]
  for (const one of Object.values(two.at))
    one.connectionId = (await aConnection(owner, secrets, { kind: 'github', baseUrl: github.url })).id
  const [api, web] = [two.at.api.connectionId!, two.at.web.connectionId!]
  github.addToken('ghp_web')
  engine.host = hostsOf(engine, github, (id) => (id === web ? 'ghp_web' : token))
  const reason = async () => {
    const { rows } = await database.pool.query('select reason from runs where workspace_id = $1', [
      owner.workspaceId,
    ])
    return rows[0].reason as string
  }
  return { github, git, engine, two, admin, member, api, web, reason }
}

for (const which of ['api', 'web'] as const)
  test(`what one of several repositories refuses is noted on its own connection, and waits for that: ${which}`, async () => {
    const { github, git, engine, two, admin, member, reason, ...ids } = await aRunInTwo()
    const [mine, others, itsToken] =
      which === 'api' ? [ids.api, ids.web, token] : [ids.web, ids.api, 'ghp_web']
    github.tokens.delete(itsToken)
    await two.handOver({ api: { 'b.txt': 'b\n' }, web: { 'b.txt': 'b\n' } })
    await minutes(engine, 2)
    const refused = await marked(admin, member, mine)
    assert.deepEqual([refused.waiting, refused.changes], [[['', 1]], ['refused']])
    assert.deepEqual((await marked(admin, member, others)).waiting, [], 'the other has nothing to do with it')
    assert.match(await reason(), /GitHub rejected the credentials/)
    github.addToken(itsToken)
    await minutes(engine, 20)
    assert.deepEqual([git.api.read('main', 'b.txt'), git.web.read('main', 'b.txt')], ['b', 'b'])
    const mended = await marked(admin, member, mine)
    assert.deepEqual([mended.waiting, mended.changes], [[], ['refused', 'mended']])
  })

test('a repository that is hidden from us: no run is lost, and its pull requests are opened and merged once it is shown again', async () => {
  const { github, git, engine, two, admin, member, reason, ...ids } = await aRunInTwo()
  // An account that loses access to a private repository is told that there is none.
  const json = { message: 'Not Found' }
  github.fail({ status: 404, json }, { when: /\/repos\/halden\/api(?:\/|$)/, times: 10_000 })
  await two.handOver({ api: { 'b.txt': 'b\n' }, web: { 'b.txt': 'b\n' } })
  await minutes(engine, 3)
  const refused = await marked(admin, member, ids.api)
  assert.deepEqual(
    [refused.waiting, refused.told, refused.changes],
    [[['halden/api', 1]], [1, 0], ['refused']],
  )
  assert.match(await reason(), /GitHub has no repository halden\/api, or hides it from this connection/)
  github.mend()
  await minutes(engine, 20)
  assert.deepEqual([git.api.read('main', 'b.txt'), git.web.read('main', 'b.txt')], ['b', 'b'])
  assert.deepEqual((await marked(admin, member, ids.api)).waiting, [])
})

for (const [which, what] of [
  ['api', 'reviews'],
  ['web', 'check-runs'],
] as const)
  test(`a merge whose ${what} may not be read: the connection says so, its admins are told, and it is merged once they may: ${which}`, async () => {
    const { github, git, engine, two, admin, member, reason, ...ids } = await aRunInTwo()
    const json = { message: 'Resource not accessible by personal access token' }
    const when = new RegExp(`^GET /repos/halden/${which}/.*/${what}`)
    github.fail({ status: 403, json }, { when, times: 10_000 })
    const before = [git.api.tip('main'), git.web.tip('main')]
    await two.handOver({ api: { 'b.txt': 'b\n' }, web: { 'b.txt': 'b\n' } })
    await minutes(engine, 3)
    assert.deepEqual([git.api.tip('main'), git.web.tip('main')], before, 'both are held together')
    const refused = await marked(admin, member, ids[which])
    assert.deepEqual(
      [refused.waiting, refused.told, refused.changes],
      [[[`halden/${which}`, 2]], [1, 0], ['refused']],
      'the merge, and behind it what is said about the commit',
    )
    assert.match(await reason(), /doesn’t allow this account to do that/)
    github.mend()
    await minutes(engine, 20)
    assert.deepEqual([git.api.read('main', 'b.txt'), git.web.read('main', 'b.txt')], ['b', 'b'])
    assert.deepEqual((await marked(admin, member, ids[which])).waiting, [])
  })

test('a commit status that may not be set keeps back no merge, and is set once it may be', async () => {
  const { github, git, engine, two, admin, member, ...ids } = await aRunInTwo('ask')
  const json = { message: 'Resource not accessible by personal access token' }
  github.fail({ status: 403, json }, { when: /^POST \/repos\/halden\/api\/statuses\//, times: 10_000 })
  await two.handOver({ api: { 'b.txt': 'b\n' }, web: { 'b.txt': 'b\n' } })
  await minutes(engine, 3)
  const refused = await marked(admin, member, ids.api)
  assert.deepEqual(
    [refused.waiting, refused.told, refused.changes],
    [[['halden/api', 1]], [1, 0], ['refused']],
  )
  assert.deepEqual((await marked(admin, member, ids.web)).waiting, [])
  await two.run.answer('merge')
  await minutes(engine, 20)
  assert.deepEqual([git.api.read('main', 'b.txt'), git.web.read('main', 'b.txt')], ['b', 'b'])
  github.mend()
  await minutes(engine, 20)
  const mended = await marked(admin, member, ids.api)
  assert.deepEqual([mended.waiting, mended.changes], [[], ['refused', 'mended']])
})
