import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { after, before, test } from 'node:test'
import { checkLies, checkServer } from '../../../runner/conformance/against-server.ts'
import { lies } from '../../../runner/conformance/lying-runner.ts'
import { testApp } from '../../test/app.ts'
import { ABareRepository } from '../../test/engine/bare-repository.ts'
import { aRepository } from '../../test/engine/runner.ts'
import { aMember, aPolicy, aStory, aTeam, aToken, aWorkspace } from '../../test/factories.ts'

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

/** `lying-runner.long.test.ts` lies in every field; of the kit, FAULTS=all tells every lie (`npm run test:faults`). */
const told = process.env.FAULTS === 'all' ? lies : lies.filter((_, at) => at % 3 === 0)

test('a lie of the conformance kit is refused, ends its run, or is asked of a person', async (t) => {
  const repository = new ABareRepository()
  t.after(() => repository.remove())
  await repository.push('main', { 'README.md': 'Hello.\n' })
  const owner = await aMember(await aWorkspace(app.storage.db), 'owner')
  const team = await aTeam(owner)
  const budgets = { runCents: 100, dayCents: null, monthCents: null }
  await aPolicy(owner, team, 'autonomous', { maxConcurrency: 100, budgets })
  await aRepository(owner, team, repository.bare)
  for (let runs = 0; runs < told.length + 2; runs += 1) await aStory(owner, team)
  const { token } = await aToken(owner)
  const results = []
  for (const { name } of told) results.push(...(await checkLies(app.url, token, name)))
  assert.equal(results.length, told.length)
  assert.deepEqual(
    results.filter(({ breaches, skipped }) => breaches.length > 0 || skipped),
    [],
  )
})
