import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import zlib from 'node:zlib'
import fc from 'fast-check'
import type { Decision } from '../contract/decision.ts'
import type { Run, RunListed } from '../contract/run.ts'
import type { Story, StoryListed } from '../contract/story.ts'
import type { Team } from '../contract/team.ts'
import { demoToLookAt, type Page, refused, withQuery } from './demo.ts'

/** "Endpoints": every GET row of the table, and what the design adds to all of them. The audit has a file of its own. */

const demo = await demoToLookAt()

const teams = (await demo.get<Page<Team>>('/v1/teams')).data
const stories = new Map<string, StoryListed[]>()
for (const { slug } of teams)
  stories.set(slug, await demo.all<StoryListed>(`/v1/teams/${slug}/stories?drafts=true`))
const runs = await demo.all<RunListed>('/v1/runs')
const decisions = await demo.all<Decision>('/v1/decisions')

const largest = [...stories].toSorted(([, a], [, b]) => b.length - a.length)[0]![0]
const drafting = [...stories].find(([, all]) => all.some(({ draft }) => draft))![0]
const ended = runs.find(({ completedAt }) => completedAt !== null)!
const statuses = ['pending', 'resolved', 'expired', 'cancelled', 'superseded']

/** One address for every GET row, by the path of the table. */
const addresses: Record<string, string> = {
  '/v1/teams': '/v1/teams',
  '/v1/teams/{team}': `/v1/teams/${largest}`,
  '/v1/teams/{team}/stories': `/v1/teams/${largest}/stories`,
  '/v1/stories/{story-key}': `/v1/stories/${ended.story.key}`,
  '/v1/runs': '/v1/runs',
  '/v1/runs/{run-key}': `/v1/runs/${ended.key}`,
  '/v1/decisions': '/v1/decisions',
  '/v1/decisions/{decision-key}': `/v1/decisions/${decisions[0]!.key}`,
  '/v1/audit': '/v1/audit',
}
const exportAddress = '/v1/audit/export'
const lists = ['/v1/runs', '/v1/decisions', '/v1/audit', `/v1/teams/${largest}/stories?drafts=true`]

const newestFirst = (moments: string[]) =>
  moments.every((moment, at) => at === 0 || moments[at - 1]! >= moment)

const keysOf = (page: { data: { key: string }[] }) => page.data.map(({ key }) => key)

describe('GET /v1/teams', () => {
  test('answers {data, nextCursor}, sorted by name, complete on one page', async () => {
    const page = await demo.get<Page<Team>>('/v1/teams')
    assert.deepEqual(Object.keys(page).sort(), ['data', 'nextCursor'])
    assert.equal(page.nextCursor, null)
    const names = page.data.map(({ name }) => name)
    assert.ok(names.length > 1)
    assert.deepEqual(
      names,
      names.toSorted((a, b) => a.localeCompare(b, 'en')),
    )
  })

  test('accepts limit and cursor and stays complete', async () => {
    for (const query of ['limit=1', 'limit=100', 'limit=1&cursor=anything'])
      assert.deepEqual((await demo.get<Page<Team>>(`/v1/teams?${query}`)).data, teams, query)
  })
})

describe('GET /v1/teams/{team}', () => {
  test('answers one team, in the same shape as in the list', async () => {
    for (const team of teams) assert.deepEqual(await demo.get<Team>(`/v1/teams/${team.slug}`), team)
  })

  test('an unknown slug is 404', async () => {
    for (const slug of ['no-such-team', 'Checkout-Web', teams[0]!.id, teams[0]!.name.replaceAll(' ', '%20')])
      refused(await demo.ask(`/v1/teams/${slug}`), 404, 'team_not_found', slug)
  })
})

