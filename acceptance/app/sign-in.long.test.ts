import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TOTP, URI } from 'otpauth'
import { identityProvider } from '../../server/test/hosts/identity-provider.ts'
import { calm, type Demo, startDemo } from '../demo.ts'
import {
  assertQuiet,
  follow,
  openTab,
  openWindow,
  signedInTab,
  signIn,
  type Tab,
  withAuthenticator,
  withoutBrowser,
} from './browser.ts'

/** The ways in, apart from a password alone. */
describe('signing in to the app', { skip: withoutBrowser }, () => {
  let demo: Demo
  let provider: Awaited<ReturnType<typeof identityProvider>>
  before(async () => {
    provider = await identityProvider()
    demo = await startDemo({
      env: {
        ...calm,
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: 'signalbox',
        OIDC_CLIENT_SECRET: 'hush-hush-hush',
        OIDC_NAME: 'Acme login',
      },
    })
  })
  after(() => provider.stop())

  test('the identity provider lets in whom we know, to where they were going, and no one else', async () => {
    const tab = await openTab(await openWindow())
    const next = `/${demo.started.workspace}/runs`
    provider.claims = { sub: '1', email: 'stranger@example.com', email_verified: true }
    await tab.goto(`${demo.started.url}/login?next=${next}`)
    await tab.getByRole('button', { name: 'Continue with Acme login' }).click()
    await tab.getByRole('alert').filter({ hasText: 'There’s no account with that email address' }).waitFor()

    provider.claims = { sub: '2', email: demo.started.people.admin.email, email_verified: true }
    await tab.goto(`${demo.started.url}/login?next=${next}`)
    await tab.getByRole('button', { name: 'Continue with Acme login' }).click()
    await tab.waitForURL(`**${next}`)
    await tab.getByRole('button', { name: /Tomasz Wróbel/ }).waitFor()
    await follow(tab, `${demo.started.url}/account`)
    await tab.getByText('You sign in with Acme login using this address.').waitFor()
    assertQuiet(tab, /401/)
  })

  test('who signed in a while ago confirms it with a passkey, or in a window of the provider, and what they asked for goes on', async () => {
    const { workspace, people, url } = demo.started
    // Passkeys are for names, not for addresses.
    const named = url.replace('127.0.0.1', 'localhost')
    const tab = await openTab(await openWindow())
    await withAuthenticator(tab)
    await signIn(tab, demo, 'admin', '/account?tab=security', named)
    const byPassword = /\/api\/auth\/prove\/password$/
    const isAllowed = await askedAgain(tab, byPassword, 200, '**/passkey/generate-register-options')
    await tab
      .getByRole('button', { name: /Add passkey/ })
      .first()
      .click()
    await tab.getByRole('dialog').getByLabel('Name').fill('this laptop')
    await tab.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
    await confirmWithPassword(tab, people.admin.password)
    await tab.getByText('this laptop').first().waitFor()
    assert.ok(isAllowed())
    const isConfirmed = await askedAgain(tab, /\/api\/auth\/prove\/passkey$/, 200)
    const question = await createsToken(tab, `${named}/${workspace}`, 'with a passkey')
    await question.getByRole('button', { name: 'Use a passkey' }).click()
    await tab.getByText(/^tk_[0-9A-Za-z]{32}$/).waitFor()
    assert.ok(isConfirmed())
    assertQuiet(tab, /40[13]/)

    const other = await signedInTab(demo, 'admin')
    const isBack = await askedAgain(other, /\/api\/auth\/callback\/oidc\?/, 302)
    const asked = await createsToken(other, `${url}/${workspace}`, 'in a window')
    const now = Math.floor(Date.now() / 1000)
    provider.claims = { sub: '2', email: people.admin.email, email_verified: true, auth_time: now }
    const opened = other.waitForEvent('popup')
    await asked.getByRole('button', { name: 'Continue with Acme login' }).click()
    const popup = await opened
    if (!popup.isClosed()) await popup.waitForEvent('close')
    await other.getByText(/^tk_[0-9A-Za-z]{32}$/).waitFor()
    assert.ok(isBack())
    assertQuiet(other, /403/)
  })

  test('a terminal is signed in by who confirms its code, after signing in', async () => {
    const { url, people } = demo.started
    const post = async (place: string, body: object) => {
      const headers = { 'content-type': 'application/json', origin: url }
      return (await fetch(url + place, { method: 'POST', headers, body: JSON.stringify(body) })).json()
    }
    const { device_code, user_code, verification_uri_complete } = (await post(
      '/api/auth/device/code',
      {},
    )) as {
      [name: string]: string
    }
    const tab = await openTab(await openWindow())
    await tab.goto(verification_uri_complete!)
    await tab.waitForURL('**/login?next=*')
    await tab.getByLabel('Email').fill(people.admin.email)
    await tab.getByLabel('Password', { exact: true }).fill(people.admin.password)
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { name: 'Sign in to a terminal' }).waitFor()
    assert.equal(await tab.getByLabel('Code').inputValue(), user_code)
    const isAllowed = await askedAgain(tab, /\/api\/auth\/prove\/password$/, 200, '**/device/approve')
    await tab.getByRole('button', { name: 'Sign in terminal' }).click()
    await confirmWithPassword(tab, people.admin.password)
    await tab.getByRole('heading', { name: 'Terminal signed in' }).waitFor()
    assert.ok(isAllowed())
    assert.deepEqual(await post('/api/auth/device/token', { device_code }), { signedIn: true, waiting: null })
    assertQuiet(tab, /40[13]/)
  })

  test('a second factor is turned on, asked for, replaced by a backup code, and turned off', async () => {
    const { email, password } = demo.started.people.member
    const tab = await signedInTab(demo, 'member')
    await tab.goto(`${demo.started.url}/account?tab=security`)
    await tab.getByRole('button', { name: 'Turn on' }).click()
    const dialog = tab.getByRole('dialog')
    // What a dialog asks for has the focus.
    await dialog.locator('input:focus').waitFor()
    await tab.keyboard.type(password)
    await tab.keyboard.press('Enter')
    await dialog.getByRole('img', { name: 'QR code' }).waitFor()
    const app = URI.parse((await dialog.locator('a[href^="otpauth:"]').getAttribute('href'))!)
    assert.ok(app instanceof TOTP)
    await dialog.getByLabel('Code from the app').fill(app.generate())
    await tab.keyboard.press('Enter')
    await dialog.getByText('Two-factor authentication is on.').waitFor()
    const [backup] = await dialog.getByRole('listitem').allTextContents()
    await dialog.getByRole('button', { name: 'I’ve saved them' }).click()

    const begin = async (): Promise<Tab> => {
      const other = await openTab(await openWindow())
      await other.goto(`${demo.started.url}/login`)
      await other.locator('input[name="email"]:focus').waitFor()
      await other.keyboard.type(email)
      await other.keyboard.press('Tab')
      await other.keyboard.type(password)
      await other.keyboard.press('Enter')
      await other.getByLabel('Six-digit code').waitFor()
      return other
    }
    // The code that turned it on is spent; a clock that is a little ahead shows the next.
    const byCode = await begin()
    await byCode.keyboard.type(app.generate({ timestamp: Date.now() + 30_000 }))
    await byCode.keyboard.press('Enter')
    await byCode.waitForURL('**/inbox')

    const byBackup = await begin()
    await byBackup.getByRole('button', { name: 'Use a backup code' }).click()
    await byBackup.getByLabel('Backup code').fill(backup!)
    await byBackup.keyboard.press('Enter')
    await byBackup.waitForURL('**/inbox')
    const again = await begin()
    await again.getByRole('button', { name: 'Use a backup code' }).click()
    await again.getByLabel('Backup code').fill(backup!)
    await again.keyboard.press('Enter')
    await again.getByRole('alert').filter({ hasText: 'was used before' }).waitFor()

    await tab.getByRole('button', { name: 'Turn off' }).click()
    await dialog.getByLabel('Your password', { exact: true }).fill(password)
    await tab.keyboard.press('Enter')
    await tab.getByRole('button', { name: 'Turn on' }).waitFor()
    await signIn(await openTab(await openWindow()), demo, 'member')
    assertQuiet(tab, /401/)
  })

  test('a person with an account joins by invitation as that person, and no one else can in their place', async () => {
    const owner = await signedInTab(demo, 'owner')
    await owner.goto(`${demo.started.url}/new`)
    await owner.getByLabel('Workspace', { exact: true }).fill('Night Shift')
    await owner.getByRole('button', { name: 'Create' }).click()
    await owner.waitForURL('**/night-shift/**')
    await follow(owner, `${demo.started.url}/night-shift/settings/members`)
    await owner
      .getByRole('button', { name: /^Invite/ })
      .first()
      .click()
    const dialog = owner.getByRole('dialog')
    await dialog.getByLabel('Email').fill(demo.started.people.admin.email)
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    const link = (await dialog.getByText(/\/invite\/[\w-]+$/).textContent())!

    // Someone else is told so, and is not joined by mistake.
    await owner.goto(link)
    await owner.getByRole('button', { name: 'Sign out and continue' }).waitFor()

    const tab = await openTab(await openWindow())
    await tab.goto(link)
    await tab.getByRole('link', { name: 'Sign in to join' }).click()
    await tab.getByLabel('Email').fill(demo.started.people.admin.email)
    await tab.getByLabel('Password', { exact: true }).fill(demo.started.people.admin.password)
    await tab.keyboard.press('Enter')
    await tab.getByRole('button', { name: 'Join as Tomasz Wróbel' }).click()
    await tab.waitForURL('**/night-shift/**')
    await tab.getByRole('button', { name: /Tomasz Wróbel/ }).waitFor()
    await tab.goto(link)
    await tab.getByRole('heading', { name: 'This invitation isn’t valid' }).waitFor()
    assertQuiet(tab, /40[14]/)
  })
  // The last one here: from then on the workspace is closed to passwords.
  test('where single sign-on is required, an open page leads to the provider and back to where it was', async () => {
    const { url, workspace, people } = demo.started
    const byPassword = await signedInTab(demo, 'owner')
    await byPassword.goto(`${url}/${workspace}/settings/single-sign-on`)
    await byPassword.getByRole('switch', { name: 'Require single sign-on' }).waitFor()
    await follow(byPassword, `${url}/${workspace}/runs`)

    provider.claims = { sub: '3', email: people.owner.email, email_verified: true }
    const tab = await openTab(await openWindow())
    await tab.goto(`${url}/login?next=/${workspace}/settings/single-sign-on`)
    await tab.getByRole('button', { name: 'Continue with Acme login' }).click()
    await tab.getByRole('button', { name: 'Create token' }).click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Okta')
    await dialog.getByRole('button', { name: 'Create token' }).click()
    const token = (await dialog.getByText(/^scim_\w{40}$/).textContent())!
    await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
    const made = await fetch(`${url}/scim/v2/Groups`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      body: JSON.stringify({ displayName: 'Night watch' }),
    })
    assert.equal(made.status, 201)
    // It is there without a reload.
    await tab.getByLabel('Role of Night watch').selectOption('admin')
    await tab.getByText('Changes saved').waitFor()

    await tab.getByRole('switch', { name: 'Require single sign-on' }).click()
    await byPassword.getByRole('heading', { name: 'Single sign-on required' }).waitFor()
    await byPassword.getByRole('button', { name: 'Continue with Acme login' }).click()
    await byPassword.waitForURL(`**/${workspace}/runs`)
    await byPassword.getByRole('heading', { name: 'Runs' }).waitFor()
    assertQuiet(tab)
    assertQuiet(byPassword, /40[13]/)
  })
})

