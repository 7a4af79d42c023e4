import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Team } from '../contract/team.ts'
import { type Asked, calm, type Page, quotaOf, type Reply, refused, startDemo } from './demo.ts'

/** "Limits": requests and pages. The one file in which the demo keeps its limit of 120 requests a minute. */

const demo = await startDemo({ env: { ...calm, RATE_LIMIT_PER_MINUTE: '120' } })
const { tokens } = demo.started

const perMinute = 120

/** Every test that spends has a token, and so a window, of its own. */
const windows = {
  sequence: tokens.readOnly,
  together: tokens.otherWorkspace,
  errors: tokens.member,
  pages: tokens.owner,
  untouched: tokens.admin,
}

async function spend(token: string, requests: number, address = '/v1/teams'): Promise<Reply[]> {
  return Promise.all(Array.from({ length: requests }, () => demo.ask(address, { token })))
}

describe('120 requests per minute per token', () => {
  test('the 120th passes and the 121st is refused; Remaining counts down and Reset stands still', async () => {
    const token = windows.sequence
    const openedMs = Date.now()
    const first = quotaOf(await demo.ask('/v1/teams', { token }))
    assert.deepEqual([first.limit, first.remaining], [perMinute, perMinute - 1])
    // Whole seconds, rounded up: never before the window ends, never more than a minute ahead.
    assert.ok(first.reset * 1000 >= openedMs + 60_000, `${first.reset} is before the window ends`)
    assert.ok(first.reset <= Math.ceil(Date.now() / 1000) + 60, `${first.reset} is more than a minute ahead`)
    for (let number = 2; number <= perMinute; number += 1) {
      const reply = await demo.ask('/v1/teams', { token })
      assert.equal(reply.status, 200, `request ${number}`)
      assert.deepEqual(quotaOf(reply), {
        limit: perMinute,
        remaining: perMinute - number,
        reset: first.reset,
      })
    }
    const over = await demo.ask('/v1/teams', { token })
    refused(over, 429, 'rate_limited')
    assert.deepEqual(quotaOf(over), { limit: perMinute, remaining: 0, reset: first.reset })
  })

  test('a refusal says in Retry-After and in words how long to wait', async () => {
    const asked = Date.now() / 1000
    const reply = await demo.ask('/v1/teams', { token: windows.sequence })
    const answered = Date.now() / 1000
    const message = refused(reply, 429, 'rate_limited')
    const seconds = Number(reply.headers.get('retry-after'))
    const { reset } = quotaOf(reply)
    assert.match(reply.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    // Both are whole seconds, each rounded on its own.
    const isRight = seconds >= reset - answered - 1.5 && seconds <= reset - asked + 1.5
    assert.ok(isRight, `${seconds} seconds until ${reset}`)
    assert.match(message, /120 requests per minute/)
    assert.ok(message.includes(String(seconds)), message)
  })

  test('refused requests are not counted again: Reset does not move', async () => {
    const before = quotaOf(await demo.ask('/v1/teams', { token: windows.sequence }))
    for (const reply of await spend(windows.sequence, 20)) {
      assert.equal(reply.status, 429)
      assert.deepEqual(quotaOf(reply), before)
    }
  })

  test('another token is unaffected, also of the same person', async () => {
    for (const token of [windows.untouched, windows.pages]) {
      const reply = await demo.ask('/v1/teams', { token })
      assert.equal(reply.status, 200)
      assert.equal(quotaOf(reply).remaining, perMinute - 1)
    }
  })

  test('of many requests at once exactly 120 pass', async () => {
    const replies = await spend(windows.together, 150)
    assert.equal(replies.filter(({ status }) => status === 200).length, perMinute)
    assert.equal(replies.filter(({ status }) => status === 429).length, 150 - perMinute)
    const remaining = replies
      .filter(({ status }) => status === 200)
      .map((reply) => quotaOf(reply).remaining)
      .sort((a, b) => b - a)
    assert.deepEqual(
      remaining,
      Array.from({ length: perMinute }, (_, at) => perMinute - 1 - at),
    )
  })

  test('every request with the token counts: errors, HEAD, 304, legacy paths; OPTIONS does not', async () => {
    const token = windows.errors
    const etag = (await demo.ask('/v1/teams', { token: windows.untouched })).headers.get('etag')!
    const counted: [number, string, Asked?][] = [
      [200, '/v1/teams'],
      [200, '/v1/teams', { method: 'HEAD' }],
      [304, '/v1/teams', { headers: { 'if-none-match': etag } }],
      [400, '/v1/runs?limit=0'],
      [400, '/v1/runs?form=1'],
      [404, '/v1/runs/run-0000'],
      [404, '/v1/teams/no-such-team'],
      [200, '/boards'],
      [200, '/v1/boards'],
    ]
    let left = perMinute
    for (const [status, address, asked] of counted) {
      const reply = await demo.ask(address, { token, ...asked })
      assert.equal(reply.status, status, address)
      left -= 1
      assert.equal(quotaOf(reply).remaining, left, address)
    }
    assert.equal((await demo.ask('/v1/teams', { token, method: 'OPTIONS' })).status, 204)
    assert.equal(quotaOf(await demo.ask('/v1/teams', { token })).remaining, left - 1)
  })

  test('a request that lacks the permission counts, and the limit comes before permission and parameters', async () => {
    const token = tokens.writeOnly
    const replies = await spend(token, perMinute)
    assert.ok(replies.every(({ status }) => status === 403))
    for (const address of ['/v1/teams', '/v1/runs?limit=0', '/v1/runs/run-0000'])
      refused(await demo.ask(address, { token }), 429, 'rate_limited', address)
  })

  test('the path comes before the limit', async () => {
    const token = windows.together
    refused(await demo.ask('/v1/tasks', { token }), 410, 'endpoint_removed')
    refused(await demo.ask('/v1/nothing', { token }), 404, 'not_found')
  })
})

describe('Responses without a living token', () => {
  test('carry the three headers too', async () => {
    const asked: [number, string, Asked][] = [
      [401, '/v1/teams', { token: null }],
      [401, '/v1/teams', { token: tokens.expired }],
      [401, '/v1/teams', { token: tokens.revoked }],
      [404, '/v1/nothing', { token: null }],
      [410, '/tasks', { token: null }],
      [405, '/v1/teams', { token: null, method: 'POST' }],
      [204, '/v1/teams', { token: null, method: 'OPTIONS' }],
      [200, '/v1/openapi.json', { token: null }],
      [200, '/healthz', { token: null }],
    ]
    for (const [status, address, how] of asked) {
      const reply = await demo.ask(address, how)
      assert.equal(reply.status, status, address)
      const { limit, remaining, reset } = quotaOf(reply)
      assert.equal(limit, perMinute, address)
      assert.ok(remaining <= perMinute, address)
      assert.ok(reset >= Date.now() / 1000 - 1 && reset <= Math.ceil(Date.now() / 1000) + 60, address)
    }
  })

  test('stay what they are, however many there were', async () => {
    const replies = await Promise.all(
      Array.from({ length: perMinute + 20 }, () => demo.ask('/v1/teams', { token: null })),
    )
    for (const reply of replies) refused(reply, 401, 'missing_token')
    refused(await demo.ask('/v1/teams', { token: tokens.expired }), 401, 'token_expired')
    refused(await demo.ask('/tasks', { token: null }), 410, 'endpoint_removed')
  })

  test("use up no one's quota", async () => {
    const before = quotaOf(await demo.ask('/v1/teams', { token: windows.untouched }))
    await demo.ask('/v1/teams', { token: null })
    const after = quotaOf(await demo.ask('/v1/teams', { token: windows.untouched }))
    assert.equal(after.remaining, before.remaining - 1)
  })
})

describe('Page size', () => {
  const token = windows.pages
  const sizeOf = async (address: string) => {
    const page = await demo.get<Page<unknown>>(address, token)
    return [page.data.length, page.nextCursor !== null]
  }

  const lists = ['/v1/runs', '/v1/decisions', '/v1/audit']

  test('is 25 by default', async () => {
    for (const list of lists) assert.deepEqual(await sizeOf(list), [25, true], list)
  })

  test('is what limit says, up to 100; more is served as 100', async () => {
    for (const [limit, size] of [
      [1, 1],
      [26, 26],
      [99, 99],
      [100, 100],
      [101, 100],
      [5_000, 100],
      [999_999_999, 100],
    ])
      assert.deepEqual(await sizeOf(`/v1/audit?limit=${limit}`), [size, true], String(limit))
  })

  test('a limit that is no whole number from 1 on is 400', async () => {
    const [team] = (await demo.get<Page<Team>>('/v1/teams', token)).data
    for (const list of [...lists, '/v1/teams', `/v1/teams/${team!.slug}/stories`]) {
      for (const limit of ['0', '-1', '1.5', 'ten', '']) {
        const reply = await demo.ask(`${list}?limit=${limit}`, { token })
        const message = refused(reply, 400, 'invalid_parameter', `${list}?limit=${limit}`)
        assert.match(message, /`limit`/)
      }
    }
  })
})

describe('Team list', () => {
  test('is always complete in one page', async () => {
    const token = windows.pages
    const whole = await demo.get<Page<Team>>('/v1/teams', token)
    assert.ok(whole.data.length > 1)
    assert.equal(whole.nextCursor, null)
    assert.deepEqual(await demo.get<Page<Team>>('/v1/teams?limit=1', token), whole)
  })
})