describe('GET /v1/teams/{team}/stories', () => {
  test("lists the team's stories, newest first", async () => {
    for (const { slug } of teams) {
      const listed = await demo.all<StoryListed>(`/v1/teams/${slug}/stories`)
      assert.ok(newestFirst(listed.map(({ createdAt }) => createdAt)), slug)
      assert.ok(listed.every(({ team }) => team === slug))
    }
  })

  test('leaves out drafts unless drafts=true', async () => {
    for (const slug of stories.keys()) {
      await demo.undisturbed(async () => {
        const all = await demo.all<StoryListed>(`/v1/teams/${slug}/stories?drafts=true`)
        const approved = all.filter(({ draft }) => !draft)
        assert.deepEqual(await demo.all<StoryListed>(`/v1/teams/${slug}/stories`), approved)
        assert.deepEqual(await demo.all<StoryListed>(`/v1/teams/${slug}/stories?drafts=false`), approved)
      })
    }
    assert.ok(stories.get(drafting)!.some(({ draft }) => draft))
    assert.ok(stories.get(drafting)!.some(({ draft }) => !draft))
  })

  test('drafts takes only true and false', async () => {
    for (const drafts of ['1', '0', 'yes', 'TRUE', ''])
      refused(
        await demo.ask(`/v1/teams/${drafting}/stories?drafts=${drafts}`),
        400,
        'invalid_parameter',
        drafts,
      )
  })

  test('an unknown slug is 404', async () => {
    refused(await demo.ask('/v1/teams/no-such-team/stories'), 404, 'team_not_found')
  })
})

describe('GET /v1/stories/{story-key}', () => {
  test('answers one story, also a draft, with description, acceptanceCriteria and runKeys', async () => {
    await demo.undisturbed(async () => {
      for (const story of await demo.all<StoryListed>(`/v1/teams/${drafting}/stories?drafts=true`)) {
        const { description, acceptanceCriteria, runKeys, ...rest } = await demo.get<Story>(
          `/v1/stories/${story.key}`,
        )
        assert.deepEqual(rest, story)
        assert.ok(description !== undefined && acceptanceCriteria && runKeys)
      }
    })
  })

  test('an unknown key is 404', async () => {
    const known = runs[0]!.story.key
    const ofNoTeam = `ZZZZ-${known.split('-')[1]}`
    for (const key of [
      `${known.split('-')[0]}-99999`,
      ofNoTeam,
      known.toLowerCase(),
      'nonsense',
      `${known}0`,
    ])
      refused(await demo.ask(`/v1/stories/${key}`), 404, 'story_not_found', key)
  })
})

describe('GET /v1/runs', () => {
  test('lists runs, newest first', () => {
    assert.ok(newestFirst(runs.map(({ createdAt }) => createdAt)))
  })

  test('team, story and both together filter', async () => {
    await demo.undisturbed(async () => {
      const runs = await demo.all<RunListed>('/v1/runs')
      for (const { slug } of teams) {
        const ofTeam = runs.filter(({ team }) => team === slug)
        assert.deepEqual(await demo.all<RunListed>(`/v1/runs?team=${slug}`), ofTeam, slug)
      }
    })
    for (const story of new Set(runs.map((run) => run.story.key))) {
      await demo.undisturbed(async () => {
        const ofStory = (await demo.all<RunListed>('/v1/runs')).filter((run) => run.story.key === story)
        assert.deepEqual(await demo.all<RunListed>(`/v1/runs?story=${story}`), ofStory, story)
        for (const team of [ofStory[0]!.team, teams.find(({ slug }) => slug !== ofStory[0]!.team)!.slug]) {
          assert.deepEqual(
            await demo.all<RunListed>(`/v1/runs?team=${team}&story=${story}`),
            ofStory.filter((run) => run.team === team),
          )
        }
      })
    }
  })

  test('an unknown team is 404; a story key without runs is an empty page; a malformed one is 400', async () => {
    refused(await demo.ask('/v1/runs?team=no-such-team'), 404, 'team_not_found')
    assert.deepEqual(await demo.get('/v1/runs?story=ZZZZ-99999'), { data: [], nextCursor: null })
    const message = refused(await demo.ask('/v1/runs?story=nonsense'), 400, 'invalid_parameter')
    assert.match(message, /`story`/)
  })
})

