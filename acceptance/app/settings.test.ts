import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { type Demo, startDemo } from '../demo.ts'
import {
  assertQuiet,
  openTab,
  openWindow,
  screen,
  signedInTab,
  signIn,
  type Tab,
  withoutBrowser,
} from './browser.ts'

/** Setting up, and what one may not. */
describe('settings in the app', { skip: withoutBrowser }, () => {
  let demo: Demo
  before(async () => {
    demo = await startDemo()
  })

  test('a token is shown once, works over REST, and is refused as soon as it is revoked', async () => {
    const tab = await signedInTab(demo, 'member')
    await tab.goto(screen(demo, 'settings/api'))
    await tab.getByRole('button', { name: 'Create token' }).first().click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByLabel('Name').fill('nightly report')
    await dialog.getByRole('button', { name: 'Create token', exact: true }).click()
    const token = (await dialog.getByText(/^tk_[0-9A-Za-z]{32}$/).textContent())!
    await dialog.getByRole('button', { name: 'I have saved it' }).click()
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
    await dialog.getByRole('button', { name: 'I have saved it' }).click()
    await tab.getByText('read once').first().waitFor()
    // The two share one stream, on which the first listens: when the other has heard of it, the first one has, too.
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
    const audit = tab.getByRole('link', { name: /^Audit/ }).first()
    assert.equal(await audit.getAttribute('aria-disabled'), 'true')
    await audit.focus()
    await tab.getByText('Only owners and admins can see the audit log').first().waitFor()

    await tab.goto(screen(demo, 'audit'))
    await tab.getByText('Only owners and admins can see the audit log').first().waitFor()
    const refused = await tab.request.get(`${demo.started.url}/api/w/${demo.started.workspace}/audit.list`)
    assert.equal(refused.status(), 403)

    await tab.goto(screen(demo, 'teams/checkout-web/settings/policy'))
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
    await tab.goto(`${url}/login`)
    // The browser may have offered it before anybody could press the button.
    await Promise.race([
      tab.waitForURL((at) => !at.pathname.startsWith('/login')),
      tab
        .getByRole('button', { name: 'Sign in with a passkey' })
        .click()
        .then(() => tab.waitForURL((at) => !at.pathname.startsWith('/login'))),
    ])
    await tab.getByRole('button', { name: /Tomasz Wróbel/ }).waitFor()
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
})

/** A device that holds passkeys and knows its owner, as far as the browser can tell. */
async function withAuthenticator(tab: Tab): Promise<void> {
  const session = await tab.context().newCDPSession(tab)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}
