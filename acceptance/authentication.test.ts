import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AuditEntry } from '../contract/audit.ts'
import type { Decision } from '../contract/decision.ts'
import type { RunListed } from '../contract/run.ts'
import type { StoryListed } from '../contract/story.ts'
import type { Team } from '../contract/team.ts'
import { type NewToken, type Page, type Reply, refused, startDemo, withQuery } from './demo.ts'

/** "Authentication" and "Permissions": who may ask for what, and how quickly that changes. */

const demo = await startDemo()
const { people, tokens, workspace } = demo.started

const [team] = (await demo.get<Page<Team>>('/v1/teams')).data
const [run] = (await demo.get<Page<RunListed>>('/v1/runs')).data
const [decision] = (await demo.get<Page<Decision>>('/v1/decisions')).data

const readable = [
  '/v1/teams',
  `/v1/teams/${team!.slug}`,
  `/v1/teams/${team!.slug}/stories`,
  `/v1/stories/${run!.story.key}`,
  '/v1/runs',
  `/v1/runs/${run!.key}`,
  '/v1/decisions',
  `/v1/decisions/${decision!.key}`,
  '/boards',
  `/boards/${team!.id}`,
]
const ofTheAudit = ['/v1/audit', '/v1/audit/export']
const everything = [...readable, ...ofTheAudit]

// One token for each lifetime, made in one go: every command of the operator is a process of its own.
const [forAdmin, withoutRead, ofMember] = await Promise.all([
  demo.newToken({ permissions: 'admin', expires: '1y' }),
  demo.newToken({ permissions: 'write,delete', expires: '90d' }),
  demo.newToken({ permissions: 'read,write,delete,admin', expires: '30d', email: people.member.email }),
])

describe('Token format', () => {
  test('a token is tk_ and 32 characters, 35 in total', () => {
    const all = [...Object.values(tokens), forAdmin.token, withoutRead.token, ofMember.token]
    for (const token of all) {
      assert.equal(token.length, 35)
      assert.match(token, /^tk_[0-9A-Za-z]{32}$/)
    }
    assert.equal(new Set(all).size, all.length)
  })

  test('its prefix is its first 11 characters', () => {
    for (const { token, prefix } of [forAdmin, withoutRead, ofMember])
      assert.equal(prefix, token.slice(0, 11))
  })
})

describe('Bearer header', () => {
  test('a token in the header Authorization: Bearer opens every endpoint', async () => {
    for (const address of everything) assert.equal((await demo.ask(address)).status, 200, address)
  })

  test('the scheme may be written in any case', async () => {
    for (const scheme of ['bearer', 'BEARER']) {
      const headers = { authorization: `${scheme} ${tokens.owner}` }
      assert.equal((await demo.ask('/v1/teams', { token: null, headers })).status, 200, scheme)
    }
  })

  test('a token anywhere else is no token', async () => {
    const elsewhere: [string, Record<string, string>][] = [
      [withQuery('/v1/teams', { token: tokens.owner }), {}],
      [withQuery('/v1/teams', { access_token: tokens.owner }), {}],
      ['/v1/teams', { 'x-api-key': tokens.owner }],
      ['/v1/teams', { cookie: `token=${tokens.owner}` }],
    ]
    for (const [address, headers] of elsewhere)
      refused(await demo.ask(address, { token: null, headers }), 401, 'missing_token', address)
  })
})

/** RFC 6750: a request that carries no token is told the scheme, any other what is wrong with the token. */
function challenged(reply: Reply, error: string | null): void {
  const challenge = reply.headers.get('www-authenticate') ?? ''
  assert.match(challenge, /^Bearer\b/)
  if (error === null) assert.ok(!challenge.includes('error='), challenge)
  else assert.ok(challenge.includes(`error="${error}"`), challenge)
}

