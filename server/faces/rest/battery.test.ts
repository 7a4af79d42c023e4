import assert from 'node:assert/strict'
import { request } from 'node:http'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { revokeToken } from '../../domain/accounts/tokens/revoke.ts'
import { newTokenValue } from '../../domain/accounts/tokens/value.ts'
import { removeMember } from '../../domain/accounts/workspaces/remove-member.ts'
import { exportAudit } from '../../domain/record/audit/export.ts'
import { testApp } from '../../test/app.ts'
import { aDecision, aMember, aRun, aStory, aTeam, aToken, aWorkspace } from '../../test/factories.ts'
import { routes } from './routes.ts'

/** What every route owes every caller. A route that is added is tested without being named here. */

const app = await testApp({ env: { RATE_LIMIT_PER_MINUTE: '100000' } })
after(() => app.stop())

const here = await populated()
const elsewhere = await populated()
const owner = await aMember(here.ctx, 'owner')
const reader = await aToken(owner)
const writer = await aToken(owner, ['write'])
const admin = await aToken(owner, ['admin'])
const foreigner = await aMember(elsewhere.ctx, 'owner')
const stranger = await aToken(foreigner)
const strangerWriting = await aToken(foreigner, ['write'])

const posted: RequestInit = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ optionId: 'approve' }),
}

async function populated() {
  const ctx = await aWorkspace(app.storage.db)
  const team = await aTeam(ctx)
  const story = await aStory(ctx, team)
  const run = await aRun(ctx, team, story)
  const decision = await aDecision(ctx, team, { storyId: story.id, run })
  return {
    ctx,
    keys: {
      team: team.slug,
      story: story.key,
      run: run.key,
      decision: decision.key,
      board: team.id,
      export: (await exportAudit(ctx, {}, 'json')).id,
    },
  }
}

const pathOf = (template: string, keys: Record<string, string | undefined>) =>
  template.replaceAll(/:(\w+)/g, (_, name) => keys[name] ?? '00000000-0000-7000-8000-000000000000')

async function refusal(response: Response) {
  const body = (await response.json()) as { error: { code: string; message: string } }
  assert.deepEqual(Object.keys(body), ['error'])
  assert.deepEqual(Object.keys(body.error), ['code', 'message'])
  assert.ok(body.error.message.length > 10, 'the message is a sentence')
  headersPresent(response)
  return { status: response.status, ...body.error }
}

function headersPresent(response: Response) {
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
    assert.match(response.headers.get(name) ?? '', /^\d+$/, name)
  }
  assert.ok(response.headers.get('x-request-id'))
}

