import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { writes } from '@signalbox/contract/app/index.ts'
import * as OTPAuth from 'otpauth'
import { createToken } from '../../domain/accounts/tokens/create.ts'
import { addPerson } from '../../domain/accounts/workspaces/add-person.ts'
import { allowNetworks } from '../../domain/accounts/workspaces/allow-networks.ts'
import { changeRole } from '../../domain/accounts/workspaces/change-role.ts'
import { testApp } from '../app.ts'
import { auditEvents } from '../audit-events.ts'
import { browser } from '../browser.ts'
import { aMember, aToken, aWorkspace } from '../factories.ts'
import { identityProvider } from '../hosts/identity-provider.ts'
import { signedIn } from '../signed-in.ts'
import { until } from '../until.ts'

/** Who is let in, from where, and what the log says of it. Tests sit where a trusted proxy would. */

const provider = await identityProvider()
const app = await testApp({
  env: {
    TRUST_PROXY: '127.0.0.1',
    MANAGEMENT_API: 'on',
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'signalbox',
    OIDC_CLIENT_SECRET: 'hush-hush-hush',
  },
})
after(async () => {
  await app.stop()
  await provider.stop()
})
const workspace = await aWorkspace(app.storage.db)

/** As a proxy sends it on, from a client at that address. */
const from = (address: string) => ({ 'x-forwarded-for': `203.0.113.99, ${address}`, origin: app.url })

test('what a person or a token did says from which address, and in which role at that moment', async () => {
  const owner = await aMember(workspace, 'owner')
  const admin = await aMember(workspace, 'admin')
  const { token } = await aToken(admin, ['read'])
  const page = await signedIn(app, { ...admin, slug: workspace.slug })
  const invited = { email: 'someone@example.com', role: 'member' }
  assert.equal((await page.write('members.invite', invited, from('2001:db8::7'))).status, 200)
  const renamed = await fetch(`${app.url}/api/account.rename`, {
    method: 'POST',
    headers: { cookie: page.cookie, 'content-type': 'application/json', ...from('198.51.100.7') },
    body: JSON.stringify({ name: 'Ada' }),
  })
  assert.equal(renamed.status, 200)
  const exported = await app.get('/v1/audit/export?format=json', token, { headers: from('198.51.100.8') })
  assert.equal(exported.status, 200)
  await exported.text()
  const wrong = { email: admin.email, password: 'not this one' }
  const refused = await browser(app.url).post('/api/auth/sign-in/email', wrong, from('198.51.100.9'))
  assert.equal(refused.status, 401)
  await changeRole(owner, admin.personId, 'member')

  const entries = async () => auditEvents(app.storage.db, workspace.workspaceId)
  await until('the attempt is in the log', async () =>
    (await entries()).some(({ event }) => event === 'sign_in_failed'),
  )
  const told = new Map((await entries()).map(({ event, details }) => [event, details.origin]))
  const origin = (event: string) => {
    const { address, role, presence } = (told.get(event as never) ?? {}) as Record<string, unknown>
    return { address, role, presence }
  }
  assert.deepEqual(origin('member_invited'), { address: '2001:db8::7', role: 'admin', presence: 'session' })
  assert.deepEqual(origin('member_renamed'), { address: '198.51.100.7', role: 'admin', presence: 'session' })
  assert.deepEqual(origin('audit_exported'), { address: '198.51.100.8', role: 'admin', presence: 'token' })
  // Who tried it is not known.
  assert.deepEqual(origin('sign_in_failed'), {
    address: '198.51.100.9',
    role: undefined,
    presence: undefined,
  })
})

const password = 'correct horse battery'
let people = 0

/** An owner in a browser, signed in so many minutes ago. */
async function anOwner(minutesAgo: number) {
  people += 1
  const email = `owner-${people}@example.com`
  const { id } = await addPerson(workspace, { email, name: 'An owner', role: 'owner', password })
  const page = browser(app.url)
  assert.equal((await page.post('/api/auth/sign-in/email', { email, password })).status, 200)
  const { pool } = app.storage
  const earlier =
    'update sessions set created_at = created_at - make_interval(mins => $2) where person_id = $1'
  await pool.query(earlier, [id, minutesAgo])
  const write = async (name: string, input: unknown = {}) => {
    const response = await page.post(`/api/w/${workspace.slug}/${name}`, input)
    const body = (await response.json()) as { error?: { code: string } } | null
    return body?.error?.code ?? response.status
  }
  const sessions = async () => (await pool.query('select from sessions where person_id = $1', [id])).rowCount
  const confirmed = async () =>
    (await auditEvents(app.storage.db, workspace.workspaceId))
      .filter(({ event, actor }) => event === 'identity_confirmed' && actor.userId === id)
      .map(({ details }) => details.method)
  return { id, email, page, write, sessions, confirmed }
}

const aNewToken = { name: 'CI', permissions: ['read'], expires: '30d' }

