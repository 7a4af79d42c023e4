import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { InvitationShown, SignInWays } from '@signalbox/contract/app/sign-in.ts'
import { acceptInvitation } from '../../domain/accounts/invitations/accept.ts'
import { inviteMember } from '../../domain/accounts/invitations/invite.ts'
import { listInvitations } from '../../domain/accounts/invitations/list.ts'
import { revokeInvitation } from '../../domain/accounts/invitations/revoke.ts'
import { addPerson } from '../../domain/accounts/workspaces/add-person.ts'
import { changeRole } from '../../domain/accounts/workspaces/change-role.ts'
import { removeMember } from '../../domain/accounts/workspaces/remove-member.ts'
import { isSetUpNeeded, setUpCode } from '../../domain/accounts/workspaces/set-up.ts'
import { smtpMailer } from '../../integrations/mail/smtp.ts'
import { testApp } from '../../test/app.ts'
import { auditEvents } from '../../test/audit-events.ts'
import { browser } from '../../test/browser.ts'
import { aMember, aWorkspace } from '../../test/factories.ts'
import { mailHost } from '../../test/hosts/mail-host.ts'
import { until } from '../../test/until.ts'

const password = 'correct horse battery'

describe('the first run', () => {
  test('needs the code that the server prints, and of two at once one is the owner', async () => {
    const app = await testApp()
    try {
      const page = browser(app.url)
      const ways = (await (await page.get('/api/sign-in')).json()) as SignInWays
      assert.deepEqual(ways, { passkey: true, oidc: null, mail: false, setup: true })
      assert.deepEqual(await (await page.get('/api/setup')).json(), { needed: true })
      const input = (name: string, code = setUpCode(app.storage.secrets)) => ({
        code,
        name,
        email: `${name}@example.com`,
        password,
        workspace: { name: 'Acme', slug: `acme-${name}` },
      })
      assert.equal((await page.post('/api/setup', input('eve', 'guessed'))).status, 401)
      assert.equal(
        (await page.post('/api/setup', input('eve'), { origin: 'https://evil.example' })).status,
        403,
      )
      assert.equal(await isSetUpNeeded(app.storage.db), true)

      const pages = [browser(app.url), browser(app.url)] as const
      const responses = await Promise.all([
        pages[0].post('/api/setup', input('ana')),
        pages[1].post('/api/setup', input('bo')),
      ])
      assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 409])
      const winner = responses[0].status === 200 ? pages[0] : pages[1]
      const me = (await (await winner.get('/api/me')).json()) as { workspaces: { role: string }[] }
      assert.deepEqual(
        me.workspaces.map(({ role }) => role),
        ['owner'],
      )
      const { rows } = await app.storage.pool.query('select id from workspaces')
      assert.equal(rows.length, 1)
      assert.deepEqual(
        (await auditEvents(app.storage.db, rows[0].id)).map(({ event }) => event),
        ['workspace_created', 'member_joined', 'signed_in'],
      )
      assert.equal((await page.post('/api/setup', input('eve'))).status, 409)
      assert.deepEqual(await (await page.get('/api/setup')).json(), { needed: false })
    } finally {
      await app.stop()
    }
  })

  test('is not put off by a stranger who guesses from elsewhere, and who guesses on is refused', async () => {
    const app = await testApp({ env: { TRUST_PROXY: '127.0.0.1' } })
    try {
      const page = browser(app.url)
      const setUpFrom = async (address: string, code: string) => {
        const workspace = { name: 'Acme', slug: 'acme' }
        const input = { code, name: 'Ana', email: 'ana@example.com', password, workspace }
        const from = { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' }
        return (await page.post('/api/setup', input, { origin: app.url, ...from })).status
      }
      const guesses = []
      for (let n = 0; n < 51; n += 1) guesses.push(await setUpFrom('203.0.113.7', `guess ${n}`))
      assert.deepEqual([new Set(guesses.slice(0, 50)), guesses[50]], [new Set([401]), 429])
      assert.equal(await setUpFrom('198.51.100.1', setUpCode(app.storage.secrets)), 200)
    } finally {
      await app.stop()
    }
  })
})