/** Has the server's answer of fifteen minutes later given to who creates a token, until a proof was really answered. */
async function askedAgain(
  tab: Tab,
  proof: RegExp,
  status: number,
  asked = '**/tokens.create',
): Promise<() => boolean> {
  let isProven = false
  tab.context().on('response', (response) => {
    if (proof.test(response.url())) isProven = response.status() === status
  })
  const refusal = { code: 'proof_required', message: 'Confirm your identity first.' }
  await tab.route(asked, (route) =>
    isProven ? route.continue() : route.fulfill({ status: 403, json: { error: refusal } }),
  )
  return () => isProven
}

async function confirmWithPassword(tab: Tab, password: string) {
  const question = tab.getByRole('dialog', { name: 'Confirm your identity' })
  await question.getByLabel('Password', { exact: true }).fill(password)
  await question.getByRole('button', { name: 'Confirm', exact: true }).click()
}

/** Returns the question that comes instead of the token. */
async function createsToken(tab: Tab, home: string, name: string) {
  await tab.goto(`${home}/settings/api`)
  await tab.getByRole('button', { name: 'Create token' }).first().click()
  const dialog = tab.getByRole('dialog', { name: 'Create token' })
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: 'Create token', exact: true }).click()
  return tab.getByRole('dialog', { name: 'Confirm your identity' })
}
