import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import path from 'node:path'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { addPerson } from '../../domain/accounts/workspaces/add-person.ts'
import { addressOf, isSecure } from '../../infra/http/server.ts'
import { testApp } from '../app.ts'
import { browser } from '../browser.ts'
import { aWorkspace } from '../factories.ts'

/** Plain HTTP is for this machine, or for a proxy that was reached by https. Everything else is refused. */

const cert = path.join(import.meta.dirname, '..', 'hosts', 'fixtures', 'loopback.crt')
const key = path.join(import.meta.dirname, '..', 'hosts', 'fixtures', 'loopback.key')

test('behind a trusted proxy, only what came by https is served', async () => {
  const app = await testApp({ env: { TRUST_PROXY: '127.0.0.1' } })
  const via = async (proto: string) => {
    const response = await app.get('/v1/teams', undefined, {
      headers: { 'x-forwarded-proto': proto, 'x-forwarded-for': '203.0.113.9' },
    })
    return [response.status, ((await response.json()) as { error: { code: string } }).error.code]
  }
  assert.deepEqual(await via('https'), [401, 'missing_token'])
  assert.deepEqual(await via('http'), [403, 'https_required'])
  await app.stop()
})

test('behind a proxy that speaks https, cookies are Secure without PUBLIC_URL, and browsers are told to stay', async () => {
  const app = await testApp({ env: { TRUST_PROXY: '127.0.0.1' } })
  const origin = app.url
  const workspace = await aWorkspace(app.storage.db)
  const [email, password] = ['person@example.com', 'correct horse battery']
  await addPerson(workspace, { email, name: 'Person', role: 'owner', password })
  const page = browser(origin)
  const proxied = { 'x-forwarded-proto': 'https' }
  const answer = await page.post('/api/auth/sign-in/email', { email, password }, proxied)
  assert.equal(answer.status, 200)
  for (const cookie of answer.headers.getSetCookie()) {
    assert.match(cookie, /^__Host-signalbox/)
    assert.match(cookie, /; Path=\/(;|$)/)
    assert.equal(cookie.match(/; Secure/gi)?.length, 1, cookie)
  }
  const me = (cookie: string, headers: Record<string, string>) =>
    fetch(`${origin}/api/me`, { headers: { cookie, ...headers } })
  const value = page.cookies.get('__Host-signalbox')!
  const inside = await me(`__Host-signalbox=${value}`, proxied)
  assert.equal(inside.status, 200)
  assert.match(inside.headers.get('strict-transport-security') ?? '', /^max-age=\d{8}/)
  // Over https a cookie that a neighbouring host could have set is none of ours, and without it we set no other.
  assert.equal((await me(`signalbox=${value}`, proxied)).status, 401)
  const local = await me(`signalbox=${value}`, {})
  assert.deepEqual([local.status, local.headers.get('strict-transport-security')], [200, null])
  await app.stop()
})

test('forwarded headers of a stranger are not believed', async () => {
  const app = await testApp()
  const response = await app.get('/v1/teams', undefined, {
    headers: { 'x-forwarded-proto': 'http', 'x-forwarded-for': '203.0.113.9' },
  })
  assert.equal(response.status, 401, 'loopback is served, whatever the header says')
  assert.equal(response.headers.get('strict-transport-security'), null)
  await response.body?.cancel()
  await app.stop()
})

test('with a certificate the server speaks https', async () => {
  const app = await testApp({ env: { TLS_CERT: cert, TLS_KEY: key } })
  assert.match(app.url, /^https:/)
  const [status, stay] = await new Promise<unknown[]>((resolve, reject) => {
    request(`${app.url}/v1/teams`, { ca: readFileSync(cert) }, (response) => {
      response.resume()
      resolve([response.statusCode, response.headers['strict-transport-security']])
    })
      .on('error', reject)
      .end()
  })
  assert.equal(status, 401)
  assert.match(String(stay), /^max-age=/)
  await app.stop()
})

test('plain HTTP from another machine is refused, whatever it claims', () => {
  const from = (remoteAddress: string, headers = {}) =>
    isSecure({ socket: { remoteAddress }, headers, protocol: 'http' } as unknown as FastifyRequest, {
      tls: null,
      trustProxy: [],
    })
  assert.equal(from('127.0.0.1'), true)
  assert.equal(from('::1'), true)
  assert.equal(from('::ffff:127.0.0.1'), true)
  assert.equal(from('192.0.2.7'), false)
  assert.equal(from('192.0.2.7', { 'x-forwarded-proto': 'https' }), false)
  assert.equal(from('2001:db8::1'), false)
})

test('an IPv6 subscriber is one address, however many of the /64 they use', () => {
  assert.equal(addressOf('2001:db8:1:2:3:4:5:6'), addressOf('2001:db8:1:2::9'))
  assert.notEqual(addressOf('2001:db8:1:2::1'), addressOf('2001:db8:1:3::1'))
  assert.equal(addressOf('192.0.2.7'), '192.0.2.7')
  assert.equal(addressOf('::1'), '0:0:0:0')
})
