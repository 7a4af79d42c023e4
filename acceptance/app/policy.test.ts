import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { demoToLookAt, type Serving } from '../demo.ts'
import { accessibilityFaults, assertQuiet, screen, signedInTab, withoutBrowser } from './browser.ts'

const heading = 'If this policy had been in place for the last 30 days'

/** What a change would have done, before it is saved. */
describe('a policy is rehearsed before it is saved', { skip: withoutBrowser }, () => {
  let demo: Serving
  before(async () => {
    demo = await demoToLookAt()
  })

  test('the dialog says which runs would have gone differently, with the way to them', async () => {
    const tab = await signedInTab(demo, 'admin')
    await tab.goto(screen(demo, 'teams/checkout-web/settings/policy'))
    await tab.getByRole('radio', { name: /^Trial/ }).click()
    await tab.getByRole('button', { name: 'Review and save' }).click()
    const dialog = tab.getByRole('dialog', { name: 'Change policy' })
    const section = dialog.getByRole('region', { name: heading })
    await section.getByText(/^Of \d+ runs in the last 30 days, .*left the merge to people/).waitFor()
    await section.locator('summary').click()
    const run = section.getByRole('link', { name: /^run-/ }).first()
    const key = (await run.textContent())!
    assert.deepEqual(await accessibilityFaults(tab), [])

    const opened = tab.context().waitForEvent('page')
    await run.click()
    const page = await opened
    await page.waitForURL(`**/runs/${key}`)
    await page.close()
    assert.ok(await dialog.isVisible(), 'what was typed is still there')
    assertQuiet(tab)
  })

  test('what a person is asked about is a list of boxes, and one that is cleared is shown before it is saved', async () => {
    const tab = await signedInTab(demo, 'admin')
    await tab.goto(screen(demo, 'teams/checkout-web/settings/policy'))
    const list = tab.getByRole('group', { name: 'Ask a person when a change touches' })
    await list.locator('summary', { hasText: /^Coding agents/ }).click()
    const box = list.getByRole('checkbox', { name: 'MCP servers' })
    assert.equal(await box.isChecked(), true)
    assert.deepEqual(await accessibilityFaults(tab), [])
    await box.uncheck()
    await list.getByText('Asks about 1 of 2').waitFor()
    await tab.getByRole('button', { name: 'Review and save' }).click()
    const dialog = tab.getByRole('dialog', { name: 'Change policy' })
    await dialog.getByText('all but MCP servers').waitFor()
    assertQuiet(tab)
  })

  test('an old version is rehearsed as well before it is restored', async () => {
    const tab = await signedInTab(demo, 'owner')
    await tab.goto(screen(demo, 'teams/checkout-web/settings/policy'))
    await tab.getByRole('button', { name: 'Restore' }).last().click()
    const section = tab.getByRole('region', { name: heading })
    await section.getByText(/ in the last 30 days/).waitFor()
    assertQuiet(tab)
  })

  test('a team that has not worked yet has nothing to compare', async () => {
    const tab = await signedInTab(demo, 'owner')
    await tab.goto(screen(demo, 'teams/depot-tools/settings/policy'))
    await tab.getByRole('button', { name: 'Review and save' }).click()
    const section = tab.getByRole('region', { name: heading })
    await section.getByText('No runs in the last 30 days.', { exact: true }).waitFor()
    assertQuiet(tab)
  })
})
