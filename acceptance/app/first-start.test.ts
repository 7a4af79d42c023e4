import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../server.ts'
import { accessibilityFaults, assertQuiet, openTab, openWindow, withoutBrowser } from './browser.ts'

test('the first start: from an empty server to one’s own first steps, once', {
  skip: withoutBrowser,
}, async () => {
  const server = await startServer()
  const tab = await openTab(await openWindow())

  // The bare address leads to the set-up, which needs the code that the server has printed.
  await tab.goto(server.url)
  await tab.waitForURL('**/setup')
  await tab.getByLabel('Your name').waitFor()
  for (const width of [360, 1280]) {
    await tab.setViewportSize({ width, height: 860 })
    for (const colorScheme of ['dark', 'light'] as const) {
      await tab.emulateMedia({ colorScheme })
      assert.deepEqual(await accessibilityFaults(tab), [], `the set-up at ${width} pixels, ${colorScheme}`)
    }
  }
  await tab.getByLabel('Your name').fill('Ada Example')
  await tab.getByLabel('Email').fill('ada@example.com')
  await tab.getByLabel('Password', { exact: true }).fill('a password of some length')
  await tab.getByLabel('Workspace', { exact: true }).fill('Acme Parcels')
  await tab.getByLabel('Setup code').fill('not-the-code')
  await tab.getByRole('button', { name: 'Set up' }).click()
  await tab.getByRole('alert').filter({ hasText: /code/i }).waitFor()
  await tab.getByLabel('Setup code').fill(server.setupCode)
  await tab.getByRole('button', { name: 'Set up' }).click()
  await tab.waitForURL('**/acme-parcels/start')

  // The first screen says what this is, and what to do next.
  await tab.getByRole('heading', { name: 'Get started' }).waitFor()
  await tab.getByText('Signalbox runs coding agents on your stories').waitFor()
  await tab.getByRole('button', { name: 'Try it with a practice project' }).waitFor()
  await tab.getByRole('button', { name: 'Ada Example' }).waitFor()
  assert.deepEqual(await accessibilityFaults(tab), [])

  // Closed forever after.
  const stranger = await openTab(await openWindow())
  await stranger.goto(`${server.url}/setup?code=${server.setupCode}`)
  await stranger.getByRole('heading', { name: 'This server is already set up' }).waitFor()
  assertQuiet(tab, /401|403/)
})
