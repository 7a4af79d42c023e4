import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { DeviceStart } from '@signalbox/contract/app/sign-in.ts'
import type { SingleSignOnPage } from '@signalbox/contract/app/single-sign-on.ts'
import { addPerson } from '../../domain/accounts/workspaces/add-person.ts'
import { requireSingleSignOn } from '../../domain/accounts/workspaces/require-single-sign-on.ts'
import { testApp } from '../app.ts'
import { auditEvents } from '../audit-events.ts'
import { browser } from '../browser.ts'
import { aMember, aToken, aWorkspace } from '../factories.ts'
import { identityProvider } from '../hosts/identity-provider.ts'
import { signedIn } from '../signed-in.ts'

/** A workspace that is entered through the identity provider alone. */

const provider = await identityProvider()
const app = await testApp({
  env: {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'signalbox',
    OIDC_CLIENT_SECRET: 'hush-hush-hush',
    OIDC_NAME: 'Acme login',
  },
})
after(async () => {
  await app.stop()
  await provider.stop()
})
const workspace = await aWorkspace(app.storage.db)
const inside = `/api/w/${workspace.slug}`
const password = 'correct horse battery'

type Page = ReturnType<typeof browser>

/** Into the browser, by way of the provider. */
async function throughProvider(page: Page, email: string, claims: Record<string, unknown> = {}) {
  provider.claims = { sub: email, email, email_verified: true, ...claims }
  const { url } = (await (await page.post('/api/auth/sign-in/oidc', {})).json()) as { url: string }
  const back = await fetch(url, { redirect: 'manual' })
  assert.equal((await page.get(back.headers.get('location')!)).status, 302)
  return page
}

async function byPassword(email: string) {
  const page = browser(app.url)
  assert.equal((await page.post('/api/auth/sign-in/email', { email, password })).status, 200)
  return page
}

const codeOf = async (response: Response) => {
  const body = (await response.json()) as { error?: { code: string } } | null
  return body?.error?.code ?? response.status
}
const enters = async (page: Page) => codeOf(await page.get(`${inside}/teams.list`))

/** A terminal that is signed in by a code, which a person confirms in that browser. */
async function terminalOf(page: Page) {
  const terminal = browser(app.url)
  const start = (await (await terminal.post('/api/auth/device/code', {})).json()) as DeviceStart
  const typed = `${start.user_code.slice(0, 4)}-${start.user_code.slice(4)}`.toLowerCase()
  assert.equal((await page.get(`/api/auth/device?user_code=${typed}`)).status, 200)
  assert.equal((await page.post('/api/auth/device/approve', { userCode: typed })).status, 200)
  const { device_code } = start
  const reply = await terminal.post('/api/auth/device/token', { device_code })
  assert.deepEqual(await reply.json(), { signedIn: true, waiting: null })
  return terminal
}

test('a workspace that requires single sign-on is entered only through the provider, also by terminals and live events', async () => {
  const email = 'owner@example.com'
  const owner = await addPerson(workspace, { email, name: 'Ada', role: 'owner', password })
  const context = {
    ...workspace,
    personId: owner.id,
    actor: { type: 'human', name: 'Ada', userId: owner.id, role: 'owner' },
  } as const
  const { token } = await aToken(context, ['read'])
  const old = await byPassword(email)
  const require = async (page: Page, required: boolean) =>
    codeOf(await page.post(`${inside}/singleSignOn.require`, { required }))

  assert.equal(await require(old, true), 'conflict', 'they would lock themselves out')
  const page = await throughProvider(browser(app.url), email)
  const [before, oldTerminal] = [await old.get(`${inside}/events`), await terminalOf(old)]
  assert.equal(before.status, 200)
  const admin = await signedIn(app, { ...(await aMember(workspace, 'admin')), slug: workspace.slug })
  assert.equal(
    await codeOf(await admin.write('singleSignOn.require', { required: true })),
    'insufficient_role',
  )
  assert.equal(await require(page, true), 200)
  assert.equal(await require(page, true), 'conflict')
  const shown = (await (await page.get(`${inside}/singleSignOn.read`)).json()) as SingleSignOnPage
  assert.deepEqual([shown.provider, shown.required, shown.throughProvider], ['Acme login', true, true])

  assert.equal(await enters(page), 200)
  assert.equal(await enters(old), 'single_sign_on_required')
  assert.equal(await codeOf(await old.get(`${inside}/events`)), 'single_sign_on_required')
  // Ends what was open: the stream says who they are is to be read again, and is over.
  assert.match(await before.text(), /event: me/)
  assert.equal(await enters(oldTerminal), 'single_sign_on_required')
  assert.equal(await enters(await terminalOf(old)), 'single_sign_on_required')
  assert.equal(await enters(await terminalOf(page)), 200)
  // A proof within a session does not make it one of the provider.
  assert.equal((await old.post('/api/auth/prove/password', { password })).status, 200)
  assert.equal(await enters(old), 'single_sign_on_required')
  // What is about no other workspace, and what a token does, is as before.
  assert.equal((await old.get('/api/me')).status, 200)
  assert.equal((await app.get('/v1/teams', token)).status, 200)
  const elsewhere = await aWorkspace(app.storage.db)
  await addPerson(elsewhere, { email, name: 'Ada', role: 'member' })
  assert.equal((await old.get(`/api/w/${elsewhere.slug}/teams.list`)).status, 200)

  await requireSingleSignOn(workspace, false, { hasProvider: false, throughProvider: false })
  assert.equal(await enters(old), 200)
  const changes = (await auditEvents(app.storage.db, workspace.workspaceId))
    .filter(({ event }) => event === 'workspace_changed')
    .map(({ actor, details }) => [actor.type, (details.changes as { after: string }[])[0]?.after])
  assert.deepEqual(changes, [
    ['human', 'required'],
    ['system', 'not required'],
  ])
})

test('a sign-in at a provider that still knows the person proves no more than the provider says', async () => {
  const email = 'known@example.com'
  await addPerson(workspace, { email, name: 'Known', role: 'owner' })
  const seconds = Math.floor(Date.now() / 1000)
  const create = async (page: Page) =>
    codeOf(await page.post(`${inside}/singleSignOn.createToken`, { name: 'Okta' }))
  const known = await throughProvider(browser(app.url), email, { auth_time: seconds - 3_600 })
  assert.equal(await create(known), 'proof_required')
  const fresh = await throughProvider(browser(app.url), email, { auth_time: seconds })
  assert.equal(await create(fresh), 200)
  // A clock that is ahead makes no proof last longer, and without a time the sign-in is what is known.
  const ahead = await throughProvider(browser(app.url), email, { auth_time: seconds + 36_000 })
  assert.equal(await create(ahead), 200)
  const { rows } = await app.storage.pool.query(
    `select from sessions where proven_at > now() and person_id = (select id from people where email = $1)`,
    [email],
  )
  assert.equal(rows.length, 0)
  assert.equal(await create(await throughProvider(browser(app.url), email)), 200)
})
