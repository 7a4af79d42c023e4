import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { calm, type Demo, startDemo } from '../demo.ts'
import { accessibilityFaults, assertQuiet, screen, signedInTab, withoutBrowser } from './browser.ts'

const received: { headers: IncomingHttpHeaders; body: string }[] = []
const host = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  received.push({ headers: request.headers, body })
  response.end('thank you')
})

describe('webhooks', { skip: withoutBrowser, concurrency: 1 }, () => {
  let demo: Demo
  before(async () => {
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
    demo = await startDemo({ env: { ...calm, WEBHOOK_ALLOW: '127.0.0.1' } })
  })
  after(() => {
    host.closeAllConnections()
    host.close()
  })

  test('an endpoint is added, tested on the spot, sent what happens, and looked into on a phone', async () => {
    const tab = await signedInTab(demo)
    await tab.goto(screen(demo, 'settings/webhooks'))
    await tab.getByRole('link', { name: 'Add endpoint' }).click()
    await tab.getByLabel('URL').fill(`http://127.0.0.1:${(host.address() as AddressInfo).port}/hook`)
    await tab.getByLabel('Description').fill('Billing')
    await tab.getByRole('button', { name: 'Add endpoint' }).click()
    const secret = (await tab.getByText(/^whsec_/).textContent())!
    await tab.getByRole('button', { name: 'I have copied it' }).click()
    await tab.getByRole('heading', { name: 'Billing' }).waitFor()
    await tab.getByText('No messages yet').waitFor()
    assert.ok(!(await tab.content()).includes(secret), 'the secret is nowhere on the page')

    await tab.getByRole('button', { name: 'Send test event' }).click()
    const answer = tab.getByRole('dialog', { name: 'Test event delivered' })
    await answer.getByText('Status 200').waitFor()
    await answer.getByText('thank you').waitFor()
    assert.deepEqual(await accessibilityFaults(tab), [])
    await tab.keyboard.press('Escape')
    await answer.waitFor({ state: 'detached' })

    const paused = await tab.evaluate(
      async (path) =>
        (
          await fetch(path, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: '{"team":"checkout-web"}',
          })
        ).status,
      `/api/w/${demo.started.workspace}/teams.pause`,
    )
    assert.equal(paused, 200)
    await tab.getByRole('button', { name: 'View team.paused checkout-web' }).click()
    const message = tab.getByRole('dialog', { name: 'team.paused' })
    await message.getByText('Attempt 1').waitFor()
    await message.getByText('Status 200').waitFor()
    await message.getByRole('button', { name: 'Resend' }).click()
    await message.getByText('Attempt 2').waitFor()
    assert.deepEqual(await accessibilityFaults(tab), [])
    await tab.keyboard.press('Escape')

    const messages = received.map(({ headers, body }) =>
      new Webhook(secret).verify(body, headers as Record<string, string>),
    ) as { type: string }[]
    assert.deepEqual(
      messages.map(({ type }) => type),
      ['endpoint.test', 'team.paused', 'team.paused'],
    )
    assert.equal(received[1]!.headers['webhook-id'], received[2]!.headers['webhook-id'])

    await tab.getByRole('button', { name: 'Rotate' }).click()
    await tab.getByRole('button', { name: 'Create new secret' }).click()
    await tab
      .getByRole('dialog')
      .getByText(/^whsec_/)
      .waitFor()
    await tab.getByRole('button', { name: 'I have copied it' }).click()
    await tab.getByRole('button', { name: 'End it now' }).waitFor()
    await tab.getByRole('button', { name: 'Pause', exact: true }).click()
    await tab.getByText('Events wait while the endpoint is paused', { exact: false }).waitFor()

    await tab.setViewportSize({ width: 360, height: 740 })
    const overflow = await tab.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    assert.ok(overflow <= 0, `${overflow} pixels too wide`)
    assert.deepEqual(await accessibilityFaults(tab), [])
    assertQuiet(tab)
  })

  test('the demo has an endpoint of its own, with a message that was refused and can be resent', async () => {
    const tab = await signedInTab(demo)
    await tab.goto(screen(demo, 'settings/webhooks'))
    await tab.getByRole('link', { name: 'Demo receiver (part of this demo)' }).click()
    await tab.getByRole('heading', { name: 'Demo receiver (part of this demo)' }).waitFor()
    const tests = tab.getByRole('row').filter({ hasText: 'endpoint.test' })
    await tests.filter({ hasText: 'Delivered' }).first().waitFor()
    await tests
      .filter({ hasText: 'Failed' })
      .getByRole('button', { name: /^View endpoint\.test/ })
      .click()
    const message = tab.getByRole('dialog', { name: 'endpoint.test' })
    await message.getByText('Status 500').waitFor()
    await message.getByText('refuses its first message', { exact: false }).waitFor()
    await message.getByRole('button', { name: 'Resend' }).click()
    await message.getByText('Attempt 2').waitFor()
    await message.getByText('Status 200').waitFor()
    assertQuiet(tab)
  })

  test('a member is told who can manage webhooks', async () => {
    const tab = await signedInTab(demo, 'member')
    await tab.goto(screen(demo, 'settings/webhooks'))
    await tab.getByText('Only owners and admins can manage webhooks').waitFor()
    assertQuiet(tab)
  })
})
