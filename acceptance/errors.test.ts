import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import type { Decision } from '../contract/decision.ts'
import type { RunListed } from '../contract/run.ts'
import type { Team } from '../contract/team.ts'
import { type Asked, demoToLookAt, type Page, type Reply, refused } from './demo.ts'

/** "Errors": the table, the exact body, the codes of the design, and the order in which they are decided. */

const demo = await demoToLookAt()
const { tokens } = demo.started

const [team] = (await demo.get<Page<Team>>('/v1/teams')).data
const [run] = (await demo.get<Page<RunListed>>('/v1/runs')).data
const [decision] = (await demo.get<Page<Decision>>('/v1/decisions')).data

const unknown = `tk_${'0'.repeat(32)}`

describe('The error table', () => {
  const rows: [status: number, code: string, when: string, address: string, asked?: Asked][] = [
    [400, 'invalid_parameter', 'a parameter of the wrong kind', '/v1/runs?limit=zero'],
    [400, 'unknown_parameter', 'a parameter that does not exist', '/v1/runs?form=1'],
    [400, 'invalid_cursor', 'a cursor that was not handed out', '/v1/runs?cursor=nonsense'],
    [400, 'invalid_request', 'a path that cannot be decoded', '/v1/runs/%E0%A4%A'],
    [401, 'missing_token', 'a missing token', '/v1/teams', { token: null }],
    [401, 'invalid_token', 'an unknown token', '/v1/teams', { token: unknown }],
    [401, 'invalid_token', 'a revoked token', '/v1/teams', { token: tokens.revoked }],
    [401, 'token_expired', 'an expired token', '/v1/teams', { token: tokens.expired }],
    [
      403,
      'insufficient_scope',
      "a token that lacks the endpoint's permission",
      '/v1/teams',
      { token: tokens.writeOnly },
    ],
    [403, 'insufficient_role', 'audit with a token of a member', '/v1/audit', { token: tokens.member }],
    [
      403,
      'insufficient_role',
      'an export with a token of a member',
      '/v1/audit/export',
      { token: tokens.member },
    ],
    [404, 'team_not_found', 'an unknown team slug', '/v1/teams/no-such-team'],
    [404, 'team_not_found', 'stories of an unknown team slug', '/v1/teams/no-such-team/stories'],
    [404, 'team_not_found', 'a filter by an unknown team slug', '/v1/runs?team=no-such-team'],
    [404, 'story_not_found', 'an unknown story key', '/v1/stories/ZZZZ-99999'],
    [404, 'run_not_found', 'an unknown run key', '/v1/runs/run-0000'],
    [404, 'decision_not_found', 'a decision that is not in the workspace', '/v1/decisions/dec-0000'],
    [404, 'export_not_found', 'a proof of no export', `/v1/audit/exports/${team!.id}/proof`],
    [404, 'board_not_found', 'an unknown board', '/boards/00000000-0000-7000-8000-000000000000'],
    [404, 'not_found', 'a path that does not exist', '/v1/nothing'],
    [405, 'method_not_allowed', 'a method that the path does not take', '/v1/teams', { method: 'DELETE' }],
    [410, 'endpoint_removed', 'legacy project and task endpoints', '/projects'],
  ]
  for (const [status, code, when, address, asked] of rows) {
    test(`${status} ${code}: ${when}`, async () => {
      refused(await demo.ask(address, asked), status, code)
    })
  }

  test('no error tells more than code and message, nor what is inside', async () => {
    for (const [, , , address, asked] of rows) {
      const { text } = await demo.ask(address, asked)
      assert.ok(!/\\n +at |node_modules|\.ts:|select |postgres|fastify|FST_/i.test(text), text)
    }
  })

  test('an error names its code in a link to the help', async () => {
    for (const [, code, , address, asked] of rows) {
      const links = (await demo.ask(address, asked)).headers.get('link') ?? ''
      assert.match(links, new RegExp(`<[^>]*errors#${code}>; ?rel="help"`), `${address}: ${links}`)
    }
  })

  test('the same error has the same words', async () => {
    for (const [, , , address, asked] of rows)
      assert.equal((await demo.ask(address, asked)).text, (await demo.ask(address, asked)).text)
  })
})

