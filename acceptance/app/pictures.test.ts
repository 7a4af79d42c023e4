import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../demo.ts'
import { keepPicture, openTab, openWindow, withoutBrowser } from './browser.ts'

/** The pictures of README.md, docs/screens and docs/first-hour.md are all taken by `keepPicture`. */

test('a picture is refused while there is a skeleton, an open request, text to be rendered or no heading, and taken once there is none', {
  skip: withoutBrowser,
}, async () => {
  const tab = await openTab(await openWindow())
  const file = path.join(await temporaryFolder(), 'picture.webp')
  const answering = Promise.withResolvers<void>()
  await tab.route('http://pictures.test/**', async (route) => {
    const { pathname } = new URL(route.request().url())
    if (pathname === '/slow') await answering.promise
    await route.fulfill({ contentType: 'text/html', body: '<h1>Inbox</h1>' })
  })
  const refused = (body: string, why: RegExp) =>
    tab
      .evaluate(`document.body.innerHTML = ${JSON.stringify(body)}`)
      .then(() => assert.rejects(keepPicture(tab, file, 200), why))
  await tab.goto('http://pictures.test/')
  await refused('', /no heading/)
  await refused('<h1>Inbox</h1><div class="animate-pulse"></div>', /a skeleton/)
  await refused('<h1>Inbox</h1><div role="status" aria-label="Loading"></div>', /a skeleton/)
  await refused('<h1>Inbox</h1><button aria-busy="true">Save</button>', /something busy/)
  await refused('<h1>Inbox</h1><div data-interim>1. Do it</div>', /text that is not rendered yet/)
  await tab.evaluate(`void fetch('/slow')`)
  await refused('<h1>Inbox</h1>', /an answer to \/slow/)
  assert.equal(existsSync(file), false)
  answering.resolve()
  await keepPicture(tab, file)
  assert.ok(existsSync(file))
})
