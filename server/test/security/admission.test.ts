import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { changeRole } from '../../domain/accounts/workspaces/change-role.ts'
import { testApp } from '../app.ts'
import { auditEvents } from '../audit-events.ts'
import { browser } from '../browser.ts'
import { aMember, aToken, aWorkspace } from '../factories.ts'
import { signedIn } from '../signed-in.ts'
import { until } from '../until.ts'

/** Who is let in, from where, and what the log says of it. Tests sit where a trusted proxy would. */

const app = await testApp({ env: { TRUST_PROXY: '127.0.0.1' } })
after(() => app.stop())
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
