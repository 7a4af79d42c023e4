import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { testApp } from '../../test/app.ts'

/** What never becomes a request of a face is answered like everything else: our error body, the three headers. */

const app = await testApp()
after(() => app.stop())

/** What a server says to these bytes until it closes the connection. */
async function spoken(bytes: string): Promise<string> {
  const { hostname, port } = new URL(app.url)
  const socket = connect(Number(port), hostname, () => socket.write(bytes))
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  await once(socket, 'close')
  return answer
}

function isOurs(answer: string, status: number, code: string) {
  assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `))
  for (const name of ['limit', 'remaining', 'reset'])
    assert.match(answer, new RegExp(`^x-ratelimit-${name}: \\d+\\r$`, 'im'))
  assert.match(answer, /^x-request-id: \S+\r$/im)
  assert.match(answer, /^content-type: application\/json; charset=utf-8\r$/im)
  const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))
  assert.deepEqual(Object.keys(body.error), ['code', 'message'])
  assert.equal(body.error.code, code)
}

for (const path of ['/v1/teams', '/api/me', '/signals/none', '/', '/nowhere'])
  test(`HTTP/1.1 without a Host is refused at ${path}`, async () => {
    isOurs(await spoken(`GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`), 400, 'invalid_request')
  })

test('HTTP/1.0 needs no Host', async () => {
  isOurs(await spoken('GET /v1/teams HTTP/1.0\r\n\r\n'), 401, 'missing_token')
})

test('an expectation that no one knows is refused, and 100-continue is met', async () => {
  const post = (expect: string) =>
    spoken(
      `POST /v1/decisions/dec-0000/resolve HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: ${expect}\r\nContent-Length: 2\r\n\r\n{}`,
    )
  for (const expect of ['200-ok', 'something']) isOurs(await post(expect), 417, 'expectation_failed')
  const met = await post('100-Continue')
  assert.match(met, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 401 /)
})

test('CONNECT is refused: this is no proxy', async () => {
  for (const to of ['example.com:443', '127.0.0.1:5432', '/v1/teams']) {
    const answer = await spoken(`CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n\r\n`)
    isOurs(answer, 405, 'method_not_allowed')
    assert.match(answer, /^allow: /im)
  }
})

test('a method that no face takes is refused likewise', async () => {
  for (const method of ['TRACE', 'PROPFIND', 'QUERY', 'PURGE']) {
    const answer = await spoken(`${method} /v1/teams HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    isOurs(answer, 405, 'method_not_allowed')
  }
})

test('an upgrade that is not offered is an ordinary request', async () => {
  const asked =
    'GET /v1/teams HTTP/1.1\r\nHost: x\r\nConnection: close, upgrade\r\nUpgrade: websocket\r\n\r\n'
  isOurs(await spoken(asked), 401, 'missing_token')
})
