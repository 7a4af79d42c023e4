import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { after, before, test } from 'node:test'
import { checkLies, checkServer } from '../../../runner/conformance/against-server.ts'
import { lies } from '../../../runner/conformance/lying-runner.ts'
import { testApp } from '../../test/app.ts'
import { ABareRepository } from '../../test/bare-repository.ts'
import { aMember, aPolicy, aStory, aTeam, aToken, aWorkspace } from '../../test/factories.ts'
import { aRepository } from '../../test/runner.ts'

let app: Awaited<ReturnType<typeof testApp>>
before(async () => {
  app = await testApp({ env: { GIT_ALLOW: tmpdir(), RATE_LIMIT_PER_MINUTE: '10000' } })
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

test('every lie of the conformance kit is refused, ends its run, or is asked of a person', async (t) => {
  const repository = new ABareRepository()
  t.after(() => repository.remove())
  await repository.push('main', { 'README.md': 'Hello.\n' })
  const owner = await aMember(await aWorkspace(app.storage.db), 'owner')
  const team = await aTeam(owner)
  const budgets = { runCents: 100, dayCents: null, monthCents: null }
  await aPolicy(owner, team, 'autonomous', { maxConcurrency: 100, budgets })
  await aRepository(owner, team, repository.bare)
  for (let runs = 0; runs < lies.length + 2; runs += 1) await aStory(owner, team)
  const results = await checkLies(app.url, (await aToken(owner)).token)
  assert.deepEqual(
    results.filter(({ breaches, skipped }) => breaches.length > 0 || skipped),
    [],
  )
})
