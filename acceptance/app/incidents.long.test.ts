import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { before, describe, test } from 'node:test'
import type { Page as List } from '../demo.ts'
import { calm, type Demo, startDemo } from '../demo.ts'
import {
  accessibilityFaults,
  assertQuiet,
  follow,
  screen,
  signedInTab,
  type Tab,
  withoutBrowser,
} from './browser.ts'

/** What people do about an incident, and where one comes from. */
describe('incidents in the app', { skip: withoutBrowser }, () => {
  let demo: Demo
  before(async () => {
    demo = await startDemo({ env: calm })
  })

  const send = async (alert: object) => {
    const { url, secret } = demo.started.sources!.generic!
    const body = JSON.stringify(alert)
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
    const headers = { 'content-type': 'application/json', 'x-service-signature': signature }
    assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 202)
  }
  const ask = async <T>(tab: Tab, operation: string) =>
    (await (
      await tab.request.get(`${demo.started.url}/api/w/${demo.started.workspace}/${operation}`)
    ).json()) as T

  test('an incident is acknowledged, taken, rated and resolved by people, and they see each other do it', async () => {
    const alert = {
      title: 'Labels are not printed',
      severity: 'critical',
      fingerprint: 'labels',
      description: 'Three depots wait for labels.\nThe printer answers 503.',
      startedAt: new Date(Date.now() - 60_000).toISOString(),
      labels: { printer: 'north' },
    }
    await send(alert)
    const owner = await signedInTab(demo, 'owner')
    const member = await signedInTab(demo, 'member')
    await owner.goto(screen(demo, 'incidents'))
    await owner
      .getByRole('link', { name: /Labels are not printed/ })
      .first()
      .click()
    await owner.getByText('Three depots wait for labels.').waitFor()
    const key = /inc-\w{4}/.exec(owner.url())![0]
    await member.goto(screen(demo, `incidents/${key}`))
    await member.getByText('Three depots wait for labels.').waitFor()

    await owner.getByRole('img', { name: /^1 alert received in / }).waitFor()

    // On paper there is what it says, and nothing that is pressed.
    await owner.emulateMedia({ media: 'print' })
    await owner.getByText('Three depots wait for labels.').waitFor()
    for (const role of ['button', 'navigation', 'textbox'] as const)
      assert.equal(await owner.getByRole(role).count(), 0, `no ${role} is printed`)
    await owner.emulateMedia({ media: null })

    await owner.getByRole('button', { name: `Acknowledge ${key}` }).click()
    // The button goes once it has done its work; the focus does not go with it.
    await owner
      .getByRole('button', { name: `Take ${key}` })
      .and(owner.locator(':focus'))
      .waitFor()
    await member.getByText('acknowledged the incident').waitFor()
    await member.getByRole('button', { name: `Acknowledge ${key}` }).waitFor({ state: 'detached' })

    // A person with an older page is told who was first.
    const late = await member.evaluate(
      ([path, incident]) =>
        fetch(path!, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ incident }),
        }).then(
          async (response) =>
            [
              response.status,
              ((await response.json()) as { error: { message: string } }).error.message,
            ] as const,
        ),
      [`/api/w/${demo.started.workspace}/incidents.acknowledge`, key],
    )
    assert.equal(late[0], 409)
    assert.match(late[1], /acknowledged inc-\w{4} at /)

    await member.getByRole('button', { name: `Take ${key}` }).click()
    await owner.getByRole('button', { name: new RegExp(`^Take over ${key} from `) }).waitFor()
    const { name } = await ask<{ name: string }>(member, '../../me')
    await follow(owner, screen(demo, 'incidents'))
    await owner
      .getByRole('row', { name: new RegExp(key) })
      .getByText(name)
      .waitFor()
    await follow(owner, screen(demo, 'services'))
    await owner.getByText(`taken by ${name}`).first().waitFor()
    await follow(owner, screen(demo, `incidents/${key}`))
    assert.deepEqual(await accessibilityFaults(owner), [])

    await owner.getByRole('button', { name: 'Severity' }).click()
    await owner.getByRole('menuitemradio', { name: 'Low' }).click()
    await member.getByText('changed the severity from critical to low').waitFor()

    await owner.getByRole('button', { name: `Resolve ${key}` }).click()
    const dialog = owner.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('The printer was restarted.')
    await dialog.getByRole('button', { name: `Resolve ${key}` }).click()
    await member.getByText('resolved the incident: The printer was restarted.').waitFor()
    await member
      .getByText(/^Resolved$/)
      .first()
      .waitFor()
    await member.getByRole('button', { name: `Resolve ${key}` }).waitFor({ state: 'detached' })

    // It fires on, and that is no news.
    await send(alert)
    await member.getByText('2 times').waitFor()
    const { data } = await ask<List<{ title: string }>>(member, 'incidents.list?status=open')
    assert.equal(data.filter(({ title }) => title === alert.title).length, 0)
    assertQuiet(owner, /401/)
    assertQuiet(member, /401|409/)
  })

  test('an entry of the audit log opens by a click on its row, and closes by another', async () => {
    const tab = await signedInTab(demo, 'owner')
    await tab.goto(screen(demo, 'audit?event=incident_resolved'))
    const row = tab.getByRole('table').first().locator('tbody tr').first()
    await row.getByText('Success').click()
    await row.locator('button[aria-expanded="true"]').waitFor()
    await row.getByText('Success').click()
    await row.locator('button[aria-expanded="false"]').waitFor()
    // What is printed is open.
    const opened = () => tab.locator('tr[id^="details-"]').count()
    assert.equal(await opened(), 0)
    const entries = await tab.locator('tbody button[aria-expanded]').count()
    await tab.evaluate(`dispatchEvent(new Event('beforeprint'))`)
    assert.equal(await opened(), entries)
    await tab.evaluate(`dispatchEvent(new Event('afterprint'))`)
    await tab.locator('tr[id^="details-"]').first().waitFor({ state: 'detached' })
    // A link goes where it leads.
    await row.getByRole('link', { name: /^inc-/ }).click()
    await tab.waitForURL(/\/incidents\/inc-/)
    assertQuiet(tab, /401/)
  })

  test('a source is connected and tried out, an alert opens an incident, and its recovery resolves it', async () => {
    const tab = await signedInTab(demo, 'owner')
    await tab.goto(screen(demo, 'services'))
    await tab.getByRole('link', { name: 'order-mailer' }).first().click()
    await tab.waitForURL(/\/services\/[0-9a-f-]+/)
    const service = /services\/([0-9a-f-]+)/.exec(tab.url())![1]!
    // What was changed and not saved is asked about, also when only the tab changes.
    await follow(tab, screen(demo, `services/${service}?tab=settings`))
    await tab.getByLabel('Lowest severity that opens an incident').selectOption('critical')
    await tab.getByRole('link', { name: 'Alerts', exact: true }).click()
    await tab.getByRole('button', { name: 'Cancel' }).click()
    await tab.getByRole('button', { name: 'Save changes' }).click()
    await tab.getByText('Settings saved').first().waitFor()
    await tab.getByRole('link', { name: 'Alerts', exact: true }).click()
    await tab.waitForURL(/tab=alerts/)

    await follow(tab, screen(demo, `services/${service}/sources/new?kind=generic`))
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
    await follow(tab, screen(demo, 'incidents'))
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

    // The service says so first, who is notified beside it, and what to do about it.
    await follow(tab, screen(demo, `services/${service}`))
    const open = tab.getByRole('region', { name: 'Open incident' })
    await open.getByRole('link', { name: 'The nightly export failed' }).waitFor()
    await tab.getByText('in the app', { exact: false }).first().waitFor()
    await tab.getByRole('link', { name: 'Nightly jobs' }).waitFor()
    assert.deepEqual(await accessibilityFaults(tab), [])
    await open.getByRole('button', { name: /^Acknowledge inc-/ }).click()
    await open.getByRole('button', { name: /^Resolve inc-/ }).waitFor()
    await open.getByRole('link').click()

    // It resolves under the reader's eyes.
    assert.equal((await send({ ...alert, status: 'resolved' })).status, 202)
    await tab
      .getByText(/^Resolved$/i)
      .first()
      .waitFor()
    assertQuiet(tab, /401/)
  })
})
