import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { addSource } from '../../domain/on-call/sources/add.ts'
import { testApp } from '../app.ts'
import { aMember, aToken, aWorkspace } from '../factories.ts'

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
