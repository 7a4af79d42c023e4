import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { type Demo, startDemo } from '../demo.ts'
import { assertQuiet, screen, signedInTab, withoutBrowser } from './browser.ts'

/** From nothing to an incident that is over. */
describe('on call in the app', { skip: withoutBrowser }, () => {
  let demo: Demo
  before(async () => {
    demo = await startDemo()
  })

  test('a source is connected and tried out, an alert opens an incident, and its recovery resolves it', async () => {
    const tab = await signedInTab(demo, 'owner')
    await tab.goto(screen(demo, 'services'))
    await tab.getByRole('link', { name: 'order-mailer' }).first().click()
    await tab.waitForURL(/\/services\/[0-9a-f-]+/)
    const service = /services\/([0-9a-f-]+)/.exec(tab.url())![1]!
    // What was changed and not saved is asked about, also when only the tab changes.
    await tab.goto(screen(demo, `services/${service}?tab=settings`))
    await tab.getByLabel('Lowest severity that opens an incident').selectOption('critical')
    await tab.getByRole('link', { name: 'Alerts', exact: true }).click()
    await tab.getByRole('button', { name: 'Cancel' }).click()
    await tab.getByRole('button', { name: 'Save changes' }).click()
    await tab.getByText('Settings saved').first().waitFor()
    await tab.getByRole('link', { name: 'Alerts', exact: true }).click()
    await tab.waitForURL(/tab=alerts/)

    await tab.goto(screen(demo, `services/${service}/sources/new?kind=generic`))
    await tab.getByLabel('Name', { exact: true }).fill('Nightly jobs')
    await tab.getByRole('button', { name: 'Add source' }).click()

    // The address and the secret, this once.
    const address = (await tab
      .getByText(/\/signals\/[\w-]+$/)
      .first()
      .textContent())!.trim()
    await tab.getByRole('button', { name: 'Copy secret' }).waitFor()
    const secret = (await tab
      .getByRole('button', { name: 'Copy secret' })
      .locator('xpath=preceding-sibling::code')
      .textContent())!.trim()
    const send = (alert: object) => {
      const body = JSON.stringify(alert)
      const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
      return fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-service-signature': signature },
        body,
      })
    }

    await tab.goto(screen(demo, `services/${service}?tab=sources`))
    await tab.getByRole('link', { name: 'Nightly jobs' }).first().click()
    await tab.getByRole('button', { name: 'Send test alert' }).click()
    await tab
      .getByText(/It doesn’t open an incident/)
      .first()
      .waitFor()
    await tab
      .getByText(/accepted/i)
      .first()
      .waitFor()

    const alert = { title: 'The nightly export failed', severity: 'critical', fingerprint: 'export' }
    assert.equal((await send(alert)).status, 202)
    await tab.goto(screen(demo, 'incidents'))
    await tab
      .getByRole('link', { name: /The nightly export failed/ })
      .first()
      .click()
    await tab.getByRole('heading', { level: 1, name: /The nightly export failed/ }).waitFor()
    await tab
      .getByText(/^Open$/i)
      .first()
      .waitFor()
    assert.equal(await tab.getByText('Test alert from Signalbox').count(), 0)

    // It resolves under the reader's eyes.
    assert.equal((await send({ ...alert, status: 'resolved' })).status, 202)
    await tab
      .getByText(/^Resolved$/i)
      .first()
      .waitFor()
    assertQuiet(tab, /401/)
  })
})
