import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { testApp } from '../../test/app.ts'

const asBrowser = { accept: 'text/html,application/xhtml+xml', 'accept-encoding': 'identity' }

describe('the files of the web app', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  before(async () => {
    app = await testApp()
  })
  after(() => app.stop())

  const page = (path: string, headers: Record<string, string> = asBrowser) =>
    app.get(path, undefined, { headers })

  test('every address that belongs to no one else is the app’s one page', async () => {
    for (const path of ['/', '/login', '/acme/inbox', '/acme/decisions/dec-k3x9']) {
      const response = await page(path)
      assert.equal(response.status, 200, path)
      assert.match(response.headers.get('content-type')!, /^text\/html/)
      assert.match(await response.text(), /<div id="root">/)
    }
  })

  test('addresses of the APIs answer as APIs, no matter who asks', async () => {
    for (const path of [
      '/v1/nothing',
      '/api/nothing',
      '/signals',
      '/assets/an-older-build.js',
      '/livez',
      '/.well-known/oauth-protected-resource',
    ]) {
      const response = await page(path)
      assert.equal(response.status, 404, path)
      assert.match(response.headers.get('content-type')!, /^application\/json/)
    }
    assert.equal((await page('/projects')).status, 410)
  })

  test('a script that opens the bare address is led to the API reference', async () => {
    const response = await app.get('/', undefined, { redirect: 'manual' })
    assert.equal(response.status, 302)
    assert.equal(response.headers.get('location'), '/v1/reference')
  })

  test('the page allows no inline script, no frame and nothing from elsewhere', async () => {
    const policy = (await page('/login')).headers.get('content-security-policy')!
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /script-src 'self'(;|$)/)
    assert.match(policy, /style-src 'self'(;|$)/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /unsafe|\*|https?:/)
    assert.doesNotMatch(await (await page('/login')).text(), /<script(?![^>]* src=)|<style| style="| on\w+="/)
  })

  test('what is named by its hash is kept for good, compressed at build', async () => {
    const [script] = /\/assets\/index-[\w-]+\.js/.exec(await (await page('/')).text())!
    const response = await page(script, { 'accept-encoding': 'br' })
    assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(response.headers.get('content-encoding'), 'br')
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
    // `fetch` has opened it already; what was sent is what the build compressed.
    assert.ok((await response.arrayBuffer()).byteLength > Number(response.headers.get('content-length')))
    const raw = await fetch(app.url + script, { headers: { 'accept-encoding': 'identity' } })
    assert.equal(raw.headers.get('content-encoding'), null)
  })

  test('the page itself is asked for again each time, and answered with 304 when it is the same', async () => {
    const first = await page('/login')
    assert.equal(first.headers.get('cache-control'), 'no-cache')
    const again = await page('/login', { ...asBrowser, 'if-none-match': first.headers.get('etag')! })
    assert.equal(again.status, 304)
  })
})
