import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Credential, Order } from '@signalbox/contract/runner/messages.ts'
import { checkServer } from '../../../runner/conformance/against-server.ts'
import { revokeToken } from '../../domain/accounts/tokens/revoke.ts'
import { allowNetworks } from '../../domain/accounts/workspaces/allow-networks.ts'
import { listRunners } from '../../domain/engine/runners/list.ts'
import { removeRunner } from '../../domain/engine/runners/remove.ts'
import { housekeeping } from '../../domain/record/audit/change.ts'
import type { Preset } from '../../domain/work/policies/presets.ts'
import { testApp } from '../../test/app.ts'
import { GithubPulls } from '../../test/doubles/github/pulls.ts'
import { GithubDouble } from '../../test/doubles/github.ts'
import { GitlabMergeRequests } from '../../test/doubles/gitlab/merge-requests.ts'
import { GitlabDouble } from '../../test/doubles/gitlab.ts'
import { ABareRepository } from '../../test/engine/bare-repository.ts'
import { goesWell } from '../../test/engine/engine.ts'
import { aRunner } from '../../test/engine/real-runner.ts'
import { TestRunner } from '../../test/engine/runner.ts'
import { aMember, aPolicy, aStory, aTeam, aToken, aWorkspace } from '../../test/factories.ts'
import { httpHost } from '../../test/hosts/http-host.ts'
import { tables } from '../../test/tables.ts'
import { aConnection } from '../../test/tools/connections.ts'
import { until } from '../../test/until.ts'

const secret = 'tok-do-not-tell-0123456789'
const ending: (() => unknown)[] = []
let app: Awaited<ReturnType<typeof testApp>>
before(async () => {
  app = await testApp({ env: { CONNECTION_ALLOW: '127.0.0.1', LOG_LEVEL: 'trace' } })
})
after(async () => {
  await stop()
  for (const end of ending) await end()
})

/** Once: the last test does it itself. */
let isStopped = false
async function stop() {
  if (isStopped) return
  isStopped = true
  await app.stop()
}

const tools = {
  async github(git: ABareRepository) {
    const double = await new GithubDouble().start()
    new GithubPulls(double).add('halden/shop', git)
    return double
  },
  async gitlab(git: ABareRepository) {
    const double = await new GitlabDouble().start()
    new GitlabMergeRequests(double).add('halden/shop', git)
    return double
  },
}

/** A team whose repository is at a tool that is reached with a token, and a story for it. */
async function aPlace(kind: keyof typeof tools, preset: Preset = 'autonomous') {
  const git = new ABareRepository()
  await git.push('main', { 'a.txt': 'one\n' })
  const double = await tools[kind](git)
  double.addToken(secret)
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-relay-'))
  ending.push(
    () => double.stop(),
    () => git.remove(),
    () => rmSync(folder, { recursive: true, force: true }),
  )
  const owner = await aMember(await aWorkspace(app.storage.db), 'owner')
  const { token, id: tokenId } = await aToken(owner, ['read'])
  const team = await aTeam(owner)
  await aPolicy(owner, team, preset)
  const { id } = await aConnection(owner, app.storage.secrets, {
    ...{ kind, baseUrl: double.url, credentials: { token: secret } },
  })
  await housekeeping(app.storage.db, 'a repository for a test', (tx) =>
    tables(tx)
      .insertInto('team_repositories')
      .values({
        ...{ workspace_id: owner.workspaceId, team_id: team.id, host: kind, branch: 'main', remote_id: '1' },
        ...{ name: 'halden/shop', address: `${double.url}/halden/shop.git`, connection_id: id },
      })
      .execute(),
  )
  await aStory(owner, team)
  return { git, double, owner, token, tokenId, folder, clone: path.join(folder, 'clone') }
}

/** The same with a runner that has the order. */
async function atWork(kind: keyof typeof tools, features = ['relay']) {
  const place = await aPlace(kind)
  const runner = new TestRunner(app.url, place.token, { features })
  await runner.register()
  const order = (await runner.acquire())!
  return { ...place, runner, order }
}

/** The same with the order that hands off a change: no other one may push. */
async function atHandOff(kind: keyof typeof tools) {
  const work = await atWork(kind)
  const { workspaceId } = work.owner
  await housekeeping(app.storage.db, 'the last stage, for a test', (tx) =>
    tables(tx)
      .updateTable('work_orders')
      .set({ stage: 'handing_off' })
      .where('workspace_id', '=', workspaceId)
      .where('fence', '=', work.order.fence)
      .execute(),
  )
  return work
}