describe('GET /v1/runs/{run-key}', () => {
  test('answers one run with attemptList, evidence and decisions', async () => {
    await demo.undisturbed(async () => {
      for (const run of (await demo.all<RunListed>('/v1/runs')).slice(0, 10)) {
        const { attemptList, evidence, decisions, ...rest } = await demo.get<Run>(`/v1/runs/${run.key}`)
        assert.deepEqual(rest, run)
        assert.ok(attemptList && decisions && evidence !== undefined)
      }
    })
  })

  test('an unknown key is 404', async () => {
    for (const key of [absent('run'), 'run-12345', 'run-ABCD', 'dec-aaaa', 'nonsense'])
      refused(await demo.ask(`/v1/runs/${key}`), 404, 'run_not_found', key)
  })
})

describe('GET /v1/decisions', () => {
  test('lists decisions, newest first', () => {
    assert.ok(newestFirst(decisions.map(({ createdAt }) => createdAt)))
  })

  test('status, team and run filter, alone and in every combination', async () => {
    const combinations = fc.record({
      status: fc.option(fc.constantFrom(...statuses), { nil: undefined }),
      team: fc.option(fc.constantFrom(...teams.map(({ slug }) => slug)), { nil: undefined }),
      run: fc.option(fc.constantFrom(...decisions.flatMap(({ runKey }) => runKey ?? [])), { nil: undefined }),
    })
    for (const status of statuses) await filtered({ status })
    for (const { slug: team } of teams) await filtered({ team })
    for (const { key: run } of runs.slice(0, 20)) await filtered({ run })
    await fc.assert(fc.asyncProperty(combinations, filtered), { numRuns: 25 })
  })

  async function filtered(filter: Partial<Record<'status' | 'team' | 'run', string | undefined>>) {
    const { status, team, run } = filter
    const given = Object.entries(filter).filter(([, value]) => value !== undefined) as [string, string][]
    await demo.undisturbed(async () => {
      const expected = (await demo.all<Decision>('/v1/decisions')).filter(
        (decision) =>
          (status === undefined || decision.status === status) &&
          (team === undefined || decision.team === team) &&
          (run === undefined || decision.runKey === run),
      )
      assert.deepEqual(
        await demo.all<Decision>(withQuery('/v1/decisions', Object.fromEntries(given))),
        expected,
      )
    })
  }

  test('an unknown status is 400 and the message lists the allowed ones', async () => {
    const message = refused(await demo.ask('/v1/decisions?status=open'), 400, 'invalid_parameter')
    for (const status of statuses) assert.ok(message.includes(status), message)
  })

  test('an unknown team is 404; a run key without decisions is an empty page; a malformed one is 400', async () => {
    refused(await demo.ask('/v1/decisions?team=no-such-team'), 404, 'team_not_found')
    assert.deepEqual(await demo.get(`/v1/decisions?run=${absent('run')}`), { data: [], nextCursor: null })
    refused(await demo.ask('/v1/decisions?run=nonsense'), 400, 'invalid_parameter')
  })
})

describe('GET /v1/decisions/{decision-key}', () => {
  test('an unknown key is 404', async () => {
    for (const key of [absent('dec'), 'dec-12345', 'dec-ABCD', runs[0]!.key])
      refused(await demo.ask(`/v1/decisions/${key}`), 404, 'decision_not_found', key)
  })
})

/** A key of the right shape that names nothing. */
function absent(prefix: 'run' | 'dec'): string {
  const taken = new Set([...runs, ...decisions].map(({ key }) => key))
  for (let number = 0; ; number += 1) {
    const key = `${prefix}-${number.toString(36).padStart(4, '0')}`
    if (!taken.has(key)) return key
  }
}

