import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { DeviceStart } from '@signalbox/contract/app/sign-in.ts'
import { addPerson } from '../../domain/accounts/workspaces/add-person.ts'
import { testApp } from '../../test/app.ts'
import { auditEvents } from '../../test/audit-events.ts'
import { browser } from '../../test/browser.ts'
import { aWorkspace } from '../../test/factories.ts'

/** A terminal is signed in by a person who confirms its code in a browser (RFC 8628). */

const password = 'correct horse battery'
let app: Awaited<ReturnType<typeof testApp>>
let workspace: Awaited<ReturnType<typeof aWorkspace>>
before(async () => {
  app = await testApp()
  workspace = await aWorkspace(app.storage.db)
})
after(() => app.stop())

async function signedInBrowser(email: string) {
  await addPerson(workspace, { email, name: email, role: 'member', password })
  const page = browser(app.url)
  assert.equal((await page.post('/api/auth/sign-in/email', { email, password })).status, 200)
  return page
}

async function begin(): Promise<DeviceStart> {
  const reply = await browser(app.url).post('/api/auth/device/code', {})
  assert.equal(reply.status, 200)
  return (await reply.json()) as DeviceStart
}

/** As a terminal that has waited as long as it was told to. */
async function poll({ device_code }: DeviceStart) {
  await app.storage.pool.query('update device_codes set last_polled_at = null')
  const terminal = browser(app.url)
  const reply = await terminal.post('/api/auth/device/token', { device_code })
  return { terminal, status: reply.status, state: await reply.json(), cookies: reply.headers.getSetCookie() }
}

const look = (page: ReturnType<typeof browser>, code: string) =>
  page.get(`/api/auth/device?user_code=${encodeURIComponent(code)}`)

test('a confirmed code opens one session, which the log tells of, and the codes are stored as digests', async () => {
  const [ada, bo] = [await signedInBrowser('ada@example.com'), await signedInBrowser('bo@example.com')]
  const start = await begin()
  assert.equal(start.verification_uri, `${app.url}/device`)
  assert.match(start.user_code, /^[A-Z0-9]{8}$/)
  const { rows } = await app.storage.pool.query('select * from device_codes')
  assert.ok(!JSON.stringify(rows).includes(start.device_code))
  assert.deepEqual((await poll(start)).state, { signedIn: false, waiting: 'authorization_pending' })
  const early = await browser(app.url).post('/api/auth/device/token', { device_code: start.device_code })
  assert.deepEqual(await early.json(), { signedIn: false, waiting: 'slow_down' })

  // As people type it.
  const typed = `${start.user_code.slice(0, 4)}-${start.user_code.slice(4)}`.toLowerCase()
  assert.equal((await look(ada, typed)).status, 200)
  await look(bo, start.user_code)
  const foreign = await bo.post('/api/auth/device/approve', { userCode: start.user_code })
  assert.equal(foreign.status, 401)
  assert.deepEqual((await poll(start)).state, { signedIn: false, waiting: 'authorization_pending' })
  const approved = await ada.post('/api/auth/device/approve', { userCode: start.user_code })
  assert.equal(approved.status, 200)

  const { terminal, state, cookies } = await poll(start)
  assert.deepEqual(state, { signedIn: true, waiting: null })
  assert.match(cookies.join(), /^signalbox=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/)
  const me = (await (await terminal.get('/api/me')).json()) as { email: string }
  assert.equal(me.email, 'ada@example.com')
  assert.deepEqual((await poll(start)).state, { signedIn: false, waiting: 'invalid_grant' })
  const events = await auditEvents(app.storage.db, workspace.workspaceId)
  const entries = events.filter(
    ({ event, details }) => event === 'signed_in' && details.method === 'device code',
  )
  assert.equal(entries.length, 1)
  assert.ok(!events.some(({ event }) => event === 'sign_in_failed'))
})

test('a denied code, an unknown one and one that no one is signed in to confirm open nothing', async () => {
  const cy = await signedInBrowser('cy@example.com')
  const start = await begin()
  const stranger = browser(app.url)
  assert.equal((await look(stranger, start.user_code)).status, 401)
  assert.equal((await stranger.post('/api/auth/device/approve', { userCode: start.user_code })).status, 401)
  const unknown = await look(cy, 'AAAAAAAA')
  assert.equal(unknown.status, 401)
  assert.match(await unknown.text(), /This code is unknown, was used or has expired/)
  await look(cy, start.user_code)
  assert.equal((await cy.post('/api/auth/device/deny', { userCode: start.user_code })).status, 200)
  assert.deepEqual((await poll(start)).state, { signedIn: false, waiting: 'access_denied' })
})