const askFor = (runner: TestRunner, { run, fence }: Order, access: string) =>
  runner.call(`orders/${run}/${fence}/credential`, { for: 'git', access })

async function credentialOf(runner: TestRunner, order: Order, access: 'read' | 'write') {
  const credential = (await (await askFor(runner, order, access)).json()) as Credential
  assert.equal(credential.address, `orders/${order.run}/${order.fence}/repository.git`)
  return { ...credential, url: `${app.url}/runner/v1/${credential.address}` }
}

/** What git did and said, with each byte of every header that it got. */
function run(header: string | null, ...args: string[]): Promise<{ ok: boolean; said: string }> {
  const env = {
    ...{ PATH: process.env.PATH, HOME: '/nonexistent', GIT_TERMINAL_PROMPT: '0' },
    ...{ GIT_TRACE_CURL: '1', GIT_TRACE_CURL_NO_DATA: '1' },
    ...{ GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.com', GIT_CONFIG_NOSYSTEM: '1' },
    ...{ GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.com' },
    ...{
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'http.extraHeader',
      GIT_CONFIG_VALUE_0: header ?? 'X-A: b',
    },
  }
  const { promise, resolve } = Promise.withResolvers<{ ok: boolean; said: string }>()
  // Not in step: the double and the server answer in this process.
  execFile('git', args, { env, maxBuffer: 1e9 }, (error, printed, said) =>
    resolve({ ok: error === null, said: `${printed}${said}` }),
  )
  return promise
}

const sentences = (said: string) => said.split('\n').filter((line) => /^(remote|error|fatal): /.test(line))

/** The secret as it stands, and as a host is sent it. */
const spellings = [secret, ...['x-access-token', 'oauth2'].map((user) => btoa(`${user}:${secret}`))]
const assertUntold = (text: string) => {
  for (const spelling of spellings) assert.ok(!text.includes(spelling), 'the secret was told')
}

const pushesAt = ({ asked }: { asked: { method: string; path: string }[] }) =>
  asked.filter(({ method, path }) => method === 'POST' && path.endsWith('git-receive-pack')).length

for (const kind of ['github', 'gitlab'] as const) {
  test(`${kind}: git clones, fetches and pushes through this server, and nothing a runner gets holds the token`, async () => {
    const { git, double, runner, order, folder, clone } = await atHandOff(kind)
    const answered = await askFor(runner, order, 'write')
    const { header, url, ...rest } = await credentialOf(runner, order, 'write')
    const lasts = Date.parse(rest.expiresAt!) - Date.now()
    assert.ok(lasts > 0 && lasts <= 3_600_000)
    const told = [JSON.stringify(order), await answered.text(), JSON.stringify([...answered.headers])]

    told.push((await run(header, 'clone', '--quiet', url, clone)).said)
    const main = git.tip('main')!
    assert.equal((await run(header, '-C', clone, 'rev-parse', 'HEAD')).said.trim(), main)
    const later = await git.push('main', { 'b.txt': 'later\n' })
    const fetched = await run(header, '-C', clone, 'fetch', '--quiet', 'origin')
    assert.ok(fetched.ok, fetched.said)
    told.push(fetched.said)
    // A file that is larger than git holds before it sends, and does not shrink.
    writeFileSync(path.join(clone, 'large.bin'), randomBytes(3_000_000))
    await run(null, '-C', clone, 'reset', '--quiet', '--hard', later)
    await run(null, '-C', clone, 'add', '--all')
    await run(null, '-C', clone, 'commit', '--quiet', '-m', 'Large')
    const branch = `signalbox/${order.run}/${order.attempt}`
    const pushed = await run(header, '-C', clone, 'push', 'origin', `HEAD:refs/heads/${branch}`)
    assert.ok(pushed.ok, sentences(pushed.said).join('\n'))
    told.push(pushed.said)
    const head = (await run(null, '-C', clone, 'rev-parse', 'HEAD')).said.trim()
    assert.equal(git.tip(branch), head)
    // And back: the pack of a fetch.
    const again = path.join(folder, 'again')
    assert.ok((await run(header, 'clone', '--quiet', '--branch', branch, url, again)).ok)
    assert.equal((await run(null, '-C', again, 'rev-parse', 'HEAD')).said.trim(), head)

    told.push(header!, url)
    for (const text of told) assertUntold(text)
    assertUntold(app.log.join(''))
    assert.ok(!app.log.join('').includes(header!.split(' ').at(-1)!), 'nor does the log hold the pass')
    const asked = double.asked.filter(({ path }) => path.startsWith('/halden/shop.git/'))
    const passed = header!.split(' ').at(-1)!
    assert.ok(asked.length > 5)
    for (const { headers } of asked) {
      assert.ok(spellings.includes(headers.authorization!.split(' ')[1]!), 'the host knows us by the token')
      assert.ok(!JSON.stringify(headers).includes(passed), 'and never sees the pass')
    }
    assert.deepEqual(
      [
        ...new Set(
          asked.filter(({ method }) => method === 'POST').map(({ headers }) => headers['git-protocol']),
        ),
      ],
      ['version=2', undefined],
      'pushes are spoken in the one way that is read here',
    )
  })

  test(`${kind}: no push goes to another branch, and none is deleted; the host hears nothing of it`, async () => {
    const { git, double, runner, order, clone } = await atHandOff(kind)
    const { header, url } = await credentialOf(runner, order, 'write')
    assert.ok((await run(header, 'clone', '--quiet', url, clone)).ok)
    await run(null, '-C', clone, 'commit', '--quiet', '--allow-empty', '-m', 'Mine')
    const branch = `signalbox/${order.run}/${order.attempt}`
    const push = (...args: string[]) => run(header, '-C', clone, 'push', '--quiet', ...args)
    const before = git.tip('main')
    const refspecs = [
      ['origin', 'HEAD:refs/heads/main'],
      ['origin', `HEAD:refs/heads/signalbox/${order.run}/${order.attempt + 1}`],
      ['origin', 'HEAD:refs/tags/v1'],
      ['origin', `HEAD:refs/heads/${branch}`, 'HEAD:refs/heads/main'],
      ['--atomic', 'origin', `HEAD:refs/heads/${branch}`, 'HEAD:refs/heads/other'],
    ]
    for (const one of refspecs) {
      const { ok, said } = await push(...one)
      assert.ok(!ok && /HTTP 403/.test(said), sentences(said).join('\n'))
    }
    assert.deepEqual([git.tip('main'), git.tip(branch), pushesAt(double)], [before, null, 0])
    assert.ok((await push('origin', `HEAD:refs/heads/${branch}`)).ok)
    const there = git.tip(branch)
    assert.ok(!(await push('origin', `:refs/heads/${branch}`)).ok)
    assert.deepEqual([git.tip(branch), pushesAt(double)], [there, 1])
  })

  test(`${kind}: a credential to read fetches and does not push`, async () => {
    const { double, runner, order, clone } = await atWork(kind)
    const { header, url } = await credentialOf(runner, order, 'read')
    assert.ok((await run(header, 'clone', '--quiet', url, clone)).ok)
    const branch = `signalbox/${order.run}/${order.attempt}`
    const { ok, said } = await run(
      header,
      '-C',
      clone,
      'push',
      '--quiet',
      'origin',
      `HEAD:refs/heads/${branch}`,
    )
    assert.ok(!ok)
    assert.match(sentences(said)[0]!, /remote: This credential is for reading/)
    assert.equal(pushesAt(double), 0)
  })
}

test('only the order that hands off a change is let write, whatever the token of its runner may do', async () => {
  const { double, runner, order, owner } = await atWork('github')
  assert.equal(order.stage, 'planning')
  const refused = await askFor(runner, order, 'write')
  assert.equal(refused.status, 403)
  assert.match(await refused.text(), /"insufficient_scope".*nothing to push/)
  assert.equal((await askFor(runner, order, 'read')).status, 200)
  assert.equal(pushesAt(double), 0)
  const [listed] = await listRunners(owner)
  assert.deepEqual(listed?.given, { orders: 1, reads: 1, writes: 0 })
})

const lsRemote = async (header: string | null, url: string) => {
  const { ok, said } = await run(header, 'ls-remote', url)
  assertUntold(said)
  return ok ? 'let in' : sentences(said)[0]
}

test('the way in is closed with the order, with the runner and with its token', async () => {
  const over = await atWork('github')
  const ofOrder = await credentialOf(over.runner, over.order, 'read')
  assert.equal(await lsRemote(ofOrder.header, ofOrder.url), 'let in')
  await over.runner.report(over.order, [1, goesWell.plan])
  const outdated = 'remote: This work order is over. Stop, and push nothing.'
  assert.equal(await lsRemote(ofOrder.header, ofOrder.url), outdated)
  const next = (await over.runner.acquire())!
  const ofNext = await credentialOf(over.runner, next, 'read')
  assert.equal(await lsRemote(ofOrder.header, ofNext.url), outdated, 'another order has another one')
  assert.equal(await lsRemote(ofNext.header, ofNext.url), 'let in')
  await revokeToken(over.owner, over.tokenId)
  assert.equal(await lsRemote(ofNext.header, ofNext.url), outdated)

  const removed = await atWork('gitlab')
  const ofRemoved = await credentialOf(removed.runner, removed.order, 'read')
  await removeRunner(removed.owner, removed.runner.id)
  assert.equal(await lsRemote(ofRemoved.header, ofRemoved.url), outdated)
})

test('a credential is used from the networks of runners only', async () => {
  const { owner, runner, order } = await atWork('github')
  const { header, url } = await credentialOf(runner, order, 'read')
  assert.equal(await lsRemote(header, url), 'let in')
  await allowNetworks(owner, { networks: [], runnerNetworks: ['192.0.2.1'] })
  assert.match((await lsRemote(header, url))!, /This workspace cannot be used from 127\.0\.0\.1/)
  await allowNetworks(owner, { networks: ['192.0.2.1'], runnerNetworks: ['127.0.0.1'] })
  assert.equal(await lsRemote(header, url), 'let in')
})

test('a credential that was changed, or is none, opens nothing', async () => {
  const { double, runner, order } = await atWork('github')
  const { header, url } = await credentialOf(runner, order, 'read')
  const [said, mac] = header!.split('sbg_')[1]!.split('.') as [string, string]
  const wider = JSON.parse(Buffer.from(said, 'base64url').toString())
  wider.access = 'write'
  const forged = Buffer.from(JSON.stringify(wider)).toString('base64url')
  const refused = 'remote: This credential is not valid or has expired. Ask for another one.'
  for (const wrong of [`sbg_${forged}.${mac}`, `sbg_${said}.${mac.slice(1)}A`, 'sbg_', 'tk_nothing'])
    assert.equal(await lsRemote(`Authorization: Bearer ${wrong}`, url), refused)
  assert.match((await lsRemote(null, url))!, /needs an API token/)
  assert.equal(double.asked.filter(({ path }) => path.includes('.git/')).length, 0)
})

test('only the three requests of git are passed on', async () => {
  const { double, runner, order } = await atHandOff('gitlab')
  const { header, url } = await credentialOf(runner, order, 'write')
  const authorization = header!.slice('Authorization: '.length)
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${url}${path}`, {
      ...init,
      headers: { authorization, ...(init.headers as Record<string, string>) },
    })
    await response.body?.cancel()
    return response.status
  }
  const type = 'application/x-git-receive-pack-request'
  assert.deepEqual(
    [
      await ask('/info/refs'),
      await ask('/info/refs?service=git-upload-archive'),
      await ask('/info/refs?service=git-upload-pack&service=git-receive-pack'),
      await ask('/HEAD'),
      await ask('/objects/info/packs'),
      await ask('/git-upload-archive', { method: 'POST' }),
      await ask('/git-upload-pack'),
      await ask('/../../../beat'),
      await ask('/git-upload-pack', { method: 'POST', body: '0000' }),
      await ask('/git-receive-pack', {
        ...{ method: 'POST', body: '0000' },
        headers: { 'content-type': type, 'content-encoding': 'gzip' },
      }),
      await ask('/git-receive-pack', { method: 'POST', body: 'PACK', headers: { 'content-type': type } }),
    ],
    [400, 400, 400, 404, 404, 404, 404, 404, 415, 415, 400],
  )
  assert.equal(double.asked.filter(({ path }) => path.includes('.git/')).length, 0)
  assert.equal(await ask('/info/refs?service=git-upload-pack'), 200)
})

test('what the host refuses is a sentence without its words, and no redirect is followed', async (t) => {
  const elsewhere = await httpHost(t, (_, response) => response.end())
  const { double, runner, order } = await atWork('github')
  const { header, url } = await credentialOf(runner, order, 'read')
  const when = /\.git\//
  for (const [fault, sentence] of [
    [{ status: 401, text: secret }, 'GitHub rejected the credentials (status 401). Replace them.'],
    [{ status: 404, text: secret }, 'GitHub doesn’t have that, or hides it from this account (status 404).'],
    [{ status: 503, text: secret }, 'GitHub answered with status 503.'],
    [{ status: 429 }, 'GitHub says we called too often.'],
    [
      { status: 301, headers: { location: `${elsewhere.url}/halden/shop.git/info/refs` } },
      'GitHub redirects to another address (status 301). Check the URL.',
    ],
    [
      { status: 200, headers: { 'content-type': 'text/html' }, text: `<p>${secret}` },
      'GitHub answered with something other than git. Check the URL.',
    ],
    ['none', 'GitHub cannot be reached (ECONNRESET).'],
  ] as const) {
    double.fail(fault, { when })
    assert.equal(await lsRemote(header, url), `remote: ${sentence}`)
  }
  assert.equal(elsewhere.asked.length, 0)
  double.fail('half', { when })
  assert.notEqual(await lsRemote(header, url), 'let in', 'half an answer is none')
  assert.equal(await lsRemote(header, url), 'let in')
  double.tokens.clear()
  await lsRemote(header, url)
  const { rows } = await app.storage.pool.query('select last_refusal from connections where id is not null')
  assert.ok(rows.some(({ last_refusal }) => /rejected the credentials/.test(last_refusal)))
})

test('a runner that does not know this way is told to be upgraded, and is not given the token', async () => {
  const { runner, order } = await atWork('github', [])
  const refused = await askFor(runner, order, 'read')
  const text = await refused.text()
  assert.equal(refused.status, 422)
  assert.match(text, /this runner is too old for that\. Upgrade the runner\./)
  assertUntold(text)
})

test('the conformance kit finds the same', async () => {
  const { token } = await aPlace('gitlab')
  const results = await checkServer(app.url, token)
  assert.deepEqual(
    results.filter(({ breaches, skipped }) => breaches.length > 0 || skipped),
    [],
  )
})

test('our own runner is cut off in the middle of a fetch, and goes on with another credential', async (t) => {
  const { double, owner, token, folder } = await aPlace('github', 'trial')
  const when = /git-upload-pack$/
  double.fail('none', { when })
  double.fail('half', { when })
  const plan = { plan: 'Write it.', paths: ['notes'], risk: 'low', lines: 1 }
  const script = { stories: { '*': { plan: [[{ result: 'plan.json', json: plan }]] } } }
  const runner = await aRunner({ url: app.url, token, gitFolder: folder }, { script })
  t.after(() => runner.stop())
  await until('the plan is there', async () => {
    const { rows } = await app.storage.pool.query('select kind from decisions where workspace_id = $1', [
      owner.workspaceId,
    ])
    return rows.some(({ kind }) => kind === 'plan_approval')
  })
  const { rows } = await app.storage.pool.query('select attempts from runs where workspace_id = $1', [
    owner.workspaceId,
  ])
  assert.deepEqual(rows, [{ attempts: 1 }], 'it was the first attempt')
})

test('for one order git is not called without end at the same time', async () => {
  const { double, runner, order } = await atWork('github')
  const { header, url } = await credentialOf(runner, order, 'read')
  const when = /\.git\//
  double.fail('silence', { times: 4, when })
  const leaving = new AbortController()
  const headers = { authorization: header!.slice('Authorization: '.length) }
  const ask = () =>
    fetch(`${url}/info/refs?service=git-upload-pack`, { headers, signal: leaving.signal }).then(
      ({ status }) => status,
      () => 'gone',
    )
  const held = [ask(), ask(), ask(), ask()]
  const isAsked = () => double.asked.filter(({ path }) => path.includes('.git/')).length === 4
  await until('four of them are at the host', isAsked)
  assert.equal(await ask(), 429)
  leaving.abort()
  assert.deepEqual(await Promise.all(held), ['gone', 'gone', 'gone', 'gone'])
  await until('there is room again', async () => (await lsRemote(header, url)) === 'let in')
})

test('a server that stops does not wait for git, and says so', async () => {
  const { double, runner, order } = await atWork('github')
  const { header, url } = await credentialOf(runner, order, 'read')
  double.fail('silence', { when: /\.git\// })
  const held = lsRemote(header, url)
  await until('it is at the host', () => double.asked.some(({ path }) => path.includes('.git/')))
  await stop()
  assert.equal(await held, 'remote: This server is stopping. Try again in a moment.')
})
