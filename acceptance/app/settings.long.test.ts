import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Request } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { calm, type Demo, startDemo } from '../demo.ts'
import {
  accessibilityFaults,
  assertQuiet,
  follow,
  openTab,
  openWindow,
  screen,
  signedInTab,
  signIn,
  withAuthenticator,
  withoutBrowser,
} from './browser.ts'

/** The receiver of a webhook. */
const received: { headers: IncomingHttpHeaders; body: string }[] = []
const host = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  received.push({ headers: request.headers, body })
  response.end('thank you')
})

const soon = () => Promise.withResolvers<void>()

/** Setting up, and what one may not. */
describe('settings in the app', { skip: withoutBrowser }, () => {
  let demo: Demo
  before(async () => {
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
    demo = await startDemo({ env: { ...calm, WEBHOOK_ALLOW: '127.0.0.1' } })
  })
  after(() => {
    host.closeAllConnections()
    host.close()
  })

  test('a person who links a Slack account sees whose it is by what Slack states, and is warned of the name', async () => {
    const tab = await signedInTab(demo, 'member')
    // The name is its owner's choice, and may hide what it says.
    const stated = { team: 'Acme (T012)', user: 'U0EVIL', name: 'Your\u202e boss', email: 'eve@example.com' }
    await tab.route('**/chat.link?*', (route) => route.fulfill({ json: stated }))
    await tab.goto(screen(demo, 'link-chat/abcdef'))
    for (const shown of ['Acme (T012)', 'U0EVIL', 'eve@example.com', 'Your\\u{202e} boss'])
      await tab.getByText(shown, { exact: true }).waitFor()
    await tab.getByText('Anyone can choose any display name.').waitFor()
    await tab.unroute('**/chat.link?*')
  })

  test('a token is shown once, works over REST, and is refused as soon as it is revoked', async () => {
    const tab = await signedInTab(demo, 'member')
    await tab.goto(screen(demo, 'settings/api'))
    await tab.getByRole('button', { name: 'Create token' }).first().click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByLabel('Name').fill('nightly report')
    await dialog.getByRole('button', { name: 'Create token', exact: true }).click()
    const token = (await dialog.getByText(/^tk_[0-9A-Za-z]{32}$/).textContent())!
    await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
    await dialog.waitFor({ state: 'detached' })

    assert.equal((await demo.ask('/v1/teams', { token })).status, 200)
    assert.equal((await demo.ask('/v1/audit', { token })).status, 403)
    await tab.reload()
    await tab.getByText('nightly report').first().waitFor()
    assert.ok(!(await tab.content()).includes(token), 'the value is nowhere on the page')
    await tab
      .getByText(`${token.slice(0, 11)}…`)
      .first()
      .waitFor()

    await tab.getByRole('button', { name: 'Revoke nightly report' }).click()
    await tab.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
    await tab
      .getByText(/^Revoked/)
      .first()
      .waitFor()
    assert.equal((await demo.ask('/v1/teams', { token })).status, 401)
    assertQuiet(tab, /401/)
  })

  test('who signed in a while ago is asked for their password, and what they asked for goes on', async () => {
    const tab = await signedInTab(demo, 'member')
    const refusal = { code: 'proof_required', message: 'Confirm your identity first.' }
    // As the server answers after fifteen minutes, until the person has confirmed it.
    const isProven = (url: string) => url.endsWith('/api/auth/prove/password')
    const proofs: number[] = []
    tab.on('response', (response) => isProven(response.url()) && proofs.push(response.status()))
    await tab.route('**/tokens.create', (route) =>
      proofs.includes(200) ? route.continue() : route.fulfill({ status: 403, json: { error: refusal } }),
    )
    await tab.goto(screen(demo, 'settings/api'))
    await tab.getByRole('button', { name: 'Create token' }).first().click()
    const dialog = tab.getByRole('dialog', { name: 'Create token' })
    await dialog.getByLabel('Name').fill('after a while')
    await dialog.getByRole('button', { name: 'Create token', exact: true }).click()
    const question = tab.getByRole('dialog', { name: 'Confirm your identity' })
    await question.getByLabel('Password', { exact: true }).waitFor()
    await tab.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    await dialog.getByText('Confirm your identity first.').waitFor()
    assert.equal(await dialog.getByLabel('Name').inputValue(), 'after a while')

    await dialog.getByRole('button', { name: 'Create token', exact: true }).click()
    await question.getByLabel('Password', { exact: true }).fill('not this one')
    await question.getByRole('button', { name: 'Confirm' }).click()
    await question.getByText('The password is wrong.').waitFor()
    await question.getByLabel('Password', { exact: true }).fill(demo.started.people.member.password)
    assert.deepEqual(await accessibilityFaults(tab), [])
    await question.getByRole('button', { name: 'Confirm' }).click()
    await tab.getByText(/^tk_[0-9A-Za-z]{32}$/).waitFor()
    assertQuiet(tab, /40[13]/)
  })

  test('a coding agent is connected: its snippet gets a token of its own, and the first call is seen', async () => {
    const tab = await signedInTab(demo, 'member')
    await tab.goto(screen(demo, 'settings/api'))
    await tab.getByRole('link', { name: 'Connect a coding agent' }).click()
    await tab.getByText('claude mcp add').waitFor()
    await tab.getByLabel('Coding agent').selectOption('Cursor')
    await tab.getByRole('heading', { name: 'Add to ~/.cursor/mcp.json' }).waitFor()
    await tab.getByRole('button', { name: 'Create token' }).click()
    await tab.getByText('Waiting for the first call').waitFor()
    const snippet = JSON.parse((await tab.locator('code').filter({ hasText: 'mcpServers' }).textContent())!)
    const { url, headers } = snippet.mcpServers.signalbox
    assert.equal(url, `${demo.started.url}/mcp`)
    const token = /^Bearer (tk_[0-9A-Za-z]{32})$/.exec(headers.Authorization)![1]!
    assert.equal((await demo.ask('/v1/teams', { token })).status, 200)
    await tab.getByText('Connected. The first call came').waitFor()
    await tab.reload()
    await tab.getByText('claude mcp add').waitFor()
    assert.ok(!(await tab.content()).includes(token), 'the value is nowhere on the page')
    assertQuiet(tab)
  })

  test('a write makes the tab that sent it read again once, and every other tab as well', async () => {
    const tab = await signedInTab(demo)
    const another = await openTab(tab.context())
    for (const one of [tab, another]) {
      await one.goto(screen(demo, 'settings/api'))
      await one.getByRole('button', { name: 'Create token' }).first().waitFor()
    }
    const reads: string[] = []
    tab.on('request', (request) => {
      if (request.url().includes('/tokens.list')) reads.push(request.url())
    })
    await tab.getByRole('button', { name: 'Create token' }).first().click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByLabel('Name').fill('read once')
    await dialog.getByRole('button', { name: 'Create token', exact: true }).click()
    await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
    await tab.getByText('read once').first().waitFor()
    // The two share one stream, on which the first listens: when the other has been told, so has the first.
    await another.getByText('read once').first().waitFor()
    assert.equal(reads.length, 1)

    // What the other does is news to the first.
    await another.getByRole('button', { name: 'Revoke read once' }).click()
    await another.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
    await tab.getByRole('button', { name: 'Revoke read once' }).waitFor({ state: 'detached' })
    assert.equal(reads.length, 2)
    assertQuiet(tab, /401/)
  })

  test('what a member may not do is there, disabled, with the reason', async () => {
    const tab = await signedInTab(demo, 'member')
    await tab.goto(screen(demo, 'inbox'))
    await tab
      .getByRole('link', { name: /^Audit/, disabled: true })
      .first()
      .focus()
    await tab.getByText('Only owners and admins can see the audit log').first().waitFor()

    await follow(tab, screen(demo, 'audit'))
    await tab.getByRole('main').getByText('Only owners and admins can see the audit log').first().waitFor()
    const refused = await tab.request.get(`${demo.started.url}/api/w/${demo.started.workspace}/audit.list`)
    assert.equal(refused.status(), 403)

    await follow(tab, screen(demo, 'teams/checkout-web/settings/policy'))
    await tab
      .getByText(/Only owners and admins can change the policy/)
      .first()
      .waitFor()
    assertQuiet(tab, /401|403/)
  })

  test('a passkey is made, and signs in without a password', async () => {
    // Passkeys belong to a name; this machine's own is localhost.
    const url = demo.started.url.replace('127.0.0.1', 'localhost')
    const tab = await openTab(await openWindow())
    await withAuthenticator(tab)
    await signIn(tab, demo, 'admin', '/account?tab=security', url)
    await tab
      .getByRole('button', { name: /Add passkey/ })
      .first()
      .click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByLabel('Name').fill('this laptop')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await tab.getByText('this laptop').first().waitFor()

    await tab.context().clearCookies()
    // The offer among the browser's suggestions comes late: its challenge arrives after that of the button, if at all.
    const [offered, firstOver, secondOver] = [soon(), soon(), soon()]
    const asked: Request[] = []
    const end = (request: Request) => [firstOver, secondOver][asked.indexOf(request)]?.resolve()
    tab.on('requestfinished', end).on('requestfailed', end)
    await tab.route('**/generate-authenticate-options', async (route) => {
      const isFirst = asked.push(route.request()) === 1
      offered.resolve()
      if (isFirst) await secondOver.promise
      await route.continue().catch(() => {})
    })
    await tab.route('**/verify-authentication', (route) => firstOver.promise.then(() => route.continue()))
    await tab.goto(`${url}/login`)
    await offered.promise
    await tab.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await tab.waitForURL((at) => !at.pathname.startsWith('/login'))
    await tab.getByRole('button', { name: /Tomasz Wróbel/ }).waitFor()
    assert.equal(asked.length, 2)
  })

  test('a session that is revoked elsewhere ends at once', async () => {
    const [here, there] = [await signedInTab(demo, 'owner'), await signedInTab(demo, 'owner')]
    await there.goto(screen(demo, 'inbox'))
    await here.goto(`${demo.started.url}/account?tab=sessions`)
    await here.getByRole('button', { name: /other/i }).first().click()
    await here.getByText('All other sessions ended').first().waitFor()
    // The page leaves for the sign-in before it is loaded, or while it is.
    await there.goto(screen(demo, 'runs'), { waitUntil: 'commit' }).catch(() => {})
    await there.waitForURL('**/login**')
  })

  test('an endpoint is added, tested on the spot, sent what happens, and looked into on a phone', async () => {
    const tab = await signedInTab(demo)
    await tab.goto(screen(demo, 'settings/webhooks'))
    await tab.getByRole('link', { name: 'Add endpoint' }).click()
    await tab.getByLabel('URL').fill('https://10.20.30.40/hook')
    await tab.getByRole('button', { name: 'Add endpoint' }).click()
    const refusal = tab.getByRole('alert').filter({ hasText: '10.20.30.40 is not on the public internet.' })
    // An owner at the machine of the server: what to set, with what is set today, and no one to ask.
    await refusal.getByText(/^WEBHOOK_ALLOW=127\.0\.0\.1,.*10\.20\.30\.40$/).waitFor()
    assert.equal(await refusal.getByText('Ask the server operator').count(), 0)
    const [manual] = await Promise.all([
      tab.context().waitForEvent('page'),
      refusal.getByRole('link', { name: 'See the manual' }).click(),
    ])
    await manual.locator('#WEBHOOK_ALLOW').waitFor()
    assert.match(manual.url(), /\/docs\/configuration#WEBHOOK_ALLOW$/)
    assert.deepEqual(await accessibilityFaults(manual), [])
    await manual.setViewportSize({ width: 390, height: 844 })
    const width = await manual.evaluate('document.documentElement.scrollWidth')
    assert.equal(width, 390, 'nothing but tables and code scrolls sideways')
    await manual.close()
    await tab.getByLabel('URL').fill(`http://127.0.0.1:${(host.address() as AddressInfo).port}/hook`)
    await tab.getByLabel('Description').fill('Billing')
    await tab.getByRole('button', { name: 'Add endpoint' }).click()
    const secret = (await tab.getByText(/^whsec_/).textContent())!
    await tab.getByRole('button', { name: 'I’ve copied it' }).click()
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

    // The demo's runs go on in the meantime, and are sent too.
    const messages = received
      .map(({ headers, body }) => ({
        ...(new Webhook(secret).verify(body, headers as Record<string, string>) as { type: string }),
        id: headers['webhook-id'],
      }))
      .filter(({ type }) => /^(endpoint|team)\./.test(type))
    assert.deepEqual(
      messages.map(({ type }) => type),
      ['endpoint.test', 'team.paused', 'team.paused'],
    )
    assert.equal(messages[1]!.id, messages[2]!.id)

    await tab.getByRole('button', { name: 'Rotate' }).click()
    await tab.getByRole('button', { name: 'Create new secret' }).click()
    await tab
      .getByRole('dialog')
      .getByText(/^whsec_/)
      .waitFor()
    await tab.getByRole('button', { name: 'I’ve copied it' }).click()
    await tab.getByRole('button', { name: 'End it now' }).waitFor()
    await tab.getByRole('button', { name: 'Pause', exact: true }).click()
    await tab.getByText('Events wait while the endpoint is paused', { exact: false }).waitFor()

    await tab.setViewportSize({ width: 360, height: 740 })
    const overflow = await tab.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    assert.ok(overflow <= 0, `${overflow} pixels too wide`)
    assert.deepEqual(await accessibilityFaults(tab), [])
    // An address inside the network was refused on purpose.
    assertQuiet(tab, /400/)
  })

  test('the demo has an endpoint of its own, with a message that was refused and can be resent', async () => {
    const tab = await signedInTab(demo)
    await tab.goto(screen(demo, 'settings/webhooks'))
    await tab.getByRole('link', { name: 'Demo receiver (part of this demo)' }).click()
    await tab.getByRole('heading', { name: 'Demo receiver (part of this demo)' }).waitFor()
    const tests = tab.getByRole('row').filter({ hasText: 'endpoint.test' })
    const delivered = tests.filter({ hasText: 'Delivered' }).first()
    // What other tests did since then was sent here as well, and stands above.
    const more = tab.getByRole('button', { name: 'Load more' })
    while (
      await delivered
        .or(more)
        .first()
        .waitFor()
        .then(() => delivered.isHidden())
    )
      await more.click()
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