for (const route of routes) {
  const path = pathOf(route.path, here.keys)
  /** Asks as the route wants to be asked; a POST sends a body that is right in itself. */
  const ask = (path: string, token?: string, init: RequestInit = {}) =>
    app.get(path, token, route.method === 'POST' ? { ...posted, ...init } : init)
  const able = route.permission === 'read' ? reader : writer
  const ableElsewhere = route.permission === 'read' ? stranger : strangerWriting

  describe(`${route.method} ${route.path}`, () => {
    test('no token: 401 with a challenge', async () => {
      const response = await ask(path)
      assert.equal(response.headers.get('www-authenticate'), 'Bearer')
      assert.deepEqual(await statusAndCode(response), [401, 'missing_token'])
    })

    test('a malformed, an unknown, a revoked token, and one of a member who left: 401 with one and the same body', async () => {
      const revoked = await aToken(owner)
      await revokeToken(owner, revoked.id)
      const leaver = await aMember(here.ctx, 'admin')
      const left = await aToken(leaver)
      await removeMember(here.ctx, leaver.personId)
      const bodies = new Set<string>()
      for (const token of [
        'x',
        'tk_short',
        `tk_${'a'.repeat(32)}`,
        newTokenValue(),
        revoked.token,
        left.token,
      ]) {
        const response = await ask(path, token)
        assert.match(response.headers.get('www-authenticate') ?? '', /error="invalid_token"/)
        bodies.add(JSON.stringify(await refusal(response)))
      }
      assert.equal(bodies.size, 1)
      assert.match([...bodies][0]!, /"status":401,"code":"invalid_token"/)
    })

    test('an expired token: 401', async () => {
      const past = { ...owner, clock: { now: () => new Date(Date.now() - 31 * 86_400_000) } }
      assert.deepEqual(await statusAndCode(await ask(path, (await aToken(past)).token)), [
        401,
        'token_expired',
      ])
    })

    test('a token without the permission: 403; admin stands for all', async () => {
      const missing = route.permission === 'read' ? writer : reader
      assert.deepEqual(await statusAndCode(await ask(path, missing.token)), [403, 'insufficient_scope'])
      const allowed = await ask(path, admin.token)
      assert.notEqual(allowed.status, 403)
      await allowed.body?.cancel()
    })

    test('what is another workspace’s looks exactly like what is missing', async () => {
      if (Object.keys(route.params).length === 0) return
      const foreign = await ask(pathOf(route.path, elsewhere.keys), able.token)
      const own = await ask(pathOf(route.path, elsewhere.keys), ableElsewhere.token)
      assert.equal(foreign.status, 404)
      // A proof waits until the sealer has come by.
      assert.ok(
        own.status === 200 || (own.status === 503 && route.operation === 'proveExport'),
        `${own.status}`,
      )
      await own.body?.cancel()
      const noun = Object.values(route.params)[0]!.noun
      const missing = await ask(pathOf(route.path, absent), able.token)
      const [a, b] = [await foreign.text(), await missing.text()]
      const names = Object.keys(route.params)
      const plain = (text: string, keys: Record<string, string | undefined>) =>
        names.reduce((all, name) => all.replaceAll(keys[name] ?? '\0', 'KEY'), text)
      assert.equal(plain(a, elsewhere.keys), plain(b, absent))
      assert.match(a, new RegExp(`"code":"${noun}_not_found"`))
      const comparable = (response: Response) =>
        [...response.headers].filter(
          ([name]) => !/^(x-request-id|date|x-ratelimit-|content-length)/.test(name),
        )
      assert.deepEqual(comparable(foreign), comparable(missing))
    })

    test('an unknown parameter is named', async () => {
      if (route.tag === 'Legacy') return
      const { code, status, message } = await refusal(await ask(`${path}?form=2026-01-01`, able.token))
      assert.deepEqual([status, code], [400, 'unknown_parameter'])
      assert.match(message, /`form`/)
    })

    test('a parameter that is given twice, empty, or not of its kind is named', async () => {
      for (const name of Object.keys(route.query?.properties ?? {})) {
        // The list of teams is always complete: it takes any cursor and hands out none.
        if (name === 'cursor' && route.operation === 'listTeams') continue
        for (const query of [
          `${name}=1&${name}=1`,
          `${name}=`,
          `${name}=%00`,
          `${name}=%ff%fe`,
          `${name}=${'a'.repeat(300)}`,
        ]) {
          const reply = await refusal(await ask(`${path}?${query}`, able.token))
          assert.equal(reply.status, 400, query)
          assert.match(reply.message, new RegExp(`\`${name}\``), query)
        }
      }
    })

    test('a bad limit is refused and a large one is served as 100', async () => {
      if (!route.query?.properties.limit) return
      for (const limit of ['0', '-1', '1.5', 'abc', '', '1e2', '+5', ' 5']) {
        assert.deepEqual(
          await statusAndCode(await app.get(`${path}?limit=${encodeURIComponent(limit)}`, reader.token)),
          [400, 'invalid_parameter'],
          limit,
        )
      }
      for (const limit of ['1', '100', '101', '99999999999999']) {
        const response = await app.get(`${path}?limit=${limit}`, reader.token)
        assert.equal(response.status, 200, limit)
        await response.body?.cancel()
      }
    })

    test('a bad cursor, or one of another list, is refused', async () => {
      if (!route.query?.properties.cursor || route.operation === 'listTeams') return
      const other = route.operation === 'listAudit' ? '/v1/runs?limit=1' : '/v1/audit?limit=1'
      const { nextCursor } = (await (await app.get(other, reader.token)).json()) as { nextCursor: string }
      for (const cursor of ['x', 'AAAA', '🙂', nextCursor ?? 'none', 'a'.repeat(150)]) {
        assert.deepEqual(
          await statusAndCode(await app.get(`${path}?cursor=${encodeURIComponent(cursor)}`, reader.token)),
          [400, 'invalid_cursor'],
          cursor,
        )
      }
    })

    test('a path that is too long, has NUL bytes or is no UTF-8 is refused in JSON', async () => {
      if (Object.keys(route.params).length === 0) return
      const name = Object.keys(route.params)[0]!
      for (const key of [
        'a'.repeat(300),
        'a'.repeat(5_000),
        '%00',
        'x%00y',
        '%F0%9F%99%82',
        "';drop table runs;--",
      ]) {
        assert.equal(
          (await refusal(await ask(pathOf(route.path, { ...here.keys, [name]: key }), able.token))).status,
          404,
          key,
        )
      }
      const broken = await raw(pathOf(route.path, { ...here.keys, [name]: '%ff' }))
      assert.equal(broken.status, 400)
      assert.match(broken.body, /"code":"invalid_request"/)
    })

    test('other methods: 405 with Allow; OPTIONS: 204, not counted', async () => {
      const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => method !== route.method)
      for (const method of others) {
        const response = await app.get(path, reader.token, { method })
        assert.match(response.headers.get('allow') ?? '', new RegExp(route.method))
        assert.deepEqual(await statusAndCode(response), [405, 'method_not_allowed'], method)
      }
      const options = await app.get(path, undefined, { method: 'OPTIONS' })
      assert.equal(options.status, 204)
      assert.match(options.headers.get('allow') ?? '', new RegExp(route.method))
      headersPresent(options)
    })

    test('a body or a wrong content type on a GET changes nothing', async () => {
      if (route.method !== 'GET') return
      const plain = await app.get(path, admin.token)
      const odd = await rawGet(path, admin.token, 'not json', 'text/plain')
      assert.equal(odd, plain.status)
      await plain.body?.cancel()
    })

    test('HEAD is GET without a body, unless the endpoint records its use', async () => {
      const head = await app.get(path, admin.token, { method: 'HEAD' })
      headersPresent(head)
      assert.equal(await head.text(), '')
      if (route.head) {
        const get = await app.get(path, admin.token)
        assert.equal(head.status, get.status)
        await get.body?.cancel()
      } else assert.equal(head.status, 405)
    })
  })
}

