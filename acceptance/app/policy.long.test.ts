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

  test('a second review is turned on, and what belongs to it appears with it', async () => {
    const tab = await signedInTab(demo, 'admin')
    await tab.goto(screen(demo, 'teams/checkout-web/settings/policy'))
    const holds = tab.getByRole('switch', { name: 'Second review can hold a merge' })
    const by = tab.getByLabel('Second review', { exact: true })
    await by.waitFor()
    assert.equal(await holds.count(), 0)
    await by.selectOption('An agent of another vendor')
    await tab.getByLabel('Model of the second review').fill('gpt-5')
    await holds.click()
    assert.deepEqual(await accessibilityFaults(tab), [])
    await tab.getByRole('button', { name: 'Review and save' }).click()
    const dialog = tab.getByRole('dialog', { name: 'Change policy' })
    for (const text of ['An agent of another vendor', 'gpt-5', 'Second review can hold a merge'])
      await dialog.getByText(text).first().waitFor()
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

  test('the inbox leads an admin to what approvals suggest, with its rehearsal; the answer is a click, and members are not asked', async () => {
    const tab = await signedInTab(demo, 'admin')
    await tab.goto(screen(demo, 'inbox'))
    const listed = tab.getByRole('list', { name: 'Policy suggestions' })
    await listed.getByRole('link', { name: /^Help Pages: Merge changes of up to \d+ lines/ }).click()
    await tab.getByText(/^The last 12 merges .* were approved unchanged\./).waitFor()
    await tab
      .getByRole('region', { name: heading })
      .getByText(/^Of \d+ runs .* fewer would have asked before merging\.$/)
      .waitFor()
    assert.deepEqual(await accessibilityFaults(tab), [])
    // The demo is shared: what is sent is looked at, and not done.
    await tab.route('**/suggestions.decline', (route) => route.fulfill({ json: null }))
    const sent = tab.waitForRequest('**/suggestions.decline')
    await tab.getByLabel('Reason').fill('Not before the release')
    await tab.getByRole('button', { name: 'Decline suggestion' }).click()
    const { team, basedOn, maxLines, reason } = (await sent).postDataJSON()
    assert.deepEqual([team, basedOn, reason], ['help-pages', 2, 'Not before the release'])
    assert.ok(maxLines > 40)
    assertQuiet(tab)

    const member = await signedInTab(demo, 'member')
    await member.goto(screen(demo, 'teams/help-pages/settings/policy'))
    await member.getByText('Only owners and admins can change the policy.', { exact: true }).waitFor()
    assert.equal(await member.getByRole('button', { name: 'Decline suggestion' }).count(), 0)
    assertQuiet(member)
  })
})