describe('an invitation', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  const tools = () => ({ mailer: null, publicUrl: () => app.url })
  const codeIn = (link: string) => link.split('/invite/')[1]!
  before(async () => {
    app = await testApp()
  })
  after(() => app.stop())

  test('lets someone new in under its address, once', async () => {
    const workspace = await aWorkspace(app.storage.db)
    const admin = await aMember(workspace, 'admin')
    const invited = await inviteMember(admin, { email: 'New@Example.com', role: 'member' }, tools())
    assert.equal(invited.mailed, false)
    const code = codeIn(invited.link)
    const kept = await app.storage.pool.query('select * from invitations where id = $1', [invited.id])
    assert.ok(!JSON.stringify(kept.rows).includes(code))
    assert.deepEqual(
      (await listInvitations(admin)).map(({ email, role, invitedBy }) => [email, role, invitedBy]),
      [['new@example.com', 'member', 'A admin']],
    )
    const page = browser(app.url)
    const shown = (await (await page.get(`/api/invitations/${code}`)).json()) as InvitationShown
    assert.deepEqual(shown, {
      workspace: { slug: workspace.slug, name: workspace.slug },
      role: 'member',
      email: 'new@example.com',
      exists: false,
    })
    assert.equal((await page.post(`/api/invitations/${code}/accept`, {})).status, 400)
    const accepted = await page.post(`/api/invitations/${code}/accept`, { name: 'Newt', password })
    assert.equal(accepted.status, 200)
    assert.deepEqual(await accepted.json(), { workspace: workspace.slug })
    assert.equal((await page.get('/api/me')).status, 200, 'and is signed in')
    assert.equal((await page.get(`/api/invitations/${code}`)).status, 404)
    assert.deepEqual(await listInvitations(admin), [])
    assert.deepEqual(
      (await auditEvents(app.storage.db, workspace.workspaceId)).slice(-3).map(({ event }) => event),
      ['member_invited', 'member_joined', 'signed_in'],
    )
    await assert.rejects(
      inviteMember(admin, { email: 'new@example.com', role: 'member' }, tools()),
      /already/,
    )
  })

  test('asks someone we know to sign in as who is invited', async () => {
    const [first, second] = [await aWorkspace(app.storage.db), await aWorkspace(app.storage.db)]
    const email = 'known@example.com'
    await addPerson(first, { email, name: 'Known', role: 'member', password })
    const owner = await aMember(second, 'owner')
    const code = codeIn((await inviteMember(owner, { email, role: 'admin' }, tools())).link)
    const page = browser(app.url)
    const refused = await page.post(`/api/invitations/${code}/accept`, { name: 'Eve', password })
    assert.equal(refused.status, 401)
    await page.post('/api/auth/sign-in/email', { email, password })
    assert.equal((await page.post(`/api/invitations/${code}/accept`, {})).status, 200)
    const me = (await (await page.get('/api/me')).json()) as { workspaces: { slug: string; role: string }[] }
    assert.equal(me.workspaces.find(({ slug }) => slug === second.slug)?.role, 'admin')
  })

  test('is accepted by one of two who try at once', async () => {
    const workspace = await aWorkspace(app.storage.db)
    const code = codeIn(
      (await inviteMember(workspace, { email: 'two@example.com', role: 'member' }, tools())).link,
    )
    const accept = (name: string) => acceptInvitation(workspace, code, { signedIn: null, name, password })
    const results = await Promise.allSettled([accept('One'), accept('Two')])
    assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  })

  test('ends when it is revoked, replaced or a week old, and only an owner makes owners', async () => {
    const workspace = await aWorkspace(app.storage.db)
    const [admin, member] = [await aMember(workspace, 'admin'), await aMember(workspace, 'member')]
    await assert.rejects(inviteMember(member, { email: 'a@example.com', role: 'member' }, tools()), /role/)
    await assert.rejects(inviteMember(admin, { email: 'a@example.com', role: 'owner' }, tools()), /owner/)
    await assert.rejects(listInvitations(member), /role/)
    const page = browser(app.url)
    const status = async (link: string) => (await page.get(`/api/invitations/${codeIn(link)}`)).status
    const one = await inviteMember(admin, { email: 'a@example.com', role: 'member' }, tools())
    const two = await inviteMember(admin, { email: 'a@example.com', role: 'member' }, tools())
    assert.deepEqual([await status(one.link), await status(two.link)], [404, 200])
    await revokeInvitation(admin, two.id)
    assert.equal(await status(two.link), 404)
    await assert.rejects(revokeInvitation(admin, two.id), /no invitation/)
    const old = await inviteMember(admin, { email: 'b@example.com', role: 'member' }, tools())
    await app.storage.pool.query(
      `update invitations set expires_at = now() - interval '1 second' where id = $1`,
      [old.id],
    )
    assert.equal(await status(old.link), 404)
  })

  test('is worth nothing once its maker is gone or may not give that role any more', async () => {
    const workspace = await aWorkspace(app.storage.db)
    const [owner, other] = [await aMember(workspace, 'owner'), await aMember(workspace, 'owner')]
    const page = browser(app.url)
    const accept = (link: string) =>
      page.post(`/api/invitations/${codeIn(link)}/accept`, { name: 'Eve', password })
    const asOwner = await inviteMember(other, { email: 'eve-1@example.com', role: 'owner' }, tools())
    const asMember = await inviteMember(other, { email: 'eve-2@example.com', role: 'member' }, tools())
    await changeRole(owner, other.personId, 'admin')
    assert.equal((await accept(asOwner.link)).status, 404)
    assert.deepEqual(
      (await listInvitations(owner)).map(({ email }) => email),
      ['eve-2@example.com'],
    )
    await removeMember(owner, other.personId)
    assert.equal((await accept(asMember.link)).status, 404)
    assert.deepEqual(await listInvitations(owner), [])
  })
})

