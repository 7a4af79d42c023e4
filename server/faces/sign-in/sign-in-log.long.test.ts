import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as OTPAuth from 'otpauth'
import pg from 'pg'
import { readConfig } from '../../app/config.ts'
import { identityFrom } from '../../app/identity.ts'
import { addPerson } from '../../domain/accounts/workspaces/add-person.ts'
import { createLog } from '../../infra/log.ts'
import { testApp } from '../../test/app.ts'
import { auditEvents } from '../../test/audit-events.ts'
import { browser } from '../../test/browser.ts'
import { aWorkspace } from '../../test/factories.ts'
import { identityProvider } from '../../test/hosts/identity-provider.ts'
import { until } from '../../test/until.ts'

/** What the sign-in library writes and what the log says of it are one: neither is there without the other. */
describe('when the log cannot be written', () => {
  const password = 'correct horse battery'
  let app: Awaited<ReturnType<typeof testApp>>
  let provider: Awaited<ReturnType<typeof identityProvider>>
  let owner: pg.Client
  let made = 0

  before(async () => {
    provider = await identityProvider()
    app = await testApp({
      env: {
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: 'signalbox',
        OIDC_CLIENT_SECRET: 'hush-hush-hush',
        DATABASE_CONNECTIONS: '3',
      },
    })
    owner = new pg.Client(app.storage.connection)
    await owner.connect()
  })
  after(async () => {
    await owner.end()
    await app.stop()
    await provider.stop()
  })

  async function aPerson() {
    const workspace = await aWorkspace(app.storage.db)
    made += 1
    const email = `person-${made}@example.com`
    const { id } = await addPerson(workspace, { email, name: `Person ${made}`, role: 'owner', password })
    const page = browser(app.url)
    const signIn = (withPassword = password, from = page) =>
      from.post('/api/auth/sign-in/email', { email, password: withPassword })
    const events = async () =>
      (await auditEvents(app.storage.db, workspace.workspaceId)).map(({ event }) => event)
    return { id, email, page, signIn, events }
  }

  /** The answer to what is asked while no one can write into the log: an error, and no cookie. */
  async function unwritten(ask: () => Promise<Response>): Promise<void> {
    await owner.query('revoke insert on audit_entries from signalbox_app')
    try {
      const response = await ask()
      assert.equal(response.status, 500)
      assert.deepEqual(response.headers.getSetCookie(), [])
    } finally {
      await owner.query('grant insert on audit_entries to signalbox_app')
    }
  }

  const count = async (table: string, { id }: { id: string }) =>
    (await owner.query(`select from ${table} where person_id = $1`, [id])).rowCount

  const isSignedIn = async (page: ReturnType<typeof browser>) => (await page.get('/api/me')).status === 200

  test('no one is signed in', async () => {
    const person = await aPerson()
    await unwritten(() => person.signIn())
    assert.equal(await count('sessions', person), 0)
  })

  test('no one is signed out', async () => {
    const { page, signIn } = await aPerson()
    await signIn()
    await unwritten(() => page.post('/api/auth/sign-out', {}))
    assert.ok(await isSignedIn(page))
  })

  test('a password stays as it is, and the other sessions live on', async () => {
    const { page, signIn } = await aPerson()
    const elsewhere = browser(app.url)
    await signIn()
    await signIn(password, elsewhere)
    const change = { currentPassword: password, newPassword: 'another long one', revokeOtherSessions: true }
    await unwritten(() => page.post('/api/auth/change-password', change))
    assert.ok(await isSignedIn(elsewhere))
    assert.equal((await signIn('another long one', browser(app.url))).status, 401)
    assert.equal((await signIn(password, browser(app.url))).status, 200)
  })

  test('a forgotten password stays as it is', async () => {
    const { id, signIn, events } = await aPerson()
    const identity = identityFrom(readConfig({}), app.storage, {
      publicUrl: () => app.url,
      log: createLog({ level: 'silent' }),
    })
    const reset = async (token: string) =>
      browser(app.url).post('/api/auth/reset-password', { token, newPassword: 'another long one' })
    const token = await identity.resetToken(id)
    await unwritten(() => reset(token))
    assert.equal((await signIn()).status, 200)
    const [link, another] = [await identity.resetToken(id), await identity.resetToken(id)]
    assert.equal((await reset(link)).status, 200)
    assert.equal((await reset(another)).status, 400, 'links from before are spent with it')
    assert.deepEqual((await events()).slice(-2), ['signed_in', 'sign_in_method_changed'])
    assert.equal((await signIn('another long one')).status, 200)
  })

  test('an authenticator app is neither turned on nor off, and its backup codes stay', async () => {
    const { page, signIn } = await aPerson()
    await signIn()
    const enabled = await page.post('/api/auth/two-factor/enable', { password })
    const { totpURI, backupCodes } = (await enabled.json()) as { totpURI: string; backupCodes: string[] }
    const code = (laterMs = 0) =>
      (OTPAuth.URI.parse(totpURI) as OTPAuth.TOTP).generate({ timestamp: Date.now() + laterMs })
    const isOn = async () =>
      ((await (await page.get('/api/account.read')).json()) as { twoFactor: boolean }).twoFactor
    await unwritten(() => page.post('/api/auth/two-factor/verify-totp', { code: code() }))
    assert.equal(await isOn(), false)
    assert.equal((await page.post('/api/auth/two-factor/verify-totp', { code: code(30_000) })).status, 200)
    assert.equal(await isOn(), true)
    await unwritten(() => page.post('/api/auth/two-factor/disable', { password }))
    await unwritten(() => page.post('/api/auth/two-factor/generate-backup-codes', { password }))
    assert.equal(await isOn(), true)
    const spendOne = async () => {
      const again = browser(app.url)
      await signIn(password, again)
      return () => again.post('/api/auth/two-factor/verify-backup-code', { code: backupCodes[0] })
    }
    await unwritten(await spendOne())
    assert.equal((await (await spendOne())()).status, 200, 'what was not recorded was not spent')
  })

  test('no one is tied to an identity provider', async () => {
    const person = await aPerson()
    provider.claims = { sub: person.id, email: person.email, email_verified: true }
    const walk = async () => {
      const started = await person.page.post('/api/auth/sign-in/oidc', {})
      const { url } = (await started.json()) as { url: string }
      const back = await fetch(url, { redirect: 'manual' })
      return person.page.get(back.headers.get('location')!)
    }
    const before = await count('accounts', person)
    await unwritten(walk)
    assert.deepEqual([await count('accounts', person), await count('sessions', person)], [before, 0])
    assert.equal((await walk()).headers.get('location'), '/')
    assert.ok(await isSignedIn(person.page))
  })

  test('a failed attempt that cannot be noted is an error, and the next one is answered', async () => {
    const { signIn, events } = await aPerson()
    await owner.query('revoke insert on sign_in_follow_ups from signalbox_app')
    assert.equal((await signIn('wrong')).status, 500)
    await owner.query('grant insert on sign_in_follow_ups to signalbox_app')
    assert.equal((await signIn('wrong')).status, 401)
    await until('it is recorded', async () => (await events()).at(-1) === 'sign_in_failed')
  })

  test('a failed attempt is recorded once the log can be written again', async () => {
    const { id, signIn, events } = await aPerson()
    await owner.query('revoke insert on audit_entries from signalbox_app')
    assert.equal((await signIn('wrong')).status, 401)
    await until('it was tried', () => app.log.some((line) => line.includes('could not be followed up')))
    await owner.query('grant insert on audit_entries to signalbox_app')
    assert.notEqual((await events()).at(-1), 'sign_in_failed')
    await owner.query('update sign_in_follow_ups set due_at = at')
    await until('it is recorded', async () => (await events()).at(-1) === 'sign_in_failed')
    assert.equal(await count('sign_in_follow_ups', { id }), 0)
  })

  test('many at once wait for a connection one after another, not for each other', async () => {
    const people = await Promise.all(Array.from({ length: 12 }, aPerson))
    const responses = await Promise.all(people.map(({ signIn }) => signIn()))
    assert.deepEqual(
      responses.map(({ status }) => status),
      responses.map(() => 200),
    )
  })
})
