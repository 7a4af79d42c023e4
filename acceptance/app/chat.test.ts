import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { before, describe, test } from 'node:test'
import type { Decision } from '../../contract/decision.ts'
import { calm, type Demo, type Page, startDemo } from '../demo.ts'
import { openTab, openWindow, screen, signedInTab, withoutBrowser } from './browser.ts'

/** Where people already are: the demo's chat, in a real browser. */
describe('the demo’s chat', { skip: withoutBrowser }, () => {
  let demo: Demo
  before(async () => {
    demo = await startDemo({ env: calm })
  })

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
    await chat.getByRole('textbox', { name: 'Message', exact: true }).fill('/signalbox status route-planning')
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