describe('401', () => {
  test('a missing token', async () => {
    for (const address of everything) {
      const reply = await demo.ask(address, { token: null })
      refused(reply, 401, 'missing_token', address)
      challenged(reply, null)
    }
  })

  test('a malformed token', async () => {
    const [, random] = tokens.owner.split('_')
    for (const authorization of [
      'Bearer',
      'Bearer x',
      'Bearer tk_short',
      `Bearer tk_${random}x`,
      `Bearer xx_${random}`,
      `Bearer ${tokens.owner} ${tokens.owner}`,
      `Bearer ${tokens.owner.toLowerCase()}`,
      `Basic ${Buffer.from(`owner:${tokens.owner}`).toString('base64')}`,
      `Token ${tokens.owner}`,
      tokens.owner,
    ]) {
      const reply = await demo.ask('/v1/teams', { token: null, headers: { authorization } })
      assert.equal(reply.status, 401, authorization)
      challenged(reply, JSON.parse(reply.text).error.code === 'missing_token' ? null : 'invalid_token')
    }
  })

  test('an unknown, a revoked and a malformed token are told the same', async () => {
    const unknown = `tk_${'0'.repeat(32)}`
    // One character off: the kind of mistake that copying makes.
    const mistyped = tokens.owner.slice(0, -1) + (tokens.owner.endsWith('a') ? 'b' : 'a')
    for (const address of everything) {
      const bodies = new Set<string>()
      for (const token of ['nonsense', unknown, mistyped, tokens.revoked]) {
        const reply = await demo.ask(address, { token })
        refused(reply, 401, 'invalid_token', address)
        challenged(reply, 'invalid_token')
        bodies.add(reply.text)
      }
      assert.equal(bodies.size, 1, address)
    }
  })

  test('an expired token', async () => {
    for (const address of everything) {
      const reply = await demo.ask(address, { token: tokens.expired })
      refused(reply, 401, 'token_expired', address)
      challenged(reply, 'invalid_token')
    }
  })
})

describe('Permissions', () => {
  test('read opens every GET endpoint', async () => {
    for (const address of everything)
      assert.equal((await demo.ask(address, { token: tokens.readOnly })).status, 200, address)
  })

  test('a token without read is 403 on every GET endpoint', async () => {
    for (const token of [tokens.writeOnly, withoutRead.token]) {
      for (const address of everything) {
        const reply = await demo.ask(address, { token })
        refused(reply, 403, 'insufficient_scope', address)
        challenged(reply, 'insufficient_scope')
      }
    }
  })

  test('admin is everything the other permissions allow', async () => {
    for (const address of everything)
      assert.equal((await demo.ask(address, { token: forAdmin.token })).status, 200, address)
  })
})

describe('The audit endpoints', () => {
  test('take tokens of owners and admins', async () => {
    for (const token of [tokens.owner, tokens.admin])
      for (const address of ofTheAudit)
        assert.equal((await demo.ask(address, { token })).status, 200, address)
  })

  test("a member's token is 403, whatever its permissions", async () => {
    for (const token of [tokens.member, ofMember.token])
      for (const address of ofTheAudit)
        refused(await demo.ask(address, { token }), 403, 'insufficient_role', address)
  })

  test('a member reads everything else', async () => {
    for (const address of readable)
      assert.equal((await demo.ask(address, { token: tokens.member })).status, 200, address)
  })
})