describe('Pagination', () => {
  test('nextCursor is an opaque string until the last page, where it is null', async () => {
    for (const list of lists) {
      const first = await demo.get<Page<unknown>>(withQuery(list, { limit: '1' }))
      assert.equal(first.data.length, 1)
      assert.ok(typeof first.nextCursor === 'string' && first.nextCursor)
      await demo.undisturbed(async () => {
        const whole = await demo.all<unknown>(list)
        assert.ok(whole.length > 2, list)
        if (whole.length > 100) return
        // A page that ends exactly with the list is the last one.
        const exact = await demo.get<Page<unknown>>(withQuery(list, { limit: String(whole.length) }))
        assert.deepEqual([exact.data.length, exact.nextCursor], [whole.length, null], list)
        const short = await demo.get<Page<unknown>>(withQuery(list, { limit: String(whole.length - 1) }))
        assert.deepEqual([short.data.length, typeof short.nextCursor], [whole.length - 1, 'string'], list)
      })
    }
  })

  test('filters hold on every page', async () => {
    await demo.undisturbed(async () => {
      const all = await demo.all<Decision>('/v1/decisions')
      const pending = all.filter(({ status }) => status === 'pending')
      assert.ok(pending.length > 3)
      assert.deepEqual(await demo.all('/v1/decisions?status=pending', demo.tokens.owner, 3), pending)
    })
  })

  test('a cursor that is forged, cut, or of another list, filter or workspace is 400 invalid_cursor', async () => {
    const cursorOf = async (address: string, token = demo.tokens.owner) =>
      (await demo.get<Page<unknown>>(withQuery(address, { limit: '1' }), token)).nextCursor!
    const ofRuns = await cursorOf('/v1/runs')
    const wrong: [string, string][] = [
      ['/v1/runs', 'x'],
      ['/v1/runs', `${ofRuns}A`],
      ['/v1/runs', ofRuns.slice(0, -1)],
      ['/v1/runs', ofRuns.slice(0, -2) + (ofRuns.endsWith('AA') ? 'BB' : 'AA')],
      ['/v1/runs', decisions[0]!.key],
      ['/v1/decisions', ofRuns],
      [`/v1/runs?team=${runs[0]!.team}`, ofRuns],
      ['/v1/decisions?status=resolved', await cursorOf('/v1/decisions?status=pending')],
      [`/v1/teams/${largest}/stories?drafts=true`, await cursorOf(`/v1/teams/${largest}/stories`)],
      ['/v1/audit', await cursorOf('/v1/audit', demo.tokens.otherWorkspace)],
    ]
    for (const [address, cursor] of wrong) {
      assert.notEqual(cursor, null)
      const asked = withQuery(address, { cursor })
      refused(await demo.ask(asked), 400, 'invalid_cursor', asked)
    }
  })
})

describe('Query parameters', () => {
  test('a parameter that the endpoint does not have is 400 and named', async () => {
    for (const address of [...Object.values(addresses), exportAddress]) {
      const message = refused(await demo.ask(`${address}?form=2026-01-01`), 400, 'unknown_parameter', address)
      assert.match(message, /`form`/, address)
    }
  })

  test('a parameter of a neighbour is unknown too', async () => {
    for (const address of [
      '/v1/runs?status=running',
      '/v1/runs?run=run-0000',
      '/v1/decisions?story=WEB-1',
      '/v1/audit?status=pending',
      `/v1/teams/${largest}?limit=1`,
      `/v1/runs/${runs[0]!.key}?limit=1`,
    ])
      refused(await demo.ask(address), 400, 'unknown_parameter', address)
  })

  test('a parameter given twice is 400', async () => {
    for (const address of [
      '/v1/runs?limit=1&limit=2',
      '/v1/decisions?status=pending&status=resolved',
      `/v1/runs?team=${largest}&team=${largest}`,
    ])
      refused(await demo.ask(address), 400, 'invalid_parameter', address)
  })
})

