import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request, ServerResponse } from 'node:http'
import { after, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { revokeToken } from '../../domain/accounts/tokens/revoke.ts'
import { newTokenValue } from '../../domain/accounts/tokens/value.ts'
import { exportAudit } from '../../domain/record/audit/export.ts'
import { testApp } from '../../test/app.ts'
import { aDecision, aMember, aRun, aStory, aTeam, aToken, aWorkspace } from '../../test/factories.ts'
import { until } from '../../test/until.ts'
import { routes } from './routes.ts'

/** What every answer of the REST API carries, whatever it is. */

const app = await testApp({ env: { LOG_LEVEL: 'info', RATE_LIMIT_PER_MINUTE: '100000' } })
after(() => app.stop())

const ctx = await aWorkspace(app.storage.db)
const owner = await aMember(ctx, 'owner')
const team = await aTeam(ctx)
const story = await aStory(ctx, team)
const run = await aRun(ctx, team, story)
const decision = await aDecision(ctx, team, { storyId: story.id, run })
for (let more = 0; more < 5; more += 1) await aDecision(ctx, team)
const keys: Record<string, string> = {
  team: team.slug,
  board: team.slug,
  story: story.key,
  run: run.key,
  decision: decision.key,
}
const tokens = {
  reads: (await aToken(owner)).token,
  writes: (await aToken(owner, ['write'])).token,
  ofMember: (await aToken(await aMember(ctx, 'member'))).token,
  unknown: newTokenValue(),
}

interface Told {
  status: number
  /** In the order they were sent in. */
  names: string[]
  headers: IncomingMessage['headers']
  body: Buffer
}

async function ask(path: string, headers: Record<string, string>): Promise<Told> {
  const asking = request(app.url + path, { headers, agent: false }).end()
  const [response] = (await once(asking, 'response')) as [IncomingMessage]
  const body = Buffer.concat(await Array.fromAsync(response))
  const names = response.rawHeaders.filter((_, place) => place % 2 === 0).map((name) => name.toLowerCase())
  return { status: response.statusCode!, names, headers: response.headers, body }
}

const lineOf = (id: unknown) =>
  app.log.map((line) => JSON.parse(line)).find((line) => line.verb && line.requestId === id)

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

for (const { path, operation } of routes.filter(
  ({ method, files, operation }) => method === 'GET' && !files && operation !== 'proveExport',
))
  test(`${path} is counted, named and logged`, async () => {
    const address = path.replaceAll(/:(\w+)/g, (_, name) => keys[name]!)
    const { status, headers } = await ask(address, bearer(tokens.reads))
    assert.equal(status, 200)
    const next = await ask(address, bearer(tokens.reads))
    assert.equal(Number(next.headers['x-ratelimit-remaining']), Number(headers['x-ratelimit-remaining']) - 1)
    assert.equal(next.headers.etag, headers.etag)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    const id = headers['x-request-id']
    await until('it is logged', () => lineOf(id) !== undefined)
    const { verb, status: logged, token, channel } = lineOf(id)
    assert.deepEqual(
      { verb, logged, token, channel },
      { verb: operation, logged: 200, token: tokens.reads.slice(0, 11), channel: 'api' },
    )
  })

for (const [what, status, path, headers] of [
  ['a page of one', 200, '/v1/decisions?limit=1', bearer(tokens.reads)],
  ['a page of something', 200, `/v1/decisions?status=pending&team=${team.slug}`, bearer(tokens.reads)],
  ['a token without the permission', 403, '/v1/teams', bearer(tokens.writes)],
  ['an id of the caller', 200, '/v1/teams', { ...bearer(tokens.reads), 'x-request-id': 'mine.1' }],
  ['a compressed page', 200, '/v1/decisions', { ...bearer(tokens.reads), 'accept-encoding': 'gzip' }],
  ['a choice of encodings', 200, '/v1/decisions', { ...bearer(tokens.reads), 'accept-encoding': 'gzip, br' }],
  ['a page of another site', 200, '/v1/teams', { ...bearer(tokens.reads), origin: 'https://example.com' }],
  ['what a cache has', 304, '/v1/teams', { ...bearer(tokens.reads), 'if-none-match': '*' }],
  ['no parameter that there is', 400, '/v1/teams?colour=red', bearer(tokens.reads)],
  ['no parameter that there can be', 400, '/v1/teams?__proto__=x', bearer(tokens.reads)],
  ['a parameter of all objects', 400, '/v1/audit?constructor=x', bearer(tokens.reads)],
  ['a parameter given twice', 400, '/v1/decisions?limit=1&limit=2', bearer(tokens.reads)],
  ['a parameter without a value', 400, '/v1/decisions?limit', bearer(tokens.reads)],
  ['a limit of nothing', 400, '/v1/decisions?limit=0', bearer(tokens.reads)],
  ['a cursor of another list', 400, '/v1/decisions?cursor=abc', bearer(tokens.reads)],
  ['a team that is not there', 404, '/v1/teams/none', bearer(tokens.reads)],
  ['a team that cannot be', 404, '/v1/teams/No%20team', bearer(tokens.reads)],
  ['a path that is not there', 404, '/v1/nothing', bearer(tokens.reads)],
  ['a role that is too low', 403, '/v1/audit', bearer(tokens.ofMember)],
  ['an unknown token', 401, '/v1/teams', bearer(tokens.unknown)],
  ['a mistyped token', 401, '/v1/teams', bearer('tk_no')],
  ['no token', 401, '/v1/teams', {}],
] as [string, number, string, Record<string, string>][])
  test(`${what} is answered with ${status}, and carries what every answer does`, async () => {
    const answer = await ask(path, headers)
    assert.equal(answer.status, status)
    for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-request-id'])
      assert.equal(answer.names.filter((each) => each === name).length, 1, name)
    assert.equal(answer.headers['access-control-allow-origin'], '*')
    assert.equal(answer.headers['x-request-id'] === 'mine.1', headers['x-request-id'] === 'mine.1')
    if (status >= 400) assert.ok(JSON.parse(answer.body.toString()).error.code)
  })

test('a read that turns out to have no answer is counted once', async () => {
  const { token } = await aToken(owner)
  const left = async (path: string) =>
    Number((await ask(path, bearer(token))).headers['x-ratelimit-remaining'])
  await left('/v1/teams')
  const before = await left('/v1/teams')
  assert.equal(await left('/v1/teams/none'), before - 1)
  assert.equal(await left('/v1/teams'), before - 2)
})

test('an answer that breaks off while it is written ends, and is neither tried again nor left open', async (t) => {
  const { end } = ServerResponse.prototype
  t.after(() => {
    ServerResponse.prototype.end = end
  })
  const cut = '/v1/teams?limit=3'
  let writes = 0
  ServerResponse.prototype.end = function (this: ServerResponse, ...given: Parameters<typeof end>) {
    if (this.req.url !== cut) return end.apply(this, given)
    writes += 1
    throw new Error('The wire is cut.')
  } as typeof end
  await assert.rejects(ask(cut, bearer(tokens.reads)), /socket hang up|ECONNRESET/)
  assert.equal(writes, 1, 'nothing else is written')
  assert.ok(app.log.some((line) => line.includes('an answer could not be finished')))
  ServerResponse.prototype.end = end
  assert.equal((await ask(cut, bearer(tokens.reads))).status, 200)
})

test('an answer that is out stays as it is when its log line cannot be written', async (t) => {
  await ask('/v1/teams', bearer(tokens.reads))
  const { push } = app.log
  t.after(() => {
    app.log.push = push
  })
  let lines = 0
  app.log.push = () => {
    lines += 1
    throw new Error('The disk is full.')
  }
  const { status, body } = await ask('/v1/teams', bearer(tokens.reads))
  assert.equal(status, 200)
  assert.equal(JSON.parse(body.toString()).data.length, 1)
  await until('its line was tried', () => lines > 0)
  app.log.push = push
  assert.equal((await ask('/v1/teams', bearer(tokens.reads))).status, 200)
})

test('a token is refused by its first read after it was revoked', async () => {
  const { id, token } = await aToken(owner)
  for (let read = 0; read < 3; read += 1) assert.equal((await ask('/v1/teams', bearer(token))).status, 200)
  await revokeToken(owner, id)
  assert.equal((await ask('/v1/teams', bearer(token))).status, 401)
})

test('a compressed page can be read, and holds what the plain one does', async () => {
  const plain = await ask('/v1/decisions', bearer(tokens.reads))
  for (let read = 0; read < 2; read += 1) {
    const packed = await ask('/v1/decisions', { ...bearer(tokens.reads), 'accept-encoding': 'gzip' })
    assert.equal(packed.headers['content-encoding'], 'gzip')
    assert.deepEqual(gunzipSync(packed.body), plain.body)
  }
})

test('an entry that was just written is on the first page of the log, and a page is continued by the words it was asked in', async () => {
  const first = async (query: string) => {
    const { body } = await ask(`/v1/audit?limit=1${query}`, bearer(tokens.reads))
    return JSON.parse(body.toString()) as { data: { id: string }[]; nextCursor: string }
  }
  const before = await first('')
  assert.deepEqual(await first(''), before)
  await exportAudit(owner, {}, 'json')
  assert.notEqual((await first('')).data[0]!.id, before.data[0]!.id)
  // Both mean the same moment.
  for (const from of ['&from=2020-01-01', '&from=2020-01-01T00:00:00Z']) {
    const { nextCursor } = await first(from)
    const next = await ask(`/v1/audit?limit=1${from}&cursor=${nextCursor}`, bearer(tokens.reads))
    assert.equal(next.status, 200, from)
  }
})

test('who pages to the end of the audit log is told where the files of archived months begin', async (t) => {
  // The server's own role cannot.
  const owner = new pg.Client(app.storage.direct)
  t.after(() => owner.end())
  await owner.connect()
  await owner.query(
    `insert into audit_months (workspace_id, month, entries, file, note, restored, archived_at)
     values ($1, '2020-05', 3, 'audit-2020-05.jsonl.gz', 'a note', '{}', now())`,
    [ctx.workspaceId],
  )
  const told = async (query: string, headers = {}) => {
    const answer = await ask(`/v1/audit?${query}`, { ...bearer(tokens.reads), ...headers })
    return [answer.status, answer.headers['x-service-archived-before']]
  }
  const since = '2020-06-01T00:00:00.000Z'
  const { headers } = await ask('/v1/audit?limit=100', bearer(tokens.reads))
  assert.deepEqual(await told('limit=100'), [200, since])
  assert.deepEqual(await told('limit=100', { 'if-none-match': headers.etag }), [304, since])
  assert.deepEqual(await told('limit=1'), [200, undefined], 'more entries follow')
  assert.deepEqual(await told('limit=100&from=2020-05-31'), [200, since])
  assert.deepEqual(await told('limit=100&from=2020-06-01'), [200, undefined], 'nothing older was asked for')
})
