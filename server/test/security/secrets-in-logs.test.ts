import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { createScimToken } from '../../domain/accounts/provisioning/create-token.ts'
import { addSource } from '../../domain/on-call/sources/add.ts'
import { testApp } from '../app.ts'
import { aMember, aToken, aWorkspace } from '../factories.ts'
import { signedIn } from '../signed-in.ts'

const app = await testApp({ env: { LOG_LEVEL: 'trace' } })
after(() => app.stop())

test('no secret reaches the log, wherever a caller puts it', async () => {
  const { token } = await aToken(await aMember(await aWorkspace(app.storage.db), 'owner'))
  const canary = 'canary-5f2e9c'
  for (const [path, init] of [
    ['/v1/teams', {}],
    [`/v1/teams/${token}`, {}],
    [`/v1/teams?token=${token}`, {}],
    [`/v1/runs?cursor=${token}`, {}],
    [`/signals/${canary}?key=${canary}`, { method: 'POST', body: `{"password":"${canary}"}` }],
    [
      '/v1/teams',
      {
        headers: { cookie: `session=${canary}`, 'x-service-token': canary, 'x-request-id': `bad ${canary}` },
      },
    ],
    [`/%ff${canary}`, {}],
  ] as [string, RequestInit][]) {
    const response = await app.get(path, token, init)
    await response.body?.cancel()
  }
  await app.get('/v1/teams', canary).then((response) => response.body?.cancel())
  const log = app.log.join('')
  assert.ok(app.log.length > 5, 'there is a log')
  assert.ok(!log.includes(token), 'a token')
  assert.ok(!log.includes(canary), 'a canary')
  assert.ok(log.includes(token.slice(0, 11)), 'the prefix stays, to match lines to a token')
})

test('no secret reaches the log by the sign-in, invitations, hooks, SCIM, MCP, runners or the app', async () => {
  const workspace = await aWorkspace(app.storage.db)
  const owner = await aMember(workspace, 'owner')
  const scim = (await createScimToken(owner, { name: 'Okta', hasProvider: true })).token
  const page = await signedIn(app, { ...owner, slug: workspace.slug })
  const canary = 'canary-7c40de'
  const json = { 'content-type': 'application/json', origin: app.url }
  const post = (body: object, headers: Record<string, string> = {}): RequestInit => ({
    method: 'POST',
    headers: { ...json, ...headers },
    body: JSON.stringify(body),
  })
  const holding = (headers: Record<string, string>) => ({ headers })
  const ways: [string, RequestInit][] = [
    ['/api/auth/sign-in/email', post({ email: owner.email, password: canary })],
    ['/api/auth/two-factor/verify-totp', post({ code: canary })],
    ['/api/auth/reset-password', post({ token: canary, newPassword: canary })],
    ['/api/auth/device/token', post({ device_code: canary })],
    [`/api/auth/device?user_code=${canary}`, {}],
    [`/api/auth/callback/oidc?code=${canary}&state=${canary}&error=${canary}`, {}],
    ['/api/setup', post({ code: canary })],
    [`/setup?code=${canary}`, {}],
    [`/reset?token=${canary}`, {}],
    [`/invite/${canary}`, {}],
    [`/api/invitations/${canary}`, {}],
    [`/api/invitations/${canary}/accept`, post({ name: canary, password: canary })],
    [`/hooks/${canary}`, post({ secret: canary }, { 'x-hub-signature-256': `sha256=${canary}` })],
    [`/scim/v2/Users?filter=${canary}`, holding({ authorization: `Bearer ${scim}` })],
    ['/scim/v2/Users', holding({ authorization: `Bearer ${scim.slice(0, -1)}~` })],
    ['/scim/v2/Users', holding({ authorization: `Basic ${btoa(canary)}` })],
    ['/mcp', post({ jsonrpc: '2.0', id: 1, method: canary }, { authorization: `Bearer ${canary}` })],
    ['/runner/v1/register', post({ token: canary }, { authorization: `Bearer ${canary}` })],
    [
      `/runner/v1/orders/${canary}/1/repository.git/info/refs`,
      holding({ authorization: `Bearer ${canary}` }),
    ],
    ['/manage/v1/teams', holding({ authorization: `Bearer ${canary}` })],
    [`/api/w/${workspace.slug}/teams.list?token=${canary}`, holding({ cookie: page.cookie })],
    [
      `/api/w/${workspace.slug}/connections.connect`,
      post({ credentials: { token: canary } }, { cookie: page.cookie }),
    ],
    [
      `/api/w/${workspace.slug}/tokens.create`,
      post({ name: canary, secret: canary }, { cookie: page.cookie }),
    ],
  ]
  for (const [path, init] of ways) {
    const response = await fetch(app.url + path, { redirect: 'manual', ...init })
    assert.ok(response.status < 500, path)
    await response.body?.cancel()
  }
  const log = app.log.join('')
  const session = page.cookie.split('=')[1]!
  for (const word of [canary, btoa(canary), scim, session, session.split('.')[0]!])
    assert.ok(!log.includes(word), log.slice(Math.max(0, log.indexOf(word) - 300), log.indexOf(word) + 100))
})

test('neither the address of a source nor its key nor what it delivers reaches the log', async () => {
  const owner = await aMember(await aWorkspace(app.storage.db), 'owner')
  const added = await addSource(owner, app.storage.secrets, { kind: 'statuspage', name: 's', services: [] })
  const { token } = fromJson(added.source)
  const canary = 'canary-8d1b4a'
  for (const key of [added.secret!, canary]) {
    const body = JSON.stringify({ incident: { id: canary, name: canary, status: 'investigating' } })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${app.signalUrl}/${token}?key=${key}`, { method: 'POST', headers, body })
    assert.equal(response.status, key === canary ? 401 : 202)
    await response.body?.cancel()
  }
  const log = app.log.join('')
  for (const word of [token, added.secret!, canary]) assert.ok(!log.includes(word), word)
})

test('a request’s line has its id, workspace, actor, verb and milliseconds', async () => {
  const member = await aMember(await aWorkspace(app.storage.db), 'owner')
  const { token } = await aToken(member)
  const response = await app.get('/v1/decisions', token, { headers: { 'x-request-id': 'find-me' } })
  await response.body?.cancel()
  const line = app.log.map((text) => JSON.parse(text)).find((entry) => entry.requestId === 'find-me')
  assert.equal(line.workspace, member.workspaceId)
  assert.equal(line.actor, member.personId)
  assert.equal(line.verb, 'listDecisions')
  assert.equal(line.status, 200)
  assert.equal(typeof line.ms, 'number')
})