describe('Order of checks', () => {
  const is = async (status: number, code: string, address: string, asked: Asked = {}) =>
    refused(await demo.ask(address, asked), status, code, `${asked.method ?? 'GET'} ${address}`)

  test('the path comes before the token', async () => {
    for (const token of [null, 'nonsense', tokens.expired, tokens.revoked]) {
      await is(410, 'endpoint_removed', '/v1/projects', { token })
      await is(404, 'not_found', '/v1/nothing', { token })
    }
  })

  test('the token comes before permission, parameters and existence', async () => {
    for (const address of [
      '/v1/runs?form=1',
      '/v1/runs?limit=0',
      '/v1/runs/run-0000',
      '/v1/audit?actor=robot',
    ]) {
      await is(401, 'missing_token', address, { token: null })
      await is(401, 'invalid_token', address, { token: unknown })
      await is(401, 'token_expired', address, { token: tokens.expired })
    }
  })

  test('permission comes before parameters and existence', async () => {
    for (const address of [
      '/v1/runs?form=1',
      '/v1/runs?limit=0',
      '/v1/runs/run-0000',
      '/v1/teams/no-such-team/stories',
    ])
      await is(403, 'insufficient_scope', address, { token: tokens.writeOnly })
  })

  test('the role comes before parameters and existence', async () => {
    for (const address of [
      '/v1/audit?form=1',
      '/v1/audit?limit=0',
      '/v1/audit?cursor=nonsense',
      '/v1/audit?from=2026-02-30',
      '/v1/audit/export?format=xml',
      '/v1/audit/export?limit=1',
      `/v1/audit/exports/${team!.id}/proof`,
      `/v1/audit/exports/${team!.id}/proof?form=1`,
      '/v1/audit/exports/nonsense/proof',
    ])
      await is(403, 'insufficient_role', address, { token: tokens.member })
  })

  test('the shape of the request comes before existence', async () => {
    await is(400, 'invalid_parameter', '/v1/teams/no-such-team/stories?limit=0')
    await is(400, 'unknown_parameter', '/v1/teams/no-such-team/stories?form=1')
    await is(400, 'invalid_parameter', '/v1/runs?team=no-such-team&limit=0')
    await is(400, 'invalid_cursor', '/v1/runs?team=no-such-team&cursor=nonsense')
    await is(400, 'invalid_parameter', '/v1/decisions?team=no-such-team&status=open')
    await is(400, 'unknown_parameter', '/v1/runs/run-0000?form=1')
    await is(400, 'unknown_parameter', '/v1/decisions/dec-0000?form=1')
    await is(400, 'unknown_parameter', '/v1/stories/ZZZZ-99999?form=1')
    await is(400, 'unknown_parameter', '/v1/teams/no-such-team?form=1')
  })

  test('also for a key that cannot exist, so that a malformed key is no different from a missing one', async () => {
    for (const address of [
      '/v1/runs/nonsense',
      '/v1/decisions/nonsense',
      '/v1/stories/nonsense',
      '/v1/teams/No%20Team',
    ])
      await is(400, 'unknown_parameter', `${address}?form=1`)
  })
})

describe('410 on the endpoints of the first API version', () => {
  const paths = [
    `/boards/${team!.id}/projects`,
    `/boards/${team!.id}/projects/7`,
    '/projects',
    '/projects/7',
    '/projects/7/tasks',
    '/projects/00000000-0000-7000-8000-000000000000/tasks/12',
    '/tasks',
    '/tasks/7',
    '/tasks/7/comments/3',
  ].flatMap((path) => [path, `/v1${path}`])

  test('with and without /v1, for every method, with and without a token', async () => {
    for (const path of paths) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        for (const token of [tokens.owner, null]) {
          const reply = await demo.ask(path, { method, token })
          refused(reply, 410, 'endpoint_removed', `${method} ${path}`)
        }
      }
    }
  })

  test('HEAD too', async () => {
    for (const path of paths) {
      const reply = await demo.raw(path, { method: 'HEAD', token: null })
      assert.deepEqual([reply.status, reply.body.length], [410, 0], path)
    }
  })

  test('whatever the query and the body', async () => {
    refused(await demo.ask('/tasks?board_id=1&limit=abc'), 410, 'endpoint_removed')
    const bodies: [string, string][] = [
      ['application/json', '{"title":"Fix the door"}'],
      ['application/json', '{"title":'],
      ['application/json', ''],
      ['application/x-www-form-urlencoded', 'title=Fix+the+door'],
      ['text/plain', 'Fix the door'],
      ['application/vnd.kanban+json', '{}'],
    ]
    for (const path of ['/tasks', '/v1/tasks/7']) {
      for (const [type, body] of bodies) {
        for (const method of ['POST', 'PATCH', 'DELETE']) {
          const reply = await demo.ask(path, {
            method,
            body,
            headers: { 'content-type': type },
            token: null,
          })
          refused(reply, 410, 'endpoint_removed', `${method} ${path} with ${type}: ${body}`)
        }
      }
    }
  })

  test('methods that no one uses, too', async () => {
    for (const path of ['/tasks', '/v1/projects/7'])
      for (const method of unusual)
        refused(await viaRaw(path, { method, token: null }), 410, 'endpoint_removed', `${method} ${path}`)
  })

  test('it names the replacement', async () => {
    const reply = await demo.ask('/v1/projects/7/tasks', { token: null })
    assert.match(refused(reply, 410, 'endpoint_removed'), /\/v1\/teams/)
    assert.match(reply.headers.get('link') ?? '', /<\/v1\/teams>; ?rel="successor-version"/)
  })

  test('boards themselves are not gone', async () => {
    assert.equal((await demo.ask('/boards')).status, 200)
    assert.equal((await demo.ask(`/boards/${team!.id}`)).status, 200)
  })
})

