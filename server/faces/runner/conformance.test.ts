import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { checkServer } from '../../../runner/conformance/against-server.ts'
import { testApp } from '../../test/app.ts'
import { aMember, aPolicy, aStory, aTeam, aToken, aWorkspace } from '../../test/factories.ts'
import { aRepository } from '../../test/runner.ts'

let app: Awaited<ReturnType<typeof testApp>>
before(async () => {
  app = await testApp()
})
after(() => app.stop())

test('the server does what the conformance kit asks of servers', async () => {
  const owner = await aMember(await aWorkspace(app.storage.db), 'owner')
  const team = await aTeam(owner)
  await aPolicy(owner, team, 'trial')
  await aRepository(owner, team)
  await aStory(owner, team)
  const results = await checkServer(app.url, (await aToken(owner)).token)
  assert.deepEqual(
    results.filter(({ breaches, skipped }) => breaches.length > 0 || skipped),
    [],
  )
  assert.ok(results.length > 15)
})
