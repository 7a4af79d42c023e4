import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import * as OTPAuth from 'otpauth'
import { attemptKey } from '../../domain/accounts/people/attempts.ts'
import { addPerson } from '../../domain/accounts/workspaces/add-person.ts'
import { testApp } from '../../test/app.ts'
import { auditEvents } from '../../test/audit-events.ts'
import { browser } from '../../test/browser.ts'
import { aWorkspace } from '../../test/factories.ts'
import { until } from '../../test/until.ts'

const password = 'correct horse battery'
let made = 0

/** Someone new with a password, in a workspace of their own. */
async function aPerson(app: Awaited<ReturnType<typeof testApp>>) {
  const workspace = await aWorkspace(app.storage.db)
  made += 1
  const email = `person-${made}@example.com`
  const { id } = await addPerson(workspace, { email, name: `Person ${made}`, role: 'owner', password })
  return { id, email, workspace, events: () => auditEvents(app.storage.db, workspace.workspaceId) }
}

describe('strangers', () => {
  test('who only asks for the options of a passkey leaves so many rows and no more, and can still sign in', async (t) => {
    const app = await testApp()
    t.after(() => app.stop())
    const person = await aPerson(app)
    const statuses: number[] = []
    let last: Response | undefined
    for (let n = 0; n < 125; n += 1) {
      last = await fetch(`${app.url}/api/auth/passkey/generate-authenticate-options`)
      await last.text()
      statuses.push(last.status)
    }
    assert.deepEqual([statuses.filter((status) => status === 200).length, statuses.at(-1)], [120, 429])
    assert.ok(Number(last!.headers.get('retry-after')) > 0)
    const { rows } = await app.storage.pool.query('select count(*)::int as rows from verifications')
    assert.ok(rows[0].rows <= 120, `${rows[0].rows} rows`)
    const page = browser(app.url)
    const reply = await page.post('/api/auth/sign-in/email', { email: person.email, password })
    assert.equal(reply.status, 200)
  })
})

