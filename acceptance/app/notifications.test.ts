import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { until } from '../../server/test/until.ts'
import { calm, type Demo, startDemo } from '../demo.ts'
import { accessibilityFaults, assertQuiet, screen, signedInTab, type Tab, withoutBrowser } from './browser.ts'

/** What people hear of while the app is open, without asking. */
describe('notifications in the app', { skip: withoutBrowser }, () => {
  let demo: Demo
  let owner: Tab
  before(async () => {
    demo = await startDemo({ env: calm })
    owner = await signedInTab(demo, 'owner')
  })

  const address = (operation: string) => `${demo.started.url}/api/w/${demo.started.workspace}/${operation}`
  const read = async <T>(operation: string): Promise<T> =>
    (await owner.request.get(address(operation))).json()
  async function write<T>(operation: string, data: object): Promise<T> {
    const reply = await owner.request.post(address(operation), {
      data,
      headers: { origin: demo.started.url },
    })
    assert.equal(reply.status(), 200, await reply.text())
    return reply.json()
  }
  async function theMember(): Promise<{ id: string; name: string }> {
    const { data } = await read<{ data: { id: string; name: string; email: string }[] }>('members.list')
    return data.find(({ email }) => email === demo.started.people.member.email)!
  }

  /** A service that notifies the member, and the way to alert it. */
  async function watched(name: string) {
    const [team] = await read<{ slug: string }[]>('teams.list')
    const service = await write<{ id: string; settings: object }>('services.create', {
      name,
      team: team!.slug,
    })
    const notify = [(await theMember()).id]
    await write('services.change', { service: service.id, settings: { ...service.settings, notify } })
    const source = { kind: 'generic', name: `${name} alerts`, services: [service.id] }
    const { url, secret } = await write<{ url: string; secret: string }>('sources.add', source)
    return async (alert: object) => {
      const body = JSON.stringify(alert)
      const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
      const reply = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-service-signature': signature },
        body,
      })
      assert.equal(reply.status, 202)
    }
  }

  test('a member on the notify list of a service sees toast, badge, title and panel entry when an alert opens an incident', async () => {
    const send = await watched('pallet-wrapper')
    const tab = await signedInTab(demo, 'member')
    await tab.goto(screen(demo, 'teams'))
    const openBefore = Number((await read<{ open: number }>('incidents.count')).open)
    await tab
      .getByRole('link', { name: openBefore > 0 ? `Incidents ${openBefore} open` : 'Incidents' })
      .waitFor()

    await send({ title: 'The pallet wrapper is down', severity: 'critical', fingerprint: 'wrapper' })
    const toast = tab.getByRole('dialog').filter({ hasText: /inc-\w{4} opened: The pallet wrapper is down/ })
    await toast.waitFor()
    await until('the title counts it', async () => /^\(\d+\) Teams · Signalbox$/.test(await tab.title()))
    await tab.getByRole('link', { name: `Incidents ${openBefore + 1} open` }).waitFor()
    await tab.getByRole('button', { name: /^Notifications, \d+ unread$/ }).click()
    const panel = tab.getByRole('dialog', { name: 'Notifications' })
    const entry = panel.getByRole('link', { name: /^Unread: inc-\w{4} opened: The pallet wrapper is down/ })
    await entry.waitFor()
    assert.deepEqual(await accessibilityFaults(tab), [])

    // It leads to the incident, which says that the member was shown it.
    await entry.click()
    await tab.getByRole('heading', { level: 1, name: 'The pallet wrapper is down' }).waitFor()
    await tab.getByText('Shown in the app').waitFor()
    // The bell; the timeline may offer to show notifications alone.
    await tab
      .getByRole('button', { name: /^Notifications/ })
      .first()
      .click()
    await panel.getByRole('link', { name: /^inc-\w{4} opened: The pallet wrapper is down/ }).waitFor()

    // One after the other, also while the panel is open; and all of it is read with one press.
    await send({ title: 'The pallet wrapper is down', fingerprint: 'wrapper', status: 'resolved' })
    await panel
      .getByRole('link', { name: /^Unread: inc-\w{4} resolved: The pallet wrapper is down/ })
      .waitFor()
    await panel.getByRole('button', { name: 'Mark all as read' }).click()
    await panel.getByText('Unread:').first().waitFor({ state: 'detached' })
    await until('the title counts nothing', async () => !(await tab.title()).startsWith('('))
    assertQuiet(tab, /401/)
  })

  test('a toast covers nothing of the bar that sends an answer', async () => {
    const tab = await signedInTab(demo, 'member')
    await tab.goto(screen(demo, 'inbox'))
    const answer = tab.getByRole('button', { name: 'Answer' })
    await answer.waitFor()
    // At the bottom of the screen where there is more below, and further up where there is not.
    for (const height of [600, 860]) {
      const send = await watched(`label-press-${height}`)
      await tab.setViewportSize({ width: 1280, height })
      await send({ title: `No labels left: ${height}`, severity: 'critical', fingerprint: 'labels' })
      await tab
        .getByRole('dialog')
        .filter({ hasText: `No labels left: ${height}` })
        .waitFor()
      const { y: barsTop } = (await answer.boundingBox())!
      const bottoms = await tab
        .getByRole('dialog')
        .evaluateAll((toasts) => toasts.map((toast) => toast.getBoundingClientRect().bottom))
      assert.ok(Math.max(...bottoms) <= barsTop, `they end at ${bottoms}, the button begins at ${barsTop}`)
    }
    assertQuiet(tab, /401/)
  })

  test('whoever wants to hear nothing of incidents in the app turns it off in the account', async () => {
    const send = await watched('weighbridge')
    const tab = await signedInTab(demo, 'member')
    await tab.goto(`${demo.started.url}/account?tab=notifications`)
    const incidents = tab.getByRole('group', { name: 'Incidents' })
    await incidents.getByLabel('In the app').uncheck()
    await tab.reload()
    assert.equal(await incidents.getByLabel('In the app').isChecked(), false)
    await tab.goto(screen(demo, 'incidents'))
    await send({ title: 'The weighbridge is stuck', severity: 'critical', fingerprint: 'stuck' })
    await tab
      .getByRole('link', { name: /The weighbridge is stuck/ })
      .first()
      .waitFor()
    await tab.getByRole('button', { name: /^Notifications/ }).click()
    await tab.getByRole('dialog', { name: 'Notifications' }).getByRole('link', { name: 'Settings' }).waitFor()
    assert.equal(await tab.getByText(/opened: The weighbridge is stuck/).count(), 0)
    assertQuiet(tab, /401/)
  })

  test('a role that changes, and a membership that ends, reach the open tab at once and in words', async () => {
    const tab = await signedInTab(demo, 'member')
    await tab.goto(screen(demo, 'teams'))
    const { id } = await theMember()
    // Connected: what happens before that is read with the page.
    await tab.getByRole('link', { name: /Audit/ }).and(tab.locator('[aria-disabled]')).waitFor()
    await write('members.changeRole', { id, role: 'admin' })
    await tab.getByText('Your role is now Admin.').first().waitFor()
    await tab.getByRole('link', { name: 'Audit', exact: true }).waitFor()
    await write('members.changeRole', { id, role: 'member' })
    await tab.getByText('Your role is now Member.').first().waitFor()
    await tab.getByRole('link', { name: /Audit/ }).and(tab.locator('[aria-disabled]')).waitFor()

    await write('members.remove', { id })
    await tab
      .getByRole('alert')
      .getByText(/^You’re no longer a member of Halden Parcels/)
      .waitFor()
    await tab
      .getByRole('link', { name: /^(Go to|Create workspace)/ })
      .first()
      .waitFor()
    assert.equal(await tab.getByText('Connection lost').count(), 0)
    assert.deepEqual(await accessibilityFaults(tab), [])
  })
})
