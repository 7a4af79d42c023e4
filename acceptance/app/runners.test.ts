import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { calm, type Demo, startDemo } from '../demo.ts'
import { accessibilityFaults, assertQuiet, screen, signedInTab, type Tab, withoutBrowser } from './browser.ts'

const box = {
  ...{ backend: 'bubblewrap', version: '0.8.0', environmentCleared: true, descendantsReaped: true },
  ...{
    writesOutsideBlocked: true,
    deniedPathsBlocked: true,
    secretsUnreadable: true,
    networkOnlyToGateway: true,
  },
}

describe('runners', { skip: withoutBrowser, concurrency: 1 }, () => {
  let demo: Demo
  let tab: Tab
  before(async () => {
    demo = await startDemo({ env: calm })
    tab = await signedInTab(demo)
    await tab.goto(screen(demo, 'settings/runners'))
  })

  const register = (name: string, isolation: object, codex: object = {}) =>
    fetch(`${demo.started.url}/runner/v1/register`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${demo.started.tokens.readOnly}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        ...{ instance: randomUUID(), boot: randomUUID(), name, version: '1.0.0', features: [], os: 'linux' },
        ...{ protocol: { least: 1, most: 1 }, arch: 'arm64', slots: 2, labels: ['gpu'], holds: [] },
        executors: [
          { name: 'claude_code', via: 'native', version: '2.1.325' },
          { name: 'codex', via: 'native', version: '0.166.0', ...codex },
        ],
        ...{ isolation, evidenceKey: 'AAAA' },
      }),
    })

  test('without one, the page says what to type on which machine', async () => {
    await tab.getByText('No runners yet').waitFor()
    await tab.getByRole('button', { name: 'Connect a runner' }).click()
    const dialog = tab.getByRole('dialog', { name: 'Connect a runner' })
    await dialog.getByText(`SERVICE_API_KEY=tk_… npx signalbox-runner --url ${demo.started.url}`).waitFor()
    await dialog.getByRole('link', { name: 'Create a token' }).waitFor()
    assert.deepEqual(await accessibilityFaults(tab), [])
    await tab.keyboard.press('Escape')
  })

  test('one that connects appears by itself, with the agents it found and what it can keep closed', async () => {
    assert.equal((await register('build-eu-1', box)).status, 200)
    const laptop = await register(
      'laptop',
      { ...box, networkOnlyToGateway: false },
      { access: 'subscription' },
    )
    assert.equal(laptop.status, 200)
    const first = tab.getByRole('listitem').filter({ hasText: 'build-eu-1' })
    await first.getByText('Online').waitFor()
    await first.getByText('Claude Code 2.1.325, Codex 0.166.0').waitFor()
    await first.getByText('Closed box').waitFor()
    await tab.getByText('Network closed: no').waitFor()
    await tab.getByText('Claude Code 2.1.325, Codex 0.166.0 (subscription, not metered)').waitFor()
    if (process.env.SCREENS)
      await tab.screenshot({ path: `${process.env.SCREENS}/runners.png`, fullPage: true })
    assert.deepEqual(await accessibilityFaults(tab), [])
  })

  test('it can be paused, resumed and removed', async () => {
    const first = tab.getByRole('listitem').filter({ hasText: 'build-eu-1' })
    await first.getByRole('button', { name: 'Pause' }).click()
    await first.getByText('Paused').waitFor()
    await first.getByRole('button', { name: 'Resume' }).click()
    await first.getByText('Online').waitFor()
    await first.getByRole('button', { name: 'Remove' }).click()
    await tab.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await first.waitFor({ state: 'detached' })
    assertQuiet(tab)
  })
})