describe('signing in with a password', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  before(async () => {
    app = await testApp()
  })
  after(() => app.stop())

  test('opens a session by a cookie that scripts cannot read, and leaves an entry', async () => {
    const person = await aPerson(app)
    const page = browser(app.url)
    const reply = await page.post('/api/auth/sign-in/email', { email: person.email.toUpperCase(), password })
    assert.equal(reply.status, 200)
    assert.deepEqual(await reply.json(), { signedIn: true, twoFactor: false })
    const set = reply.headers.getSetCookie().find((cookie) => cookie.startsWith('signalbox='))!
    for (const attribute of [/; HttpOnly/i, /; SameSite=Lax/i, /; Path=\//i, /; Max-Age=7776000/i])
      assert.match(set, attribute)
    assert.doesNotMatch(set, /; Secure|; Domain/i, 'this one is plain loopback')
    assert.equal((await page.get('/api/me')).status, 200)
    const entry = (await person.events()).at(-1)!
    assert.equal(entry.event, 'signed_in')
    assert.deepEqual(entry.actor, { type: 'human', name: `Person ${made}`, userId: person.id })
    assert.equal(entry.details.method, 'password')
  })

  test('is kept as a digest: what stands in the table opens nothing', async () => {
    const person = await aPerson(app)
    const page = browser(app.url)
    await page.post('/api/auth/sign-in/email', { email: person.email, password })
    const held = decodeURIComponent(page.cookies.get('signalbox')!)
    const { rows } = await app.storage.pool.query('select token from sessions')
    assert.ok(rows.length > 0)
    for (const { token } of rows) {
      assert.ok(!held.includes(token))
      page.cookies.set('signalbox', encodeURIComponent(`${token}.${held.split('.').pop()}`))
      assert.equal((await page.get('/api/me')).status, 401)
    }
  })

  test('says the same of a wrong password and of an unknown address, in our words', async () => {
    const person = await aPerson(app)
    const page = browser(app.url)
    const replies = [
      await page.post('/api/auth/sign-in/email', { email: person.email, password: 'wrong' }),
      await page.post('/api/auth/sign-in/email', { email: 'nobody@example.com', password: 'wrong' }),
    ]
    const bodies = await Promise.all(replies.map((reply) => reply.json()))
    assert.deepEqual(
      replies.map((reply) => reply.status),
      [401, 401],
    )
    assert.deepEqual(bodies[0], bodies[1])
    assert.deepEqual(bodies[0], {
      error: { code: 'sign_in_failed', message: 'The email address or password is wrong.' },
    })
    await until('it is recorded', async () => (await person.events()).at(-1)!.event === 'sign_in_failed')
    const entry = (await person.events()).at(-1)!
    assert.deepEqual([entry.result, entry.actor.type], ['denied', 'service'])
    assert.ok(!app.log.some((line) => line.includes('nobody@example.com') || line.includes('wrong horse')))
  })

  test('is refused after ten wrong passwords, also the right one, until the window is over', async () => {
    const person = await aPerson(app)
    const page = browser(app.url)
    for (let n = 0; n < 10; n += 1)
      assert.equal(
        (await page.post('/api/auth/sign-in/email', { email: person.email, password: `no ${n}` })).status,
        401,
      )
    const refused = await page.post('/api/auth/sign-in/email', { email: person.email, password })
    assert.equal(refused.status, 429)
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    assert.equal(((await refused.json()) as { error: { code: string } }).error.code, 'rate_limited')
    await app.storage.pool.query(`update sign_in_attempts set ends_at = now() - interval '1 second'`)
    assert.equal((await page.post('/api/auth/sign-in/email', { email: person.email, password })).status, 200)
  })

  test('is refused from another page, and so is a path that we did not let through', async () => {
    const person = await aPerson(app)
    const cross = await browser(app.url).post(
      '/api/auth/sign-in/email',
      { email: person.email, password },
      { origin: 'https://evil.example' },
    )
    assert.equal(cross.status, 403)
    for (const path of [
      '/api/auth/sign-up/email',
      '/api/auth/update-user',
      '/api/auth/delete-user',
      '/api/auth/list-sessions',
      '/api/auth/sign-in/social',
      '/api/auth/link-social',
      '/api/auth/two-factor/send-otp',
    ]) {
      const reply = await browser(app.url).post(path, {})
      assert.equal(reply.status, 404, path)
      assert.equal(((await reply.json()) as { error: { code: string } }).error.code, 'not_found')
    }
    assert.equal((await browser(app.url).get('/api/auth/get-session')).status, 404)
  })

  test('ends by signing out, by revoking, and for all others at once', async () => {
    const person = await aPerson(app)
    const [here, there, elsewhere] = [browser(app.url), browser(app.url), browser(app.url)]
    for (const page of [here, there, elsewhere])
      await page.post('/api/auth/sign-in/email', { email: person.email, password })
    const sessions = (await (await here.get('/api/account.sessions')).json()) as {
      id: string
      current: boolean
      ipAddress: string
    }[]
    assert.equal(sessions.length, 3)
    assert.equal(sessions.filter(({ current }) => current).length, 1)
    assert.ok(sessions[0]!.ipAddress.includes('127.0.0.1'))
    const list = (await (await there.get('/api/account.sessions')).json()) as typeof sessions
    const { id } = list.find(({ current }) => current)!
    assert.equal((await here.post('/api/account.revokeSession', { id })).status, 200)
    assert.equal((await there.get('/api/me')).status, 401)
    assert.equal((await here.post('/api/account.revokeSession', { id })).status, 404)
    assert.equal((await here.post('/api/account.revokeOtherSessions', {})).status, 200)
    assert.equal((await elsewhere.get('/api/me')).status, 401)
    assert.equal((await here.post('/api/auth/sign-out', {})).status, 200)
    assert.equal((await here.get('/api/me')).status, 401)
    assert.deepEqual(
      (await person.events()).slice(-3).map(({ event }) => event),
      ['session_revoked', 'session_revoked', 'signed_out'],
    )
  })

  test('a session that is used lives on, and one that is not ends', async () => {
    const person = await aPerson(app)
    const page = browser(app.url)
    await page.post('/api/auth/sign-in/email', { email: person.email, password })
    const end = async () =>
      (
        await app.storage.pool.query('select expires_at, updated_at from sessions where person_id = $1', [
          person.id,
        ])
      ).rows[0]
    const fourteen = 14 * 86_400_000
    const first = await end()
    assert.ok(Math.abs(first.expires_at.getTime() - Date.now() - fourteen) < 60_000)
    await app.storage.pool.query(
      `update sessions set updated_at = now() - interval '2 days', expires_at = now() + interval '12 days'
       where person_id = $1`,
      [person.id],
    )
    assert.equal((await page.get('/api/me')).status, 200)
    assert.ok(Math.abs((await end()).expires_at.getTime() - Date.now() - fourteen) < 60_000)
    await app.storage.pool.query(
      "update sessions set expires_at = now() - interval '1 second' where person_id = $1",
      [person.id],
    )
    assert.equal((await page.get('/api/me')).status, 401)
  })

  test('a new password is chosen with the old one, and the other sessions end', async () => {
    const person = await aPerson(app)
    const [here, there] = [browser(app.url), browser(app.url)]
    for (const page of [here, there])
      await page.post('/api/auth/sign-in/email', { email: person.email, password })
    const change = { currentPassword: 'wrong', newPassword: 'another long one', revokeOtherSessions: true }
    assert.equal((await here.post('/api/auth/change-password', change)).status, 401)
    const done = await here.post('/api/auth/change-password', { ...change, currentPassword: password })
    assert.equal(done.status, 200)
    assert.deepEqual(await done.json(), { ok: true })
    assert.equal((await here.get('/api/me')).status, 200)
    assert.equal((await there.get('/api/me')).status, 401)
    const entry = (await person.events()).at(-1)!
    assert.deepEqual(
      [entry.event, entry.details.method, entry.details.action],
      ['sign_in_method_changed', 'password', 'changed'],
    )
    const unasked = { currentPassword: 'another long one', newPassword: 'a third long one' }
    const other = browser(app.url)
    await other.post('/api/auth/sign-in/email', { email: person.email, password: 'another long one' })
    assert.equal((await here.post('/api/auth/change-password', unasked)).status, 200)
    assert.equal((await other.get('/api/me')).status, 401, 'unless one asks for it, they end')
    const short = await here.post('/api/auth/change-password', {
      currentPassword: 'a third long one',
      newPassword: 'short',
    })
    assert.equal(short.status, 400)
  })

  test('asks for a code once an authenticator app is set up', async () => {
    const person = await aPerson(app)
    const page = browser(app.url)
    await page.post('/api/auth/sign-in/email', { email: person.email, password })
    assert.equal((await page.post('/api/auth/two-factor/enable', { password: 'wrong' })).status, 401)
    const enabled = await page.post('/api/auth/two-factor/enable', { password })
    const { totpURI, backupCodes } = (await enabled.json()) as { totpURI: string; backupCodes: string[] }
    const totp = OTPAuth.URI.parse(totpURI) as OTPAuth.TOTP
    assert.equal(totp.issuer, 'Signalbox')
    assert.equal(backupCodes.length, 10)
    const account = async () => (await (await page.get('/api/account.read')).json()) as { twoFactor: boolean }
    assert.equal((await account()).twoFactor, false, 'not before a code was shown')
    assert.equal((await page.post('/api/auth/two-factor/verify-totp', { code: '000000' })).status, 401)
    assert.equal((await page.post('/api/auth/two-factor/verify-totp', { code: totp.generate() })).status, 200)
    assert.equal((await account()).twoFactor, true)
    const turnedOn = (await person.events()).at(-1)!
    assert.deepEqual(
      [turnedOn.event, turnedOn.details.method, turnedOn.details.action],
      ['sign_in_method_changed', 'authenticator app', 'added'],
    )

    const again = browser(app.url)
    const first = await again.post('/api/auth/sign-in/email', { email: person.email, password })
    assert.deepEqual(await first.json(), { signedIn: false, twoFactor: true })
    assert.equal((await again.get('/api/me')).status, 401)
    assert.equal((await again.post('/api/auth/two-factor/verify-totp', { code: '000000' })).status, 401)
    await until('it is recorded', async () => (await person.events()).at(-1)!.event === 'sign_in_failed')
    // The code that turned it on is spent; a clock that is a little ahead shows the next.
    const next = totp.generate({ timestamp: Date.now() + 30_000 })
    const second = await again.post('/api/auth/two-factor/verify-totp', { code: next })
    assert.equal(second.status, 200)
    assert.equal((await again.get('/api/me')).status, 200)
    assert.equal((await person.events()).at(-1)!.details.method, 'password and code')

    const overTheShoulder = browser(app.url)
    await overTheShoulder.post('/api/auth/sign-in/email', { email: person.email, password })
    for (const code of [next, `${next.slice(0, 3)} ${next.slice(3)}`])
      assert.equal((await overTheShoulder.post('/api/auth/two-factor/verify-totp', { code })).status, 401)
    await until('it is recorded', async () => (await person.events()).at(-1)!.event === 'sign_in_failed')

    const once = browser(app.url)
    await once.post('/api/auth/sign-in/email', { email: person.email, password })
    assert.equal(
      (await once.post('/api/auth/two-factor/verify-backup-code', { code: backupCodes[0] })).status,
      200,
    )
    const twice = browser(app.url)
    await twice.post('/api/auth/sign-in/email', { email: person.email, password })
    assert.equal(
      (await twice.post('/api/auth/two-factor/verify-backup-code', { code: backupCodes[0] })).status,
      401,
    )
    assert.equal((await again.post('/api/auth/two-factor/disable', { password })).status, 200)
    assert.equal((await person.events()).at(-1)!.details.action, 'removed')
    const { rows } = await app.storage.pool.query('select from two_factors where person_id = $1', [person.id])
    assert.equal(rows.length, 0)
  })

  test('a passkey is asked for this host, with a device that knows its owner, and a bogus one is refused', async () => {
    const person = await aPerson(app)
    const page = browser(app.url)
    const options = (await (await page.get('/api/auth/passkey/generate-authenticate-options')).json()) as {
      challenge: string
      rpId: string
      userVerification: string
    }
    assert.deepEqual([options.rpId, options.userVerification], ['localhost', 'required'])
    assert.ok(options.challenge.length >= 20)
    const bogus = { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response: {}, clientExtensionResults: {} }
    const refused = await page.post('/api/auth/passkey/verify-authentication', { response: bogus })
    assert.equal(refused.status, 401)
    assert.equal((await page.get('/api/auth/passkey/generate-register-options')).status, 401)
    await page.post('/api/auth/sign-in/email', { email: person.email, password })
    const register = (await (await page.get('/api/auth/passkey/generate-register-options')).json()) as {
      rp: { id: string }
      authenticatorSelection: { userVerification: string }
    }
    assert.equal(register.rp.id, 'localhost')
    assert.equal(register.authenticatorSelection.userVerification, 'required')
    assert.equal(
      (await page.post('/api/auth/passkey/verify-registration', { response: bogus })).status >= 400,
      true,
    )
    assert.deepEqual(((await (await page.get('/api/account.read')).json()) as { passkeys: [] }).passkeys, [])
  })

  test('a person may take another name', async () => {
    const person = await aPerson(app)
    const page = browser(app.url)
    await page.post('/api/auth/sign-in/email', { email: person.email, password })
    assert.equal((await page.post('/api/account.rename', { name: 'Ana' })).status, 200)
    assert.equal(((await (await page.get('/api/me')).json()) as { name: string }).name, 'Ana')
    assert.equal((await person.events()).at(-1)!.event, 'member_renamed')
  })
})

test('a stranger who guesses at an account keeps its owner out of it only from where the guesses come', async () => {
  const app = await testApp({ env: { TRUST_PROXY: '127.0.0.1' } })
  try {
    const person = await aPerson(app)
    const attempt = (address: string, tried: string) =>
      browser(app.url).post(
        '/api/auth/sign-in/email',
        { email: person.email, password: tried },
        { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' },
      )
    for (let n = 0; n < 10; n += 1) assert.equal((await attempt('203.0.113.7', `no ${n}`)).status, 401)
    assert.equal((await attempt('203.0.113.7', password)).status, 429)
    assert.equal((await attempt('198.51.100.2', password)).status, 200)
    // Many strangers together are held up all the same.
    const account = attemptKey(`account /sign-in/email ${person.email}`)
    await attempt('192.0.2.1', 'no')
    await app.storage.pool.query('update sign_in_attempts set attempts = 100 where key = $1', [account])
    assert.equal((await attempt('198.51.100.2', password)).status, 429)
  } finally {
    await app.stop()
  }
})

test('over https the cookie is bound to the host and never sent in the clear', async () => {
  const port = await freePort()
  const app = await testApp({ env: { PUBLIC_URL: 'https://signalbox.example.com', PORT: String(port) } })
  try {
    const person = await aPerson(app)
    const page = browser(`http://127.0.0.1:${port}`)
    const reply = await page.post(
      '/api/auth/sign-in/email',
      { email: person.email, password },
      { origin: 'https://signalbox.example.com' },
    )
    assert.equal(reply.status, 200)
    const set = reply.headers.getSetCookie().find((cookie) => cookie.startsWith('__Host-signalbox='))!
    assert.match(set, /; Path=\/(;|$)/i)
    assert.match(set, /; Secure/i)
    assert.match(set, /; HttpOnly/i)
    assert.doesNotMatch(set, /; Domain/i)
    assert.equal((await page.get('/api/me')).status, 200)
    const options = (await (await page.get('/api/auth/passkey/generate-authenticate-options')).json()) as {
      rpId: string
    }
    assert.equal(options.rpId, 'signalbox.example.com')
  } finally {
    await app.stop()
  }
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
