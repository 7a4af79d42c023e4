import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pushService } from '../../test/hosts/push-service.ts'
import { webPush } from './web-push.ts'

const seed = Buffer.alloc(32, 7)
const at = new Date('2026-03-31T12:00:00Z')
const message = {
  id: 'one',
  title: 'inc-k3x9 opened: Größe',
  body: 'Checkout',
  path: '/acme/incidents/inc-k3x9',
}
const urgent = true

test('a push arrives encrypted for one browser, signed by this server, and for that push service alone', async (t) => {
  const { browser, taken, options } = await pushService(t)
  const push = webPush(seed, { ...options, contact: 'mailto:ops@example.com' })
  assert.equal(await push.send({ to: browser, key: 'a key', urgent, at, message }), 'sent')
  const [{ headers, claims, message: read }] = taken as [(typeof taken)[0]]
  assert.deepEqual(read, message)
  assert.deepEqual(claims, {
    aud: 'https://push.example.com',
    exp: at.getTime() / 1000 + 43_200,
    sub: 'mailto:ops@example.com',
  })
  assert.ok(headers.authorization!.endsWith(`, k=${push.publicKey}`))
  assert.deepEqual(
    [headers['content-encoding'], headers.ttl, headers.urgency],
    ['aes128gcm', '86400', 'high'],
  )
  assert.match(headers.topic as string, /^[\w-]{32}$/)
})

test('the key grows from the secret: another start pushes with the same', () => {
  const options = { allow: [], contact: null }
  assert.equal(webPush(seed, options).publicKey, webPush(Buffer.from(seed), options).publicKey)
  assert.notEqual(webPush(Buffer.alloc(32, 8), options).publicKey, webPush(seed, options).publicKey)
  // Zero is no key of the curve.
  assert.equal(Buffer.from(webPush(Buffer.alloc(32), options).publicKey, 'base64url').length, 65)
})

test('a browser that takes no more pushes is gone, a push that is not taken is refused, and trouble is thrown', async (t) => {
  const { browser, options, service } = await pushService(t)
  const push = webPush(seed, options)
  const send = () => push.send({ to: browser, key: 'a key', urgent, at, message })
  const outcomes: Record<number, string> = {
    404: 'gone',
    410: 'gone',
    400: 'refused',
    403: 'refused',
    302: 'refused',
  }
  for (const [status, outcome] of Object.entries(outcomes)) {
    service.status = Number(status)
    assert.equal(await send(), outcome, status)
  }
  for (const status of [429, 500, 503]) {
    service.status = status
    await assert.rejects(send(), /push\.example\.com answered with status/)
  }
})

test('an address inside is not called, whatever the browser said', async (t) => {
  const { browser, asked, options } = await pushService(t)
  const closed = webPush(seed, { ...options, allow: [] })
  assert.equal(await closed.send({ to: browser, key: 'a key', urgent, at, message }), 'gone')
  for (const endpoint of ['https://127.0.0.1/x', 'https://[::1]/x', 'http://93.184.216.34/x'])
    assert.equal(await closed.send({ to: { ...browser, endpoint }, key: 'k', urgent, at, message }), 'gone')
  assert.deepEqual(asked, [])
})

test('a key that is none is no browser, and what is too long loses its body', async (t) => {
  const { browser, taken, options } = await pushService(t)
  const push = webPush(seed, options)
  const p256dh = Buffer.alloc(65, 4).toString('base64url')
  assert.equal(await push.send({ to: { ...browser, p256dh }, key: 'k', urgent, at, message }), 'gone')
  const long = { ...message, body: 'x'.repeat(5_000) }
  assert.equal(await push.send({ to: browser, key: 'k', urgent, at, message: long }), 'sent')
  assert.deepEqual(taken[0]!.message, { ...message, body: '' })
})
