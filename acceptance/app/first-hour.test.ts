import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { startServer } from '../server.ts'
import {
  accessibilityFaults,
  assertQuiet,
  keepPicture,
  openTab,
  openWindow,
  type Tab,
  withoutBrowser,
} from './browser.ts'

/**
 * The first hour of somebody who has just started an empty server. `npm run first-hour` takes the pictures of
 * docs/first-hour.md; otherwise none are taken.
 */

const pictures = process.env.FIRST_HOUR
const mostClicks = 12

test('the practice run reaches its merge in under 12 clicks, without a key, an agent or a terminal, and can be removed', {
  skip: withoutBrowser,
}, async (t) => {
  const server = await startServer()
  const tab = await openTab(await openWindow())
  const visit = new Visit(tab)
  await tab.goto(`${server.url}/setup?code=${server.setupCode}`)
  await tab.getByLabel('Your name').fill('Ada Example')
  await tab.getByLabel('Email').fill('ada@example.com')
  await tab.getByLabel('Password', { exact: true }).fill('a password of some length')
  await tab.getByLabel('Workspace', { exact: true }).fill('Acme')
  await visit.click(tab.getByRole('button', { name: 'Set up' }))
  await tab.waitForURL('**/acme/start')
  await tab.getByRole('button', { name: 'Try it with a practice project' }).waitFor()
  await visit.picture('1-start')
  await visit.click(tab.getByRole('button', { name: 'Try it with a practice project' }))
  await tab.waitForURL('**/acme/practice')
  await tab.getByText('Scripted agent', { exact: true }).waitFor()

  await tab.getByRole('radio', { name: /Approve the plan/ }).waitFor()
  await visit.picture('2-plan')
  assert.deepEqual(await accessibilityFaults(tab), [])
  await visit.answer(/Approve the plan/)
  await tab.getByRole('radio', { name: /^Merge/ }).waitFor()
  await visit.picture('3-merge')
  await visit.answer(/^Merge/)
  await tab.getByRole('button', { name: 'Send the alert' }).waitFor()
  const merged = { clicks: visit.clicks, seconds: visit.seconds() }
  assert.ok(merged.clicks < mostClicks, `${merged.clicks} clicks to the merge`)

  await visit.click(tab.getByRole('button', { name: 'Send the alert' }))
  await tab
    .getByRole('radio', { name: /revert/i })
    .first()
    .waitFor()
  await visit.picture('4-revert')
  await visit.answer(/revert/i)
  await tab.getByRole('heading', { name: 'Now your own' }).waitFor()
  await visit.picture('5-done')
  assert.deepEqual(await accessibilityFaults(tab), [])
  t.diagnostic(
    `merged after ${merged.clicks} clicks and ${merged.seconds} s; reverted after ${visit.clicks} clicks and ${visit.seconds()} s`,
  )

  await tab.getByRole('button', { name: 'Remove practice project' }).click()
  await tab.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await tab.waitForURL('**/acme/start')
  await tab.getByRole('button', { name: 'Try it with a practice project' }).waitFor()
  for (const step of ['Create a team', 'Add a runner', 'See the first run', 'Receive alerts'])
    await tab.getByText(`${step}, not done yet`).waitFor()
  assertQuiet(tab, /401|403/)
})

/** Counts what a person does with the pointer, and takes pictures where they are asked for. */
class Visit {
  readonly #tab: Tab
  readonly #began = performance.now()
  clicks = 0

  constructor(tab: Tab) {
    this.#tab = tab
  }

  async click(target: Locator): Promise<void> {
    this.clicks += 1
    await target.click()
  }

  async answer(option: RegExp): Promise<void> {
    await this.click(this.#tab.getByRole('radio', { name: option }).first())
    await this.click(this.#tab.locator('form button[type=submit]'))
  }

  seconds(): number {
    return Math.round((performance.now() - this.#began) / 1000)
  }

  async picture(name: string): Promise<void> {
    if (pictures) await keepPicture(this.#tab, path.join(pictures, `first-hour-${name}.webp`))
  }
}