test('tokens, roles, secrets of connections and deletion need a proof that is minutes old', async () => {
  const asked = Object.entries(writes).filter(([, { needsProof }]) => needsProof)
  assert.deepEqual(asked.map(([name]) => name).sort(), [
    'chat.confirmLink',
    'connections.connect',
    'connections.disconnect',
    'connections.replaceCredentials',
    'connections.replaceSecret',
    'connections.startApp',
    'members.changeRole',
    'members.erase',
    'members.invite',
    'members.remove',
    'services.delete',
    'singleSignOn.createToken',
    'singleSignOn.mapGroup',
    'singleSignOn.require',
    'sources.delete',
    'teams.delete',
    'tokens.create',
    'webhooks.remove',
    'workspaces.allowNetworks',
    'workspaces.delete',
  ])
  const recent = await anOwner(14)
  assert.equal(await recent.write('tokens.create', aNewToken), 200)
  const owner = await anOwner(16)
  for (const [name] of asked) assert.equal(await owner.write(name), 'proof_required', name)
  assert.equal(await owner.write('workspaces.change', { name: 'Acme' }), 200)

  const wrong = await owner.page.post('/api/auth/prove/password', { password: 'not this one' })
  assert.equal(wrong.status, 401)
  assert.equal(await owner.write('tokens.create', aNewToken), 'proof_required')
  const cookies = new Map(owner.page.cookies)
  assert.equal((await owner.page.post('/api/auth/prove/password', { password })).status, 200)
  assert.equal(await owner.write('tokens.create', aNewToken), 200)
  assert.deepEqual([await owner.sessions(), owner.page.cookies], [1, cookies])
  assert.deepEqual(await owner.confirmed(), ['password'])
  const stranger = await browser(app.url).post('/api/auth/prove/password', { password })
  assert.equal(stranger.status, 401)
})

test('a passkey and a terminal, which let someone in for longer, need a proof that is minutes old', async () => {
  const start = async () =>
    (await (await browser(app.url).post('/api/auth/device/code', {})).json()) as {
      device_code: string
      user_code: string
    }
  const old = await anOwner(16)
  const { user_code: userCode, device_code } = await start()
  assert.equal((await old.page.get(`/api/auth/device?user_code=${userCode}`)).status, 200)
  const codeOf = async (response: Response) =>
    ((await response.json()) as { error?: { code: string } }).error?.code ?? response.status
  const asked = {
    approve: () => old.page.post('/api/auth/device/approve', { userCode }),
    options: () => old.page.get('/api/auth/passkey/generate-register-options'),
    register: () =>
      old.page.post('/api/auth/passkey/verify-registration', {
        response: { id: 'a', rawId: 'a', type: 'public-key', response: {} },
      }),
    remove: () => old.page.post('/api/auth/passkey/delete-passkey', { id: old.id }),
  }
  for (const [name, ask] of Object.entries(asked))
    assert.equal(await codeOf(await ask()), 'proof_required', name)
  const terminal = await browser(app.url).post('/api/auth/device/token', { device_code })
  assert.deepEqual(await terminal.json(), { signedIn: false, waiting: 'authorization_pending' })

  assert.equal((await old.page.post('/api/auth/prove/password', { password })).status, 200)
  assert.equal((await asked.approve()).status, 200)
  // The proof counts, however long ago the session began.
  await app.storage.pool.query(
    `update sessions set created_at = created_at - interval '3 days' where person_id = $1`,
    [old.id],
  )
  assert.equal((await asked.options()).status, 200)
})

test('a password is proof enough for a person with an authenticator app, and opens no second session', async () => {
  const owner = await anOwner(0)
  const enabled = await owner.page.post('/api/auth/two-factor/enable', { password })
  const { totpURI } = (await enabled.json()) as { totpURI: string }
  const code = (OTPAuth.URI.parse(totpURI) as OTPAuth.TOTP).generate()
  assert.equal((await owner.page.post('/api/auth/two-factor/verify-totp', { code })).status, 200)
  await app.storage.pool.query(
    `update sessions set created_at = created_at - interval '16 minutes' where person_id = $1`,
    [owner.id],
  )
  const before = await owner.sessions()
  assert.equal(await owner.write('tokens.create', aNewToken), 'proof_required')
  assert.equal((await owner.page.post('/api/auth/prove/password', { password })).status, 200)
  assert.equal(await owner.write('tokens.create', aNewToken), 200)
  assert.equal(await owner.sessions(), before)
})

