import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import path from 'node:path'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { addressOf, isSecure } from '../infra/http/server.ts'
import { testApp } from './app.ts'

/** Plain HTTP is for this machine, or for a proxy that was reached by https. Everything else is refused. */

const cert = path.join(import.meta.dirname, 'fixtures', 'loopback.crt')
const key = path.join(import.meta.dirname, 'fixtures', 'loopback.key')

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

test('forwarded headers of a stranger are not believed', async () => {
  const app = await testApp()
  const response = await app.get('/v1/teams', undefined, {
    headers: { 'x-forwarded-proto': 'http', 'x-forwarded-for': '203.0.113.9' },
  })
  assert.equal(response.status, 401, 'loopback is served, whatever the header says')
  await response.body?.cancel()
  await app.stop()
})

test('with a certificate the server speaks https', async () => {
  const app = await testApp({ env: { TLS_CERT: cert, TLS_KEY: key } })
  assert.match(app.url, /^https:/)
  const status = await new Promise((resolve, reject) => {
    request(`${app.url}/v1/teams`, { ca: readFileSync(cert) }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })
  assert.equal(status, 401)
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