describe('Methods', () => {
  test('HEAD is GET without the body', async () => {
    for (const address of Object.values(addresses)) {
      await demo.undisturbed(async () => {
        const [get, head] = [await demo.raw(address), await demo.raw(address, { method: 'HEAD' })]
        assert.deepEqual([head.status, head.body.length], [200, 0], address)
        for (const name of ['etag', 'content-type', 'content-length', 'cache-control', 'vary'])
          assert.equal(head.headers[name], get.headers[name], `${name} of ${address}`)
      })
    }
    const missing = await demo.raw('/v1/teams/no-such-team', { method: 'HEAD' })
    assert.deepEqual([missing.status, missing.body.length], [404, 0])
  })

  test('OPTIONS is 204 and tells what the path allows', async () => {
    for (const address of Object.values(addresses)) {
      const reply = await demo.ask(address, { method: 'OPTIONS', token: null })
      assert.deepEqual([reply.status, reply.text], [204, ''], address)
      assert.deepEqual(words(reply.headers.get('allow')), ['GET', 'HEAD', 'OPTIONS'], address)
    }
    const reply = await demo.ask(exportAddress, { method: 'OPTIONS', token: null })
    assert.deepEqual(words(reply.headers.get('allow')), ['GET', 'OPTIONS'])
  })

  test('any other method is 405 with Allow', async () => {
    for (const address of Object.values(addresses)) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const reply = await demo.ask(address, { method })
        refused(reply, 405, 'method_not_allowed', `${method} ${address}`)
        assert.deepEqual(words(reply.headers.get('allow')), ['GET', 'HEAD', 'OPTIONS'])
      }
    }
  })

  test('reading changes nothing: no endpoint deletes or edits', async () => {
    const paths = await documentedPaths()
    for (const [path, methods] of Object.entries(paths))
      for (const method of ['put', 'patch', 'delete']) assert.ok(!(method in methods), `${method} ${path}`)
  })
})

const words = (list: string | null) => (list ?? '').split(/,\s*/).sort()

describe('Caching', () => {
  test('every answer carries a weak ETag, and asking with it again is 304 without a body', async () => {
    for (const address of Object.values(addresses)) {
      await demo.undisturbed(async () => {
        const first = await demo.raw(address)
        const etag = String(first.headers.etag)
        assert.match(etag, /^W\/"[^"]+"$/, address)
        for (const tag of [etag, `"other", ${etag}`, etag.replace('W/', ''), '*']) {
          const again = await demo.raw(address, { headers: { 'if-none-match': tag } })
          assert.deepEqual([again.status, again.body.length, again.headers.etag], [304, 0, etag], tag)
          assert.match(String(again.headers['x-ratelimit-remaining']), /^\d+$/)
        }
        const other = await demo.raw(address, { headers: { 'if-none-match': 'W/"other"' } })
        assert.equal(other.status, 200, address)
      })
    }
  })

  test('the ETag changes with the content', async () => {
    const tagOfExports = async () => (await demo.ask('/v1/audit?event=audit_exported')).headers.get('etag')
    const before = await tagOfExports()
    assert.equal(await tagOfExports(), before)
    assert.equal((await demo.ask(`${exportAddress}?event=team_deleted`)).status, 200)
    assert.notEqual(await tagOfExports(), before)
  })

  test('answers are private to the token', async () => {
    for (const address of Object.values(addresses)) {
      const { headers } = await demo.ask(address)
      assert.equal(headers.get('cache-control'), 'private, no-cache', address)
      for (const name of ['Accept-Encoding', 'Authorization'])
        assert.ok(words(headers.get('vary')).includes(name), `${name} in Vary of ${address}`)
    }
  })
})

