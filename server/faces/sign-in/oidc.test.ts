import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { addPerson } from '../../domain/accounts/workspaces/add-person.ts'
import { testApp } from '../../test/app.ts'
import { auditEvents } from '../../test/audit-events.ts'
import { browser } from '../../test/browser.ts'
import { aMember, aWorkspace } from '../../test/factories.ts'
import { identityProvider } from '../../test/hosts/identity-provider.ts'

describe('signing in with an identity provider', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  let provider: Awaited<ReturnType<typeof identityProvider>>
  before(async () => {
    provider = await identityProvider()
    app = await testApp({
      env: {
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: 'signalbox',
        OIDC_CLIENT_SECRET: 'hush-hush-hush',
        OIDC_NAME: 'Acme login',
      },
    })
  })
  after(async () => {
    await app.stop()
    await provider.stop()
  })

  /** The way a browser goes: to the provider, which sends it back, and where it ends up. */
  async function walk(page: ReturnType<typeof browser>, returnTo?: string) {
    const started = await page.post('/api/auth/sign-in/oidc', returnTo ? { returnTo } : {})
    assert.equal(started.status, 200)
    const { url } = (await started.json()) as { url: string }
    const asked = new URL(url).searchParams
    assert.equal(asked.get('redirect_uri'), `${app.url}/api/auth/callback/oidc`)
    assert.equal(asked.get('code_challenge_method'), 'S256')
    assert.ok(asked.get('nonce') && asked.get('state'))
    const back = await fetch(url, { redirect: 'manual' })
    const response = await page.get(back.headers.get('location')!)
    assert.equal(response.status, 302)
    return response.headers.get('location')
  }

  test('lets in who has the same verified address, ties them together, and asks for nothing more', async () => {
    const workspace = await aWorkspace(app.storage.db)
    const email = 'ada@example.com'
    const { id } = await addPerson(workspace, { email, name: 'Ada', role: 'member' })
    provider.claims = { sub: 'ada-1', email: 'Ada@example.com', email_verified: true, name: 'Ada L.' }
    const page = browser(app.url)
    const ways = (await (await page.get('/api/sign-in')).json()) as { oidc: unknown }
    assert.deepEqual(ways.oidc, { name: 'Acme login' }, JSON.stringify(ways))
    assert.equal(await walk(page, '/decisions?x=1'), '/decisions?x=1')
    const me = (await (await page.get('/api/me')).json()) as { id: string; name: string }
    assert.deepEqual([me.id, me.name], [id, 'Ada'], 'the provider does not rename anybody')
    const { rows } = await app.storage.pool.query('select * from accounts where person_id = $1', [id])
    assert.deepEqual([rows.length, rows[0].account_id, rows[0].id_token], [1, 'ada-1', null])
    assert.deepEqual(
      (await auditEvents(app.storage.db, workspace.workspaceId)).slice(-2).map(({ event }) => event),
      ['sign_in_method_changed', 'signed_in'],
    )
    // Known by the subject from now on, whatever the address has become.
    provider.claims = { ...provider.claims, email: 'ada@new.example', email_verified: false }
    assert.equal(await walk(browser(app.url)), '/')
  })

  test('does not let strangers in, nor an address that the provider has not verified', async () => {
    const workspace = await aWorkspace(app.storage.db)
    await addPerson(workspace, { email: 'bob@example.com', name: 'Bob', role: 'member' })
    provider.claims = { sub: 'x-1', email: 'stranger@example.com', email_verified: true }
    assert.equal(await walk(browser(app.url)), '/login?error=oidc_unknown_person')
    for (const email_verified of [false, undefined]) {
      provider.claims = { sub: 'x-2', email: 'bob@example.com', email_verified }
      const page = browser(app.url)
      assert.equal(await walk(page), '/login?error=oidc_not_verified')
      assert.equal((await page.get('/api/me')).status, 401)
    }
    const { rows } = await app.storage.pool.query(`select from people where email = 'stranger@example.com'`)
    assert.equal(rows.length, 0)
  })

  test('does not hand a person over whose own address no one has verified', async () => {
    const workspace = await aWorkspace(app.storage.db)
    const admin = await aMember(workspace, 'admin')
    await addPerson(admin, {
      email: 'carla@example.com',
      name: 'Carla',
      role: 'member',
      password: 'set by an admin',
    })
    provider.claims = { sub: 'carla-1', email: 'carla@example.com', email_verified: true }
    assert.equal(await walk(browser(app.url)), '/login?error=oidc_not_verified')
  })

  test('refuses an id token for another nonce, another audience, of another key, or none', async () => {
    const workspace = await aWorkspace(app.storage.db)
    await addPerson(workspace, { email: 'dan@example.com', name: 'Dan', role: 'member' })
    provider.claims = { sub: 'dan-1', email: 'dan@example.com', email_verified: true }
    for (const spoil of ['nonce', 'audience', 'issuer', 'key', 'missing'] as const) {
      provider.spoil = spoil
      const page = browser(app.url)
      assert.equal(await walk(page), '/login?error=oidc_failed', spoil)
      assert.equal((await page.get('/api/me')).status, 401, spoil)
    }
    provider.spoil = null
    assert.equal(await walk(browser(app.url)), '/')
  })

  test('an error that another site made up does not affect a signed-in person', async () => {
    const workspace = await aWorkspace(app.storage.db)
    await addPerson(workspace, { email: 'eve@example.com', name: 'Eve', role: 'member' })
    provider.claims = { sub: 'eve-1', email: 'eve@example.com', email_verified: true }
    const page = browser(app.url)
    assert.equal(await walk(page), '/')
    const before = (await auditEvents(app.storage.db, workspace.workspaceId)).length
    const response = await page.get('/api/auth/callback/oidc?error=access_denied')
    assert.equal(response.headers.get('location'), '/login?error=oidc_failed')
    assert.equal((await auditEvents(app.storage.db, workspace.workspaceId)).length, before)
  })

  test('refuses to be finished in another browser, or to lead to another site', async () => {
    provider.claims = { sub: 'dan-1', email: 'dan@example.com', email_verified: true }
    const started = await browser(app.url).post('/api/auth/sign-in/oidc', {})
    const { url } = (await started.json()) as { url: string }
    const back = await fetch(url, { redirect: 'manual' })
    const other = browser(app.url)
    const response = await other.get(back.headers.get('location')!)
    assert.equal(response.headers.get('location'), '/login?error=oidc_failed')
    assert.equal((await other.get('/api/me')).status, 401)
    for (const returnTo of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '/\t/evil.example',
      // What cannot be in a header would be found out only on the way back.
      '/décisions',
    ])
      assert.equal((await other.post('/api/auth/sign-in/oidc', { returnTo })).status, 400, returnTo)
  })
})
