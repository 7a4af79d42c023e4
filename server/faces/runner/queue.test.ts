import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Queue } from '@signalbox/contract/runner/queue.ts'
import { sql } from 'kysely'
import { startRace } from '../../domain/engine/supervision/start-race.ts'
import { housekeeping } from '../../domain/record/audit/change.ts'
import { setRepositories } from '../../domain/work/repositories/set.ts'
import { pauseTeam } from '../../domain/work/teams/pause.ts'
import { testApp } from '../../test/app.ts'
import { aRepository, TestRunner } from '../../test/engine/runner.ts'
import { aMember, aPolicy, aStory, aTeam, aToken, aWorkspace } from '../../test/factories.ts'
import { tables } from '../../test/tables.ts'

let app: Awaited<ReturnType<typeof testApp>>
before(async () => {
  app = await testApp()
})
after(() => app.stop())

async function aPlace() {
  const owner = await aMember(await aWorkspace(app.storage.db), 'owner')
  const { token } = await aToken(owner, ['read'])
  const ask = async (query = '') => {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${app.url}/runner/v1/queue${query}`, { headers })
    assert.equal(response.status, 200, await response.clone().text())
    return (await response.json()) as Queue
  }
  const withStories = async (stories: number, policy: object) => {
    const team = await aTeam(owner)
    const budgets = { runCents: 500, dayCents: null, monthCents: null }
    await aPolicy(owner, team, 'autonomous', { maxConcurrency: 2, budgets, ...policy })
    await aRepository(owner, team)
    for (let n = 0; n < stories; n += 1) await aStory(owner, team)
    return team
  }
  return { owner, token, ask, withStories }
}

test('without any runner the queue counts what would begin if there were one, and says what the rest waits for', async () => {
  const { owner, ask, withStories } = await aPlace()
  assert.deepEqual(await ask(), { waiting: 0, working: 0, wanted: 0, orders: [] })
  await withStories(3, {})
  const poor = { runCents: 500, dayCents: 700, monthCents: null }
  await withStories(3, { runnerLabels: ['gpu'], maxConcurrency: 5, budgets: poor })
  const { slug } = await withStories(2, {})
  await pauseTeam(owner, slug)
  const queue = await ask('?labels=gpu')
  assert.deepEqual([queue.waiting, queue.working, queue.wanted], [3, 0, 3])
  const told = queue.orders.map(({ labels, why, count }) => [labels.join(), why, count])
  assert.deepEqual(
    told.toSorted(),
    [
      ['', 'pause', 2],
      ['', 'runner', 2],
      ['', 'slots', 1],
      ['gpu', 'money', 2],
      ['gpu', 'runner', 1],
    ].toSorted(),
  )
})

test('the queue of a fleet has what its labels and agents can take, and nothing else', async () => {
  const { ask, withStories } = await aPlace()
  await withStories(1, {})
  await withStories(1, { runnerLabels: ['gpu', 'linux'] })
  const wanted = async (query: string) => (await ask(query)).wanted
  assert.equal(await wanted(''), 1)
  assert.equal(await wanted('?labels=gpu'), 1)
  assert.equal(await wanted('?labels=linux,gpu,big'), 2)
  assert.equal(await wanted('?agents=scripted&labels=linux,gpu'), 2)
  assert.equal(await wanted('?agents=codex,claude_code'), 0)
})

test('a race that waits for a runner counts for the fleet of the agent whose turn it is', async () => {
  const { owner, ask, withStories } = await aPlace()
  const team = await withStories(1, { maxConcurrency: 1 })
  const story = await aStory(owner, team)
  // As long as there is no repository, the worker in this process would do it; so it can be started.
  await setRepositories(owner, null, team.slug, [])
  const { run } = await startRace(owner, { serves: () => true }, story.key, ['codex', 'gemini'])
  await aRepository(owner, team)
  const told = async () => (await ask()).orders.map(({ agent, why, count }) => [agent, why, count])
  assert.deepEqual(await told(), [
    ['codex', 'runner', 1],
    ['scripted', 'slots', 1],
  ])
  assert.equal((await ask('?agents=codex')).wanted, 1)
  await housekeeping(app.storage.db, 'the turn of the other', (tx) =>
    sql`update runs set memory = jsonb_set(memory, '{race,at}', '1') where key = ${run}`.execute(tables(tx)),
  )
  assert.deepEqual(
    (await told()).map(([agent]) => agent),
    ['gemini', 'scripted'],
  )
  assert.equal((await ask('?agents=codex')).wanted, 0)
})

test('an order is wanted from its offer to its end, and an ephemeral runner is not asked for twice', async () => {
  const { token, ask, withStories } = await aPlace()
  await withStories(1, {})
  const runner = new TestRunner(app.url, token, { features: ['ephemeral'], slots: 1 })
  await runner.register()
  const order = (await runner.acquire())!
  assert.deepEqual(await ask(), { waiting: 0, working: 1, wanted: 1, orders: [] })
  await runner.call('leave')
  const { waiting, working } = await ask()
  assert.deepEqual([waiting, working], [1, 0], 'handed back')
  assert.ok(order)
})

test('the queue is for tokens of the workspace, and a parameter that does not exist is refused', async () => {
  const { token } = await aPlace()
  const ask = (query: string, headers = {}) => fetch(`${app.url}/runner/v1/queue${query}`, { headers })
  assert.equal((await ask('')).status, 401)
  const mistyped = await ask('?label=gpu', { authorization: `Bearer ${token}` })
  assert.equal(mistyped.status, 400)
  assert.match(await mistyped.text(), /label.*labels, agents/)
})