describe('Compression', () => {
  const decode: Record<string, (bytes: Buffer) => Buffer> = {
    gzip: zlib.gunzipSync,
    br: zlib.brotliDecompressSync,
    zstd: zlib.zstdDecompressSync,
  }

  test('gzip, br and zstd give the same bytes', async () => {
    const past = `/v1/audit?limit=100&to=${ended.completedAt}`
    // A short answer is not compressed.
    const longest = decisions.toSorted((a, b) => JSON.stringify(b).length - JSON.stringify(a).length)[0]!
    for (const address of ['/v1/teams', past, `/v1/decisions/${longest.key}`]) {
      const plain = await demo.raw(address)
      assert.equal(plain.headers['content-encoding'], undefined)
      assert.ok(plain.body.length >= 1_024, `${address}: ${plain.body.length} bytes`)
      for (const [encoding, decoded] of Object.entries(decode)) {
        const packed = await demo.raw(address, { headers: { 'accept-encoding': encoding } })
        assert.equal(packed.headers['content-encoding'], encoding, address)
        assert.ok(packed.body.length < plain.body.length)
        assert.deepEqual(decoded(packed.body), plain.body)
      }
    }
  })

  test('an export is compressed too', async () => {
    const plain = await demo.raw(`${exportAddress}?event=decision_resolved`)
    for (const [encoding, decoded] of Object.entries(decode)) {
      const packed = await demo.raw(`${exportAddress}?event=decision_resolved`, {
        headers: { 'accept-encoding': encoding },
      })
      assert.equal(packed.headers['content-encoding'], encoding)
      assert.deepEqual(decoded(packed.body), plain.body)
    }
  })

  test('an encoding that the client refuses or does not know is not used', async () => {
    for (const accept of ['identity', 'gzip;q=0', 'lzma', 'gzip;q=0, br;q=0, zstd;q=0']) {
      const reply = await demo.raw('/v1/teams', { headers: { 'accept-encoding': accept } })
      assert.equal(reply.headers['content-encoding'], undefined, accept)
      assert.equal(JSON.parse(reply.body.toString()).data.length, teams.length)
    }
  })

  test('an answer under 1 KB is sent as it is', async () => {
    const reply = await demo.raw(`/v1/runs?limit=1`, { headers: { 'accept-encoding': 'gzip, br, zstd' } })
    assert.ok(reply.body.length < 1_024)
    assert.equal(reply.headers['content-encoding'], undefined)
  })
})

describe('CORS', () => {
  const fromPage = { origin: 'https://dashboard.example.com' }

  test('any page may ask /v1, without credentials, and read the headers of the API', async () => {
    const unknown = { '/v1/nothing': 404, '/v1/tasks': 410 }
    for (const address of [...Object.values(addresses), ...Object.keys(unknown)]) {
      const { headers } = await demo.ask(address, { headers: fromPage })
      assert.equal(headers.get('access-control-allow-origin'), '*', address)
      assert.equal(headers.get('access-control-allow-credentials'), null, address)
      const exposed = words(headers.get('access-control-expose-headers')).map((name) => name.toLowerCase())
      for (const name of [
        'x-ratelimit-limit',
        'x-ratelimit-remaining',
        'x-ratelimit-reset',
        'retry-after',
        'x-request-id',
        'etag',
        'x-service-export-count',
        'x-service-export-truncated',
      ])
        assert.ok(exposed.includes(name), `${name} of ${address}`)
    }
    const refusal = await demo.ask('/v1/teams', { token: null, headers: fromPage })
    assert.deepEqual([refusal.status, refusal.headers.get('access-control-allow-origin')], [401, '*'])
  })

  test('a preflight may announce the Authorization header', async () => {
    for (const address of [...Object.values(addresses), exportAddress]) {
      const { status, headers } = await demo.ask(address, {
        method: 'OPTIONS',
        token: null,
        headers: {
          ...fromPage,
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'authorization',
        },
      })
      assert.equal(status, 204, address)
      assert.equal(headers.get('access-control-allow-origin'), '*', address)
      assert.ok(words(headers.get('access-control-allow-methods')).includes('GET'), address)
      assert.match(headers.get('access-control-allow-headers') ?? '', /authorization/i, address)
    }
  })

  test('nothing outside /v1 allows other origins', async () => {
    for (const address of [
      '/boards',
      `/boards/${teams[0]!.id}`,
      '/tasks',
      '/healthz',
      '/readyz',
      '/',
      '/nothing',
    ]) {
      for (const method of ['GET', 'OPTIONS']) {
        const { headers } = await demo.ask(address, { method, headers: fromPage })
        for (const name of headers.keys())
          assert.ok(!name.startsWith('access-control-'), `${name} of ${address}`)
      }
    }
  })
})

