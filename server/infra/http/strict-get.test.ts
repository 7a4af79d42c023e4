import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { type TestContext, test } from 'node:test'
import { httpsHost, text } from '../../test/https-host.ts'
import { mayPass, NoAnswer, strictGet } from './strict-get.ts'

const url = new URL('https://sns.eu-central-1.amazonaws.com/some/path?with=query')

async function played(
  t: TestContext,
  answer: RequestListener,
  { trusted = true, milliseconds = 5_000 } = {},
) {
  const { request, asked } = await httpsHost(t, answer, { trusted })
  return { get: strictGet({ mostBytes: 1_000, milliseconds, mostConnections: 2, request }), asked }
}

const noAnswer = (why: RegExp) => (error: Error) => error instanceof NoAnswer && why.test(error.message)

test('a body is fetched, with one question', async (t) => {
  const { get, asked } = await played(t, text('here it is'))
  assert.deepEqual(await get(url), { status: 200, body: 'here it is' })
  assert.equal(asked.length, 1)
  assert.match(asked[0]!, /^GET sns\.eu-central-1\.amazonaws\.com(:\d+)? \/some\/path\?with=query$/)
})

test('a redirect is not followed, and the body of a refusal is not read', async (t) => {
  for (const status of [301, 302, 307, 308, 403, 404]) {
    const { get, asked } = await played(t, text('elsewhere', status, { location: url.href }))
    assert.deepEqual(await get(url), { status, body: '' })
    assert.equal(asked.length, 1)
  }
})

test('no more is read than was agreed, whatever the length that was announced', async (t) => {
  const exact = await played(t, text('x'.repeat(1_000)))
  assert.equal((await exact.get(url)).body?.length, 1_000)
  const whole = await played(t, text('x'.repeat(1_001)))
  assert.deepEqual(await whole.get(url), { status: 200, body: null })
  const endless = await played(t, (_, response) => {
    const write = () => {
      while (!response.destroyed && response.write('x'.repeat(500)));
    }
    response.on('drain', write)
    write()
  })
  assert.deepEqual(await endless.get(url), { status: 200, body: null })
})

test('a broken connection is no answer', async (t) => {
  const broken = await played(t, (_, response) => response.destroy())
  await assert.rejects(broken.get(url), noAnswer(/could not be reached/))
  const cut = await played(t, (_, response) => {
    response.writeHead(200, { 'content-length': 100 })
    response.write('half', () => response.destroy())
  })
  await assert.rejects(cut.get(url), noAnswer(/could not be reached/))
})

test('a host that is slow, with its answer or within it, is not waited for', async (t) => {
  const silent = await played(t, () => {}, { milliseconds: 200 })
  await assert.rejects(silent.get(url), noAnswer(/no answer within 0.2 seconds/))
  const slow = await played(t, (_, response) => void response.write('half'), { milliseconds: 200 })
  await assert.rejects(slow.get(url), noAnswer(/no answer within 0.2 seconds/))
})

test('a host that cannot prove who it is, or proves to be another one, gets no question', async (t) => {
  const untrusted = await played(t, text('x'), { trusted: false })
  await assert.rejects(untrusted.get(url), noAnswer(/could not be reached \(.+\)/))
  assert.deepEqual(untrusted.asked, [])
  const { get, asked } = await played(t, text('x'))
  await assert.rejects(
    get(new URL('https://sns.eu-west-1.amazonaws.com/')),
    noAnswer(/ERR_TLS_CERT_ALTNAME_INVALID/),
  )
  assert.deepEqual(asked, [])
})

test('only failures of the moment may pass', () => {
  for (const status of [408, 429, 500, 502, 503, 504]) assert.ok(mayPass(status), String(status))
  for (const status of [200, 301, 400, 401, 403, 404, 422]) assert.ok(!mayPass(status), String(status))
})