test('mail: an invitation proves its address, and a forgotten password is reset by a link that works once', async (t) => {
  const host = await mailHost(t)
  const app = await testApp({
    env: { SMTP_URL: `smtp://127.0.0.1:${host.settings.port}`, MAIL_FROM: 'Signalbox <a@example.com>' },
  })
  try {
    const workspace = await aWorkspace(app.storage.db)
    const email = 'mailed@example.com'
    const tools = { mailer: smtpMailer(host.settings), publicUrl: () => app.url }
    const invited = await inviteMember(workspace, { email, role: 'member' }, tools)
    assert.equal(invited.mailed, true)
    const code = /\/invite\/(\S+)/.exec(host.arrived[0]!.text)![1]!
    assert.notEqual(code, invited.link.split('/invite/')[1], 'the mail has a code of its own')
    const page = browser(app.url)
    assert.equal((await page.post(`/api/invitations/${code}/accept`, { name: 'M', password })).status, 200)
    const verified = async () =>
      (await app.storage.pool.query('select email_verified from people where email = $1', [email])).rows[0]
        .email_verified
    assert.equal(await verified(), true)

    const stranger = browser(app.url)
    const asked = [
      await stranger.post('/api/auth/request-password-reset', { email: 'nobody@example.com' }),
      await stranger.post('/api/auth/request-password-reset', { email }),
    ]
    assert.deepEqual(await Promise.all(asked.map((response) => response.json())), [
      { ok: true },
      { ok: true },
    ])
    await until('the mail has arrived', () => host.arrived.length === 2)
    assert.deepEqual(host.arrived[1]!.to, [email])
    const token = /\/login\/reset\?token=(\S+)/.exec(host.arrived[1]!.text)![1]!
    const { rows } = await app.storage.pool.query('select identifier from verifications')
    assert.ok(!rows.some(({ identifier }) => identifier.includes(token)))
    const reset = { token, newPassword: 'quite another one' }
    assert.equal((await stranger.post('/api/auth/reset-password', reset)).status, 200)
    assert.equal((await stranger.post('/api/auth/reset-password', reset)).status, 400, 'once')
    assert.equal((await page.get('/api/me')).status, 401, 'sessions have ended')
    assert.equal((await page.post('/api/auth/sign-in/email', { email, password })).status, 401)
    assert.equal(
      (await page.post('/api/auth/sign-in/email', { email, password: 'quite another one' })).status,
      200,
    )
    const entry = (await auditEvents(app.storage.db, workspace.workspaceId)).find(
      ({ event }) => event === 'sign_in_method_changed',
    )!
    assert.deepEqual([entry.details.method, entry.details.action], ['password', 'reset'])
    for (const line of app.log) assert.ok(!line.includes(token) && !line.includes(code))
  } finally {
    await app.stop()
  }
})
