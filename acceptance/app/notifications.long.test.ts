import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { before, describe, test } from 'node:test'
import type { Decision } from '../../contract/decision.ts'
import { calm, type Demo, type Page, startDemo, until } from '../demo.ts'
import {
  accessibilityFaults,
  assertQuiet,
  follow,
  openTab,
  openWindow,
  screen,
  signedInTab,
  type Tab,
  withoutBrowser,
} from './browser.ts'

/** What reaches people where they are: in the app while it is open, and in the demo's chat. */
describe('what reaches people', { skip: withoutBrowser, concurrency: 1 }, () => {
  let demo: Demo
  let owner: Tab
  before(async () => {
    demo = await startDemo({ env: calm })
    owner = await signedInTab(demo, 'owner')
  })

  describe('in the demo’s chat', { concurrency: 1 }, () => {
    const openChat = async (channel: string) => {
      const tab = await openTab(await openWindow())
      await tab.goto(demo.tools.chat!)
      await tab.getByRole('button', { name: `# ${channel}` }).click()
      return tab
    }

    test('a decision is answered by a click there; the message says who, and the app shows it', async () => {
      const { data } = await demo.get<Page<Decision>>('/v1/decisions?status=pending&team=route-planning')
      const decision = data.find(({ authority }) => authority === 'member') ?? data[0]!
      const option = decision.options.find(({ recommended }) => recommended)!
      const chat = await openChat('routes')
      const message = chat.getByRole('article').filter({ hasText: decision.key })
      await message.getByRole('button', { name: option.label, exact: true }).click()
      await message.getByText(`Inês Carvalho chose “${option.label}” in Slack`).waitFor()
      assert.equal(await message.getByRole('button', { name: option.label, exact: true }).count(), 0)
      const answered = await demo.get<Decision>(`/v1/decisions/${decision.key}`)
      assert.deepEqual(
        [answered.status, answered.resolvedVia, answered.resolution?.optionId],
        ['resolved', 'slack', option.id],
      )
      const app = await signedInTab(demo)
      await app.goto(screen(demo, `decisions/${decision.key}`))
      await app.getByText('Inês Carvalho').first().waitFor()
      await app.context().close()
      await chat.context().close()
    })

    test('quotes, stress and code are drawn, not shown as signs', async () => {
      const chat = await openChat('checkout')
      const messages = chat.getByRole('log', { name: 'Messages' })
      await messages.locator('code').first().waitFor()
      const box = chat.getByRole('textbox', { name: 'Message', exact: true })
      await box.fill('> the *old* limit <b>')
      await box.press('Enter')
      const quote = messages.locator('blockquote')
      await quote.getByText('the old limit <b>').waitFor()
      assert.equal(await quote.locator('strong').innerText(), 'old')
      await chat.context().close()
    })

    test('an incident has a thread there that follows it, and is resolved from there', async () => {
      const chat = await openChat('checkout')
      const { url, secret } = demo.started.sources!.generic!
      const body = JSON.stringify({ title: 'Payments time out', severity: 'critical' })
      const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
      const headers = { 'content-type': 'application/json', 'x-service-signature': signature }
      assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 202)
      const message = chat.getByRole('article').filter({ hasText: /inc-\w{4} opened: Payments time out/ })
      await message.getByRole('button', { name: 'Acknowledge' }).click()
      await message.getByText('Acknowledged by Inês Carvalho.').waitFor()
      await message.getByLabel('Reason, if you resolve it').fill('The payment provider is back')
      await message.getByRole('button', { name: 'Resolve' }).click()
      const resolved = chat.getByRole('article').filter({ hasText: /inc-\w{4} resolved: Payments time out/ })
      await resolved.getByText('The payment provider is back').waitFor()
      await resolved.getByRole('button', { name: /repl/ }).click()
      const thread = chat.getByRole('region', { name: 'Thread' })
      await thread
        .getByText(/acknowledged/i)
        .first()
        .waitFor()
      await thread
        .getByText(/resolved/)
        .first()
        .waitFor()
      await chat.context().close()
    })

    test('a command is typed there, and only the person who typed it sees the answer', async () => {
      const chat = await openChat('routes')
      await chat
        .getByRole('textbox', { name: 'Message', exact: true })
        .fill('/signalbox status route-planning')
      await chat.getByRole('textbox', { name: 'Message', exact: true }).press('Enter')
      await chat.getByText(/Route Planning: .* today/).waitFor()
      await chat.getByLabel('You are').selectOption({ label: 'Someone without an account' })
      await chat.getByText(/Route Planning: .* today/).waitFor({ state: 'detached' })
      await chat.getByRole('textbox', { name: 'Message', exact: true }).fill('/signalbox status')
      await chat.getByRole('textbox', { name: 'Message', exact: true }).press('Enter')
      await chat.getByText(/Link your Slack account to Signalbox/).waitFor()
      await chat.context().close()
    })
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

  test('a toast covers neither the title nor the bar that sends an answer', async () => {
    const tab = await signedInTab(demo, 'member')
    await tab.goto(screen(demo, 'inbox'))
    const answer = tab.getByRole('button', { name: 'Answer' })
    await answer.waitFor()
    // At the bottom of the screen where there is more below, and further up where there is not; then on a phone.
    for (const [width, height] of [
      [1280, 600],
      [1280, 860],
      [390, 780],
    ] as const) {
      const send = await watched(`label-press-${width}-${height}`)
      if (width < 500) await tab.getByRole('link', { name: 'Open full page' }).click()
      await tab.setViewportSize({ width, height })
      await answer.waitFor()
      const title = `No labels left: ${width} ${height}`
      await send({ title, severity: 'critical', fingerprint: 'labels' })
      const toasts = tab.locator('[role="dialog"][aria-modal="false"]')
      await toasts.filter({ hasText: title }).waitFor()
      for (const seen of [tab.locator('#main h1').first(), answer]) {
        const under = (await seen.boundingBox())!
        for (const toast of await toasts.all()) {
          const over = await toast.boundingBox()
          const isApart =
            !over ||
            over.x + over.width <= under.x ||
            over.x >= under.x + under.width ||
            over.y + over.height <= under.y ||
            over.y >= under.y + under.height
          assert.ok(isApart, `${width} by ${height}: ${JSON.stringify({ over, under })}`)
        }
      }
    }
    assertQuiet(tab, /401/)
  })

  test('in-app notifications of incidents can be turned off in the account', async () => {
    const send = await watched('weighbridge')
    const tab = await signedInTab(demo, 'member')
    await tab.goto(`${demo.started.url}/account?tab=notifications`)
    const inApp = tab.getByRole('group', { name: 'Incidents' }).getByLabel('In the app')
    const written = tab.waitForResponse(/account\.setNotifications/)
    const shows = await inApp.evaluate((box: { checked: boolean; click: () => void }) => {
      const before = box.checked
      box.click()
      return [before, box.checked]
    })
    assert.deepEqual(shows, [true, false], 'what was chosen shows at once, and not only when it is written')
    assert.equal((await written).status(), 200)
    await tab.reload()
    assert.equal(await inApp.isChecked(), false)
    await follow(tab, screen(demo, 'incidents'))
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

  test('the night shift report leads from each sentence to the thing, and its hour can be chosen', async () => {
    const tab = await signedInTab(demo, 'member')
    await tab.goto(`${demo.started.url}/account?tab=notifications`)
    const written = tab.waitForResponse(/account\.setReport/)
    await tab.getByLabel('Time', { exact: true }).selectOption('06:00')
    assert.equal((await written).status(), 200)
    await follow(tab, screen(demo, 'report'))
    const section = (name: string) =>
      tab.locator('section').filter({ has: tab.getByRole('heading', { name, exact: true }) })
    await section('Done').getByRole('link').first().waitFor()
    // A member is not shown what only others can answer.
    const { data } = await demo.get<Page<Decision>>('/v1/decisions?status=pending&limit=100')
    const first = section('Waiting for you').getByRole('link').first()
    const [, key] = /(dec-\w+)/.exec(await first.innerText())!
    assert.equal(data.find((one) => one.key === key)?.authority, 'member')
    await first.click()
    await tab.waitForURL(new RegExp(`/decisions/${key}$`))
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