const unusual = ['PROPFIND', 'TRACE', 'PURGE', 'QUERY']

describe('405', () => {
  test('whatever the method', async () => {
    for (const method of unusual) {
      const reply = await viaRaw('/v1/teams', { method })
      refused(reply, 405, 'method_not_allowed', method)
      assert.ok(reply.headers.get('allow')?.includes('GET'), method)
    }
  })

  test('whatever the body', async () => {
    for (const [type, body] of [
      ['application/json', '{"a":'],
      ['application/json', ''],
      ['text/plain', 'a'],
      ['application/x-www-form-urlencoded', 'a=b'],
    ] as const) {
      for (const method of ['POST', 'DELETE']) {
        const reply = await demo.ask('/v1/teams', { method, body, headers: { 'content-type': type } })
        refused(reply, 405, 'method_not_allowed', `${method} with ${type}: ${body}`)
      }
    }
  })
})

describe('Unknown paths', () => {
  test('are 404 not_found, with any method and any token', async () => {
    for (const address of [
      '/v1',
      '/v2/teams',
      '/v1/team',
      '/teams',
      '/runs',
      '/v1/stories',
      '/v1/incidents',
      `/v1/runs/${run!.key}/attempts`,
      `/v1/decisions/${decision!.key}/reopen`,
      '/v1/audit/exports',
      '/projectsx',
      '/api/v1/teams',
      '/.env',
    ]) {
      for (const token of [tokens.owner, null])
        for (const method of ['GET', 'POST', 'DELETE'])
          refused(await demo.ask(address, { method, token }), 404, 'not_found', `${method} ${address}`)
    }
  })

  test('also when the body cannot be read', async () => {
    for (const type of ['application/json', 'text/plain']) {
      const asked = { method: 'POST', body: '{"a":', headers: { 'content-type': type } }
      refused(await demo.ask('/v1/nothing', asked), 404, 'not_found', type)
    }
  })
})

describe('Malformed requests', () => {
  test('a key with NUL bytes, of another alphabet, or of any length is a missing one', async () => {
    for (const key of ['%00', 'run-%00aaa', '%F0%9F%99%82', "run-1';--", '..%2f..%2fetc', 'a'.repeat(2_000)])
      refused(await viaRaw(`/v1/runs/${key}`), 404, 'run_not_found', key.slice(0, 40))
  })

  test('a path that cannot be decoded is 400', async () => {
    for (const path of ['/v1/runs/%', '/v1/runs/%zz', '/v1/%E0%A4%A', '/%ff'])
      refused(await viaRaw(path), 400, 'invalid_request', path)
  })

  test('a parameter with bytes that are no text, or far too long, is 400', async () => {
    for (const query of ['team=%00', 'team=%ff%fe', `team=${'a'.repeat(3_000)}`, 'story=%00'])
      refused(await viaRaw(`/v1/runs?${query}`), 400, 'invalid_parameter', query.slice(0, 40))
    for (const query of ['__proto__=1', 'constructor=1', 'limit[]=1', 'hasOwnProperty=1'])
      refused(await viaRaw(`/v1/runs?${query}`), 400, 'unknown_parameter', query)
  })

  test('headers that are too large are refused in JSON, with the three headers', async () => {
    const reply = await overSocket(
      `GET /v1/teams HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(40_000)}\r\n\r\n`,
    )
    refused(reply, 431, 'headers_too_large')
  })

  test('bytes that are no HTTP are refused in JSON, with the three headers', async () => {
    for (const bytes of [
      'nonsense\r\n\r\n',
      'GET /v1/teams HTTP/9.9\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n',
    ])
      refused(await overSocket(bytes), 400, 'invalid_request', JSON.stringify(bytes))
  })

  test('the server goes on', async () => {
    assert.equal((await demo.ask('/v1/teams')).status, 200)
  })
})

/** As `ask`, without fetch's tidying of the address. */
async function viaRaw(address: string, asked: Asked = {}): Promise<Reply> {
  const { status, headers, body } = await demo.raw(address, asked)
  return { status, headers: new Headers(headers as Record<string, string>), text: body.toString() }
}

async function overSocket(bytes: string): Promise<Reply> {
  const { hostname, port } = new URL(demo.started.url)
  const socket = connect(Number(port), hostname)
  socket.setEncoding('utf8').on('error', () => {})
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.write(bytes, 'latin1')
  await once(socket, 'close')
  const [head = '', text = ''] = received.split('\r\n\r\n')
  const [start = '', ...lines] = head.split('\r\n')
  const headers = new Headers(lines.map((line) => line.split(': ') as [string, string]))
  return { status: Number(start.split(' ')[1]), headers, text }
}