describe('A token reaches only the workspace it was created in', () => {
  test('lists hold what is its own', async () => {
    const mine = await demo.get<Page<Team>>('/v1/teams')
    const theirs = await demo.get<Page<Team>>('/v1/teams', tokens.otherWorkspace)
    assert.ok(theirs.data.length > 0)
    const ids = new Set(mine.data.map(({ id }) => id))
    assert.ok(theirs.data.every(({ id }) => !ids.has(id)))
    const keys = async (address: string, token: string) =>
      new Set((await demo.all<{ id?: string; key?: string }>(address, token)).map((one) => one.id ?? one.key))
    for (const address of ['/v1/runs', '/v1/decisions', '/v1/audit']) {
      const [ours, others] = [await keys(address, tokens.owner), await keys(address, tokens.otherWorkspace)]
      assert.ok(others.size > 0, address)
      assert.equal(ours.intersection(others).size, 0, address)
    }
  })

  /** What could give a difference away, without what differs between any two answers. */
  function comparable(reply: Reply, key: string): unknown {
    const headers = [...reply.headers].filter(
      ([name]) => !['x-request-id', 'date'].includes(name) && !name.startsWith('x-ratelimit-'),
    )
    return { status: reply.status, headers, text: reply.text.replaceAll(key, 'KEY') }
  }

  const flipped = (key: string) => {
    const [head, tail] = [key.slice(0, -3), key.slice(-3)]
    return head + (tail === 'zzz' ? 'yyy' : 'zzz')
  }

  test("another workspace's keys answer byte for byte like missing ones", async () => {
    const theirTeam = (await demo.get<Page<Team>>('/v1/teams', tokens.otherWorkspace)).data[0]!
    const theirRun = (await demo.get<Page<RunListed>>('/v1/runs', tokens.otherWorkspace)).data[0]!
    const theirDecision = (await demo.get<Page<Decision>>('/v1/decisions', tokens.otherWorkspace)).data[0]!
    const theirs = { team: theirTeam, run: theirRun, decision: theirDecision, token: tokens.owner }
    const mine = { team: team!, run: run!, decision: decision!, token: tokens.otherWorkspace }
    for (const { team, run, decision, token } of [theirs, mine]) {
      const number = run.story.key.split('-')[1]!
      const pairs: [string, string, (key: string) => string][] = [
        [team.slug, flipped(team.slug), (key) => `/v1/teams/${key}`],
        [team.slug, flipped(team.slug), (key) => `/v1/teams/${key}/stories`],
        [
          run.story.key,
          `${'Z'.repeat(run.story.key.length - number.length - 1)}-${number}`,
          (key) => `/v1/stories/${key}`,
        ],
        [run.key, flipped(run.key), (key) => `/v1/runs/${key}`],
        [decision.key, flipped(decision.key), (key) => `/v1/decisions/${key}`],
        [team.id, `${team.id.slice(0, -4)}0000`, (key) => `/boards/${key}`],
        [team.slug, flipped(team.slug), (key) => `/v1/runs?team=${key}`],
        [team.slug, flipped(team.slug), (key) => `/v1/decisions?team=${key}`],
        [run.key, flipped(run.key), (key) => `/v1/decisions?run=${key}`],
        [run.key, flipped(run.key), (key) => `/v1/audit?run=${key}`],
        [team.slug, flipped(team.slug), (key) => `/v1/audit?team=${key}`],
      ]
      for (const [existing, missing, address] of pairs) {
        assert.equal(existing.length, missing.length)
        const foreign = await demo.ask(address(existing), { token })
        const absent = await demo.ask(address(missing), { token })
        assert.deepEqual(comparable(foreign, existing), comparable(absent, missing), address(existing))
        assert.ok(foreign.status === 404 || foreign.text === '{"data":[],"nextCursor":null}', foreign.text)
      }
    }
  })
})

