import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Team } from '../contract/team.ts'
import { demoToLookAt, type Page, type Reply, refused } from './demo.ts'

/** "Versioning": what is left of the first API version, at both addresses its clients know. */

const demo = await demoToLookAt()
const { tokens } = demo.started

interface Board {
  id: string
  name: string
  description: string | null
  icon: string
  accent_color: string
  created_at: string
  updated_at: string
}

const teams = (await demo.get<Page<Team>>('/v1/teams')).data
const spellings = ['', '/v1']

const listedFields = ['id', 'name', 'description', 'icon', 'accent_color', 'created_at', 'updated_at']

/** The team, said in the words of the first version. */
const oldWords = (team: Team) => ({
  id: team.id,
  name: team.name,
  description: team.description,
  created_at: team.createdAt,
  updated_at: team.updatedAt ?? team.createdAt,
})

function looksLike(board: Board, team: Team): void {
  const { id, name, description, created_at, updated_at } = board
  assert.deepEqual({ id, name, description, created_at, updated_at }, oldWords(team))
  assert.ok(board.icon)
  assert.match(board.accent_color, /^#[0-9a-f]{6}$/i)
}

test('every path of the REST API starts with /v1, except the two legacy ones', async () => {
  for (const path of ['/teams', '/runs', '/decisions', '/audit', `/teams/${teams[0]!.slug}`])
    refused(await demo.ask(path), 404, 'not_found', path)
  const { paths } = await demo.get<{ paths: Record<string, unknown> }>('/v1/openapi.json')
  const outside = Object.keys(paths).filter((path) => !path.startsWith('/v1/'))
  assert.deepEqual(outside.map((path) => path.replace(/\{.*\}/, '{id}')).sort(), ['/boards', '/boards/{id}'])
})

describe('GET /boards', () => {
  test("answers with the workspace's teams in the old shape", async () => {
    for (const prefix of spellings) {
      const body = await demo.get<{ boards: Board[] }>(`${prefix}/boards`)
      assert.deepEqual(Object.keys(body), ['boards'])
      assert.equal(body.boards.length, teams.length)
      for (const [at, board] of body.boards.entries()) {
        assert.deepEqual(Object.keys(board).sort(), listedFields.toSorted())
        looksLike(board, teams[at]!)
      }
    }
  })

  test('never has pages', async () => {
    const body = await demo.get<{ boards: Board[] }>('/boards', tokens.otherWorkspace)
    const others = (await demo.get<Page<Team>>('/v1/teams', tokens.otherWorkspace)).data
    assert.deepEqual(
      body.boards.map(({ id }) => id),
      others.map(({ id }) => id),
    )
  })
})

describe('GET /boards/{id}', () => {
  test('answers one team in the old shape, by its id', async () => {
    for (const prefix of spellings) {
      for (const team of teams) {
        const body = await demo.get<{ board: Board }>(`${prefix}/boards/${team.id}`)
        assert.deepEqual(Object.keys(body), ['board'])
        assert.deepEqual(
          Object.keys(body.board).sort(),
          [...listedFields, 'background_color', 'layout_preference'].sort(),
        )
        looksLike(body.board, team)
        assert.equal((body.board as Board & { layout_preference: string }).layout_preference, 'kanban')
      }
    }
  })

  test('takes the slug too', async () => {
    for (const { id, slug } of teams)
      assert.deepEqual(await demo.get(`/boards/${slug}`), await demo.get(`/boards/${id}`))
  })

  test('an id that is not there, or of another workspace, is 404', async () => {
    const [other] = (await demo.get<Page<Team>>('/v1/teams', tokens.otherWorkspace)).data
    for (const prefix of spellings)
      for (const id of ['00000000-0000-7000-8000-000000000000', 'no-such-team', '1', other!.id])
        refused(await demo.ask(`${prefix}/boards/${id}`), 404, 'board_not_found', `${prefix} ${id}`)
  })
})

describe('Both', () => {
  const paths = ['/boards', `/boards/${teams[0]!.id}`]

  test('give the same with and without /v1', async () => {
    for (const [path, status] of [
      ...paths.map((path) => [path, 200] as const),
      ['/boards/none', 404] as const,
    ]) {
      const [old, named] = [await demo.ask(path), await demo.ask(`/v1${path}`)]
      assert.deepEqual([old.status, named.status], [status, status], path)
      assert.equal(old.text, named.text)
      for (const name of ['deprecation', 'link', 'content-type', 'etag', 'cache-control'])
        assert.equal(old.headers.get(name), named.headers.get(name), `${name} of ${path}`)
    }
  })

  test('say that they are deprecated, since when, and what replaces them', async () => {
    for (const path of paths.flatMap((path) => [path, `/v1${path}`])) {
      const { headers } = await demo.ask(path)
      // RFC 9745: a structured date, the moment in Unix seconds.
      const [, since] = /^@(\d+)$/.exec(headers.get('deprecation') ?? '') ?? []
      assert.ok(Number(since) * 1000 < Date.now() && Number(since) > 0, path)
      assert.match(headers.get('link') ?? '', /<\/v1\/teams>; ?rel="successor-version"/, path)
      assert.equal(headers.get('sunset'), null, 'no end is announced')
    }
    assert.equal((await demo.ask('/v1/teams')).headers.get('deprecation'), null)
  })

  test('need a token with read, like every GET', async () => {
    for (const path of paths.flatMap((path) => [path, `/v1${path}`])) {
      refused(await demo.ask(path, { token: null }), 401, 'missing_token', path)
      refused(await demo.ask(path, { token: tokens.revoked }), 401, 'invalid_token', path)
      refused(await demo.ask(path, { token: tokens.writeOnly }), 403, 'insufficient_scope', path)
      for (const token of [tokens.readOnly, tokens.member])
        assert.equal((await demo.ask(path, { token })).status, 200, path)
    }
  })

  test('answer other methods with 405 and OPTIONS with what they take', async () => {
    const allows = ({ headers }: Reply) => (headers.get('allow') ?? '').split(/, ?/).sort()
    for (const path of paths) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const reply = await demo.ask(path, { method })
        refused(reply, 405, 'method_not_allowed', `${method} ${path}`)
        assert.deepEqual(allows(reply), ['GET', 'HEAD', 'OPTIONS'])
      }
      assert.deepEqual(allows(await demo.ask(path, { method: 'OPTIONS' })), ['GET', 'HEAD', 'OPTIONS'])
    }
  })

  test('pass over parameters, because the clients that send them can no longer be mended', async () => {
    for (const path of paths.flatMap((path) => [path, `/v1${path}`])) {
      assert.equal((await demo.ask(`${path}?page=2&page=3`)).status, 200, path)
    }
  })
})