test('a sign-in at the identity provider is proof if it is fresh there, and of the same person', async () => {
  const owner = await anOwner(16)
  const prove = async (claims: Record<string, unknown>) => {
    provider.claims = { sub: 'owner-1', email: owner.email, email_verified: true, ...claims }
    const started = await owner.page.post('/api/auth/prove/oidc', {})
    const { url } = (await started.json()) as { url: string }
    const asked = new URL(url).searchParams
    assert.deepEqual([asked.get('prompt'), asked.get('max_age')], ['login', '0'])
    const back = await fetch(url, { redirect: 'manual' })
    return owner.page.get(back.headers.get('location')!)
  }
  const now = () => Math.floor(Date.now() / 1000)
  const cookies = new Map(owner.page.cookies)
  const isSame = () => owner.page.cookies.get('signalbox') === cookies.get('signalbox')
  assert.equal((await prove({ auth_time: now() - 3_600 })).headers.get('location'), '/login/proven')
  assert.equal(await owner.write('tokens.create', aNewToken), 'proof_required', 'it knew them from before')
  assert.equal((await prove({})).status, 401)
  assert.equal(await owner.write('tokens.create', aNewToken), 'proof_required', 'it does not say when')
  const other = await anOwner(0)
  assert.equal((await prove({ sub: 'other-1', email: other.email, auth_time: now() })).status, 401)
  assert.equal(await owner.write('tokens.create', aNewToken), 'proof_required', 'it was someone else')
  assert.equal((await prove({ auth_time: now() })).headers.get('location'), '/login/proven')
  assert.equal(await owner.write('tokens.create', aNewToken), 200)
  assert.deepEqual([await owner.sessions(), isSame()], [1, true])
})

test('a workspace is used from its networks only, by sessions, tokens and runners, and no one locks themselves out', async () => {
  const fenced = await aWorkspace(app.storage.db)
  const admin = await aMember(fenced, 'admin')
  const { token } = await aToken(admin, ['read'])
  const page = await signedIn(app, { ...admin, slug: fenced.slug })
  const office = '198.51.100.7'
  const allow = (networks: string[], runnerNetworks: string[] = []) =>
    page.write('workspaces.allowNetworks', { networks, runnerNetworks }, from(office))
  const errorOf = async (response: Response) =>
    ((await response.json()) as { error?: { code: string; message: string } }).error

  // What was open before the list was made.
  const before = await fetch(`${app.url}/api/w/${fenced.slug}/events`, {
    headers: { cookie: page.cookie, ...from('203.0.113.1') },
  })
  assert.equal(before.status, 200)

  assert.match((await errorOf(await allow(['10.0.0.0/8'])))!.message, /198\.51\.100\.7.*lock yourself out/)
  for (const wrong of ['office', '10.0.0.0/33', '2001:db8::/129', '::ffff:10.0.0.1', '10.0.0.0/8/8'])
    assert.match((await errorOf(await allow([wrong])))!.message, /is not a network/)
  assert.equal((await allow(['198.51.100.0/24', '2001:db8::/32'], ['192.0.2.1'])).status, 200)

  const me = { headers: { cookie: page.cookie } }
  const managing = (
    await createToken(admin, {
      ...{ personId: admin.personId, name: 'Terraform', permissions: ['read'], expires: '30d' },
      manages: true,
    })
  ).token
  /** Closed again where it opened. */
  const stream = async (address: string) => {
    const leave = new AbortController()
    const headers = { ...me.headers, ...from(address) }
    const events = await fetch(`${app.url}/api/w/${fenced.slug}/events`, { headers, signal: leave.signal })
    if (events.status === 200) leave.abort()
    return events
  }
  const ways: Record<string, (address: string) => Promise<Response>> = {
    app: (address) =>
      fetch(`${app.url}/api/w/${fenced.slug}/teams.list`, {
        headers: { ...me.headers, ...from(address) },
      }),
    events: (address) => stream(address),
    rest: (address) => app.get('/v1/teams', token, { headers: from(address) }),
    manage: (address) => app.get('/manage/v1/teams', managing, { headers: from(address) }),
    mcp: (address) =>
      app.get('/mcp', token, {
        method: 'POST',
        headers: { ...from(address), 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
      }),
    runner: (address) =>
      app.get('/runner/v1/challenge', token, {
        method: 'POST',
        headers: { ...from(address), 'content-type': 'application/json' },
        body: '{}',
      }),
  }
  const isRefused = async (way: string, address: string) => {
    const response = await ways[way]!(address)
    return response.status === 403 && (await errorOf(response))!.code === 'address_not_allowed'
  }
  const refused = async (address: string) => {
    const found = []
    for (const way of Object.keys(ways)) if (await isRefused(way, address)) found.push(way)
    return found
  }
  assert.match(await before.text(), /event: me/)
  assert.deepEqual(await refused(office), ['runner'])
  assert.deepEqual(await refused('2001:db8::9'), ['runner'])
  assert.deepEqual(await refused('192.0.2.1'), ['app', 'events', 'rest', 'manage', 'mcp'])
  assert.deepEqual(await refused('203.0.113.1'), ['app', 'events', 'rest', 'manage', 'mcp', 'runner'])
  // What is about no workspace is not concerned.
  assert.equal((await fetch(`${app.url}/api/me`, me)).status, 200)

  await allowNetworks(fenced, { networks: [], runnerNetworks: [] })
  assert.deepEqual(await refused('203.0.113.1'), [])
  const changes = (await auditEvents(app.storage.db, fenced.workspaceId))
    .filter(({ event }) => event === 'workspace_changed')
    .map(({ details }) => (details.changes as { field: string; after: unknown }[])[0])
  assert.deepEqual(
    changes.map((change) => [change?.field, change?.after]),
    [
      ['networks', ['198.51.100.0/24', '2001:db8::/32']],
      ['networks', []],
    ],
  )
})