describe('Request ids', () => {
  test("the caller's id is echoed, on errors too", async () => {
    for (const address of ['/v1/teams', '/v1/teams/no-such-team', '/v1/nothing', '/v1/tasks', '/healthz']) {
      const given = 'trace-7f3a.1:b_C'
      const { headers } = await demo.ask(address, { headers: { 'x-request-id': given } })
      assert.equal(headers.get('x-request-id'), given, address)
    }
  })

  test('without one, each answer gets an id of its own', async () => {
    const ids = new Set<string | null>()
    for (const address of [...Object.values(addresses), '/v1/nothing', '/v1/tasks', '/healthz']) {
      const id = (await demo.ask(address)).headers.get('x-request-id')
      assert.ok(id && id.length >= 8, address)
      ids.add(id)
    }
    assert.equal(ids.size, Object.keys(addresses).length + 3)
  })

  test('an id that could do harm in a log is replaced', async () => {
    for (const given of ['a'.repeat(500), '<script>alert(1)</script>', 'a b', '{"level":"error"}']) {
      const { headers, status } = await demo.ask('/v1/teams', { headers: { 'x-request-id': given } })
      assert.equal(status, 200)
      assert.notEqual(headers.get('x-request-id'), given)
      assert.ok(headers.get('x-request-id'))
    }
  })
})

describe('Bodies', () => {
  test('are JSON, UTF-8', async () => {
    for (const address of [...Object.values(addresses), exportAddress, '/v1/nothing']) {
      const reply = await demo.raw(address)
      assert.match(String(reply.headers['content-type']), /^application\/json; ?charset=utf-8$/i, address)
      const text = new TextDecoder('utf-8', { fatal: true }).decode(reply.body)
      JSON.parse(text)
    }
  })

  test('the first page of 25 holds the newest elements', async () => {
    await demo.undisturbed(async () => {
      const all = await demo.all<RunListed>('/v1/runs')
      assert.deepEqual(
        keysOf(await demo.get<Page<RunListed>>('/v1/runs')),
        all.slice(0, 25).map(({ key }) => key),
      )
    })
  })
})

interface OpenApi {
  openapi: string
  info: { title: string; version: string }
  paths: Record<string, Record<string, OpenApiOperation>>
  components: { securitySchemes: Record<string, { type: string; scheme: string }> }
}

interface OpenApiOperation {
  parameters: { name: string; in: string }[]
  responses: Record<string, unknown>
}

const documentedPaths = async () => (await demo.get<OpenApi>('/v1/openapi.json')).paths

/** The GET rows of the endpoint table: path, and the parameters it takes. */
const table: [string, string[]][] = [
  ['/v1/teams', ['limit', 'cursor']],
  ['/v1/teams/{}', []],
  ['/v1/teams/{}/stories', ['limit', 'cursor', 'drafts']],
  ['/v1/stories/{}', []],
  ['/v1/runs', ['team', 'story', 'limit', 'cursor']],
  ['/v1/runs/{}', []],
  ['/v1/decisions', ['status', 'team', 'run', 'limit', 'cursor']],
  ['/v1/decisions/{}', []],
  ['/v1/audit', ['team', 'actor', 'event', 'run', 'from', 'to', 'limit', 'cursor']],
  ['/v1/audit/export', ['format', 'team', 'actor', 'event', 'run', 'from', 'to']],
  ['/boards', []],
  ['/boards/{}', []],
]

