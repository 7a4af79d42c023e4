import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { testApp } from '../../test/app.ts'

const asBrowser = { accept: 'text/html', 'accept-encoding': 'identity' }

describe('the manual at /docs', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  before(async () => {
    app = await testApp()
  })
  after(() => app.stop())

  const get = (at: string, headers: Record<string, string> = asBrowser, method = 'GET') =>
    app.get(at, undefined, { headers, method, redirect: 'manual' })
  const read = async (at: string) => (await get(at)).text()

  test('has every page of docs/manual, in its table of contents', async () => {
    const folder = path.join(import.meta.dirname, '..', '..', '..', 'docs', 'manual')
    const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.md'))
    const start = await read('/docs')
    for (const file of files) {
      const page = `/docs/${file.slice(0, -3)}`
      assert.ok(start.includes(`href="${page}"`), `${page} is missing in web/manual/contents.ts`)
      assert.equal((await get(page)).status, 200, page)
    }
  })

  test('every link and every anchor of it leads somewhere, without a sign-in', async () => {
    const paths = new Set([
      '/docs',
      ...(await read('/docs')).matchAll(/href="(\/docs\/[^"#]+)"/g).map(([, at]) => at!),
    ])
    const pages = new Map<string, string>()
    for (const at of paths) if (!at.endsWith('.css')) pages.set(at, await read(at))
    const wrong: string[] = []
    for (const [at, html] of pages) {
      for (const [, href = ''] of html.matchAll(/href="([^"]*)"/g)) {
        if (
          /^https:\/\//.test(href) ||
          /^\/(v1\/(reference|errors)|favicon\.svg|docs\/style\.css)?$/.test(href)
        )
          continue
        const [target = '', anchor] = href.split('#')
        const page = pages.get(target || at)
        if (!page || (anchor && !page.includes(`id="${anchor}"`))) wrong.push(`${at}: ${href}`)
      }
    }
    assert.deepEqual(wrong, [])
  })

  test('every file that its pages and its styles ask for is served, as what it is', async () => {
    const asked = new Set<string>()
    for (const at of ['/docs', '/docs/runner', '/docs/search?q=runner', '/docs/no-such-page']) {
      const html = await read(at)
      for (const [, file] of html.matchAll(/<(?:script|img|link)[^>]* (?:src|href)="([^"]+)"/g))
        asked.add(file!)
    }
    for (const [, file] of (await read('/docs/style.css')).matchAll(/url\(["']?([^"')]+)/g))
      asked.add(new URL(file!, `${app.url}/docs/style.css`).pathname)
    const types: Record<string, RegExp> = {
      '.js': /^text\/javascript/,
      '.css': /^text\/css/,
      '.svg': /^image\/svg\+xml/,
      '.woff2': /^font\/woff2/,
    }
    const wrong: string[] = []
    for (const file of asked) {
      const response = await get(file, {})
      const type = response.headers.get('content-type') ?? ''
      if (response.status !== 200 || !types[path.extname(file)]?.test(type))
        wrong.push(`${file}: ${response.status} ${type}`)
    }
    assert.deepEqual(wrong, [])
    assert.ok(asked.size >= 4, [...asked].join(' '))
  })

  test('asks nothing of any other server and allows no inline script', async () => {
    const response = await get('/docs/runner')
    const policy = response.headers.get('content-security-policy')!
    assert.match(policy, /default-src 'none'/)
    assert.doesNotMatch(policy, /unsafe|\*|https?:/)
    const html = await response.text()
    assert.doesNotMatch(html, /<script(?![^>]* src=)|<style| style="| on\w+="|<(img|link|script)[^>]*https?:/)
    assert.doesNotMatch(await read('/docs/style.css'), /https?:/)
  })

  test('finds a setting by its name first, marks the words, and says plainly that there are no results', async () => {
    const found = await read('/docs/search?q=git_allow')
    const [first] = /<ul class="results"><li>.*?<\/li>/s.exec(found)!
    assert.match(first, /href="\/docs\/configuration#GIT_ALLOW"/)
    assert.match(first, /<mark>GIT_ALLOW<\/mark>/)
    assert.match(await read('/docs/search?q=drain+seconds'), /href="\/docs\/runner#--drain-seconds"/)
    assert.match(await read('/docs/search?q=zeppelin'), /<p>No results\./)
    assert.match(await read('/docs/search?q='), /Enter one or more words/)
    assert.doesNotMatch(await read('/docs/search?q=%3Cscript%3Ealert(1)%3C/script%3E'), /<script>/)
  })

  test('answers HEAD, an unchanged page with 304, and what it lacks with a page and 404', async () => {
    const whole = await get('/docs/runner')
    const head = await get('/docs/runner', asBrowser, 'HEAD')
    assert.equal(head.status, 200)
    assert.equal(head.headers.get('etag'), whole.headers.get('etag'))
    assert.equal(head.headers.get('content-length'), whole.headers.get('content-length'))
    assert.equal(await head.text(), '')
    const again = await get('/docs/runner', { ...asBrowser, 'if-none-match': whole.headers.get('etag')! })
    assert.equal(again.status, 304)
    const missing = await get('/docs/no-such-page')
    assert.equal(missing.status, 404)
    assert.match(missing.headers.get('content-type')!, /^text\/html/)
    assert.match(await missing.text(), /Page not found/)
    for (const way of ['/docs/..%2f..%2fpackage.json', '/docs/constructor'])
      assert.equal((await get(way)).status, 404, way)
    const copied = await get('/docs/runner.md')
    assert.deepEqual([copied.status, copied.headers.get('location')], [301, '/docs/runner'])
    assert.equal((await get('/docs/runner', asBrowser, 'POST')).status, 404)
  })
})
