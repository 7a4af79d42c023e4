import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Me } from '@signalbox/contract/app/me.ts'
import { testApp } from '../../test/app.ts'
import { aMember, aToken, aWorkspace } from '../../test/factories.ts'
import { signedIn } from '../../test/signed-in.ts'

describe('the app’s own API', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  before(async () => {
    app = await testApp()
  })
  after(() => app.stop())

  test('knows a person by the session cookie', async () => {
    const workspace = await aWorkspace(app.storage.db)
    const member = { ...(await aMember(workspace, 'member')), slug: workspace.slug }
    const { cookie } = await signedIn(app, member)
    const answer = await fetch(`${app.url}/api/me`, { headers: { cookie } })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.deepEqual(((await answer.json()) as Me).workspaces, [
      { slug: workspace.slug, name: workspace.slug, role: 'member' },
    ])
  })

  test('never takes an API token', async () => {
    const workspace = await aWorkspace(app.storage.db)
    const { token } = await aToken(await aMember(workspace, 'owner'), ['admin'])
    const answer = await app.get('/api/me', token)
    assert.equal(answer.status, 401)
    assert.equal(((await answer.json()) as { error: { code: string } }).error.code, 'not_signed_in')
  })

  test('refuses a cookie whose signature is not ours', async () => {
    const workspace = await aWorkspace(app.storage.db)
    const member = { ...(await aMember(workspace, 'member')), slug: workspace.slug }
    const { cookie } = await signedIn(app, member)
    const forged = cookie.replace(/.(?=[^.]*$)/, 'x').slice(0, -6)
    assert.equal((await fetch(`${app.url}/api/me`, { headers: { cookie: forged } })).status, 401)
  })
})