describe('Life of a token', () => {
  test('revoking takes effect at once, also on a token in use, while the server runs', async () => {
    const used = await demo.newToken()
    assert.equal((await demo.ask('/v1/teams', { token: used.token })).status, 200)
    let revoked = false
    let asked = 0
    const usedAllTheTime = (async () => {
      while (!revoked) {
        await demo.ask('/v1/teams', { token: used.token })
        asked += 1
      }
    })()
    await demo.admin('token', 'revoke', '--workspace', workspace, '--token', used.prefix)
    // From the moment the operator is told, on every endpoint, and for many at once.
    const replies = await Promise.all(everything.map((address) => demo.ask(address, { token: used.token })))
    revoked = true
    await usedAllTheTime
    assert.ok(asked > 5)
    for (const reply of replies) refused(reply, 401, 'invalid_token')
    assert.equal((await demo.ask('/v1/teams')).status, 200, 'other tokens of the owner go on')
  })

  test('it expires after 30 days, 90 days or 1 year', () => {
    const lives = [
      [ofMember, 30],
      [withoutRead, 90],
      [forAdmin, 365],
    ] as const
    for (const [{ expiresAt }, days] of lives) {
      const aheadDays = (Date.parse(expiresAt) - Date.now()) / 86_400_000
      assert.ok(aheadDays <= days && aheadDays > days - 0.01, `${aheadDays} instead of ${days} days`)
    }
  })

  test('it stops when the workspace is deleted', async () => {
    await demo.admin('workspace', 'create', '--slug', 'short-lived')
    const named = ['--workspace', 'short-lived', '--email', 'sam@example.com']
    await demo.admin('person', 'create', ...named, '--role', 'owner')
    const { token } = await demo.newToken({ workspace: 'short-lived', email: 'sam@example.com' })
    assert.deepEqual(await demo.get('/v1/teams', token), { data: [], nextCursor: null })
    await demo.admin('workspace', 'delete', '--workspace', 'short-lived')
    refused(await demo.ask('/v1/teams', { token }), 401, 'invalid_token')
  })

  test('it belongs to a member; a command that is refused changes and records nothing', async () => {
    // What an operator does is recorded as the system's; the demo's runs write as the service.
    const recorded = async () => (await demo.all<AuditEntry>('/v1/audit?actor=system')).length
    const before = await recorded()
    const named = ['--workspace', workspace, '--email', 'nobody@example.com']
    const { code, stdout, stderr } = await demo.signalbox(
      ...['admin', 'token', 'create', ...named, '--permissions', 'read', '--expires', '30d', '--json'],
    )
    assert.notEqual(code, 0)
    assert.equal(stdout, '')
    assert.match(stderr, /^[^\n]*nobody@example\.com[^\n]*\.\n$/, 'one sentence, no stack')
    assert.equal(await recorded(), before)
  })
})

describe('A member of staff comes, is demoted, and leaves', () => {
  const email = 'robin@example.com'
  const named = ['--workspace', workspace, '--email', email]
  let made: NewToken

  test('a token acts with the rights of its creator as they are now', async () => {
    await demo.admin('person', 'create', ...named, '--name', 'Robin', '--role', 'admin')
    made = await demo.newToken({ email })
    assert.equal((await demo.ask('/v1/audit', { token: made.token })).status, 200)
    await demo.admin('person', 'role', ...named, '--role', 'member')
    refused(await demo.ask('/v1/audit', { token: made.token }), 403, 'insufficient_role')
    assert.equal((await demo.ask('/v1/teams', { token: made.token })).status, 200)
  })

  test('it stops working when its creator leaves', async () => {
    await demo.admin('person', 'remove', ...named)
    refused(await demo.ask('/v1/teams', { token: made.token }), 401, 'invalid_token')
  })

  test("the operator's commands are audited like every change, with the operator named as system", async () => {
    const newest = async (event: string) =>
      (await demo.get<Page<AuditEntry>>(`/v1/audit?event=${event}&limit=1`)).data[0]!
    const [joined, created, demoted, removed, revoked] = await Promise.all(
      ['member_joined', 'token_created', 'member_role_changed', 'member_removed', 'token_revoked'].map(
        newest,
      ),
    )
    for (const entry of [joined, demoted, removed]) assert.equal(entry!.entity.name, 'Robin', entry!.event)
    assert.deepEqual(demoted!.details.changes, [{ field: 'role', before: 'admin', after: 'member' }])
    assert.deepEqual([created!.entity.id, created!.details.prefix], [made.id, made.prefix])
    for (const entry of [joined, created, demoted, removed, revoked]) {
      const { actor, event, result } = entry!
      assert.deepEqual([actor.type, actor.userId, result], ['system', null, 'success'], event)
      assert.match(actor.name, /operator/, event)
      assert.ok(!JSON.stringify(entry).includes(made.token))
    }
  })
})

test('a story of another workspace with the same key is the own one', async () => {
  // Keys are unique in a workspace only, so two workspaces may both have WEB-1.
  const teams = (await demo.get<Page<Team>>('/v1/teams', tokens.otherWorkspace)).data
  for (const { slug } of teams) {
    const stories = await demo.all<StoryListed>(`/v1/teams/${slug}/stories`, tokens.otherWorkspace)
    for (const story of stories) {
      const read = await demo.get<StoryListed>(`/v1/stories/${story.key}`, tokens.otherWorkspace)
      assert.equal(read.id, story.id)
    }
  }
})