describe('GET /v1/openapi.json', () => {
  test('is an OpenAPI 3.1 document, for everyone', async () => {
    const reply = await demo.ask('/v1/openapi.json', { token: null })
    assert.equal(reply.status, 200)
    assert.match(reply.headers.get('content-type') ?? '', /^application\/json/)
    const document: OpenApi = JSON.parse(reply.text)
    assert.match(document.openapi, /^3\.1\.\d+$/)
    assert.ok(document.info.title && document.info.version)
    assert.deepEqual(
      Object.values(document.components.securitySchemes).map(({ type, scheme }) => [type, scheme]),
      [['http', 'bearer']],
    )
  })

  test('lists every endpoint with its parameters', async () => {
    const documented = new Map(
      Object.entries(await documentedPaths()).map(([path, methods]) => [
        path.replaceAll(/\{[^}]+\}/g, '{}'),
        methods,
      ]),
    )
    for (const [path, parameters] of table) {
      const operation = documented.get(path)?.get
      assert.ok(operation, path)
      assert.deepEqual(
        operation.parameters
          .filter((parameter) => parameter.in === 'query')
          .map(({ name }) => name)
          .sort(),
        parameters.toSorted(),
        path,
      )
      for (const status of ['200', '401', '403', '429'])
        assert.ok(operation.responses[status], `${status} of ${path}`)
    }
    const resolve = documented.get('/v1/decisions/{}/resolve')?.post
    assert.ok(resolve)
    for (const status of ['200', '400', '401', '403', '404', '409', '429'])
      assert.ok(resolve.responses[status], `${status} of resolve`)
  })

  test('every path it lists is served', async () => {
    for (const [path, methods] of Object.entries(await documentedPaths())) {
      for (const method of Object.keys(methods)) {
        const asked = { method: method.toUpperCase(), token: null }
        const reply = await demo.ask(path.replaceAll(/\{[^}]+\}/g, 'x'), asked)
        assert.equal(reply.status, 401, `${method} ${path}: ${reply.text}`)
      }
    }
  })

  test('every reference in it leads somewhere', async () => {
    const document = await demo.get<Record<string, unknown>>('/v1/openapi.json')
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
      ([, target]) => target!,
    )
    assert.ok(references.length > 0)
    for (const target of new Set(references)) {
      assert.match(target, /^#\//)
      let node: unknown = document
      for (const step of target.slice(2).split('/')) node = (node as Record<string, unknown>)?.[step]
      assert.ok(node, target)
    }
  })
})

describe('GET /v1/reference', () => {
  test('is a page of HTML that names every endpoint', async () => {
    const reply = await demo.ask('/v1/reference', { token: null })
    assert.equal(reply.status, 200)
    assert.match(reply.headers.get('content-type') ?? '', /^text\/html/)
    for (const [path] of table) assert.ok(reply.text.includes(path.split('{')[0]!), path)
  })

  test('fetches nothing from elsewhere', async () => {
    const page = (await demo.ask('/v1/reference', { token: null })).text
    const linked = [...page.matchAll(/\b(?:src|href|action|data|poster|srcset)\s*=\s*["']?([^"'\s>]+)/gi)]
    assert.ok(linked.length > 0)
    for (const [, target] of linked) assert.match(target!, /^(#|\/(?!\/))/, target)
    for (const [, target] of linked.filter(([, address]) => address!.startsWith('/'))) {
      const { status, text } = await demo.ask(target!, { token: null })
      assert.equal(status, 200, target)
      assert.ok(!/url\(|@import/i.test(text), target)
    }
    // The curl line of the page may name the server itself.
    const named = [...page.matchAll(/(?:https?:)?\/\/[\w.-]+(?::\d+)?/g)].map(([address]) => address)
    assert.deepEqual(
      named.filter((address) => address !== demo.started.url),
      [],
    )
  })
})