const absent: Record<string, string> = {
  team: 'no-such-team',
  story: 'NONE-999',
  run: 'run-0000',
  decision: 'dec-0000',
  board: '01900000-0000-7000-8000-00000000dead',
  export: '01900000-0000-7000-8000-00000000dead',
}

async function statusAndCode(response: Response) {
  const { status, code } = await refusal(response)
  return [status, code]
}

/** A request line that fetch would not send. */
function raw(path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    request(app.url, { path, headers: { authorization: `Bearer ${reader.token}` } }, async (response) => {
      let body = ''
      for await (const chunk of response) body += chunk
      resolve({ status: response.statusCode!, body })
    })
      .on('error', reject)
      .end()
  })
}

function rawGet(path: string, token: string, body: string, type: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(
      app.url,
      {
        path,
        method: 'GET',
        headers: { authorization: `Bearer ${token}`, 'content-type': type, 'content-length': body.length },
      },
      (response) => {
        response.resume()
        resolve(response.statusCode!)
      },
    )
    call.on('error', reject)
    call.end(body)
  })
}

test('a request that is not HTTP is answered in our shape', async () => {
  const reply = await new Promise<string>((resolve, reject) => {
    const { hostname, port } = new URL(app.url)
    const socket = connect(Number(port), hostname, () => socket.write('GET /v1/teams\r\nnonsense\r\n\r\n'))
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('end', () => resolve(text))
    socket.on('error', reject)
  })
  assert.match(reply, /^HTTP\/1.1 400 /)
  assert.match(reply, /X-RateLimit-Limit: \d+/)
  assert.match(reply, /\{"error":\{"code":"invalid_request","message":"/)
})

test('headers over 16 KB: 431 in our shape', async () => {
  const response = await app.get('/v1/teams', reader.token, { headers: { 'x-large': 'a'.repeat(17_000) } })
  assert.deepEqual(await statusAndCode(response), [431, 'headers_too_large'])
})

before(async () => {
  // The audit list needs an entry or two to have a cursor to steal.
  await aStory(here.ctx, await aTeam(here.ctx))
})
