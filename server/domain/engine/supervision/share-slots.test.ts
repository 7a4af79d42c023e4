import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { testApp } from '../../../test/app.ts'
import { aRepository, TestRunner } from '../../../test/engine/runner.ts'
import { aMember, aPolicy, aStory, aTeam, aToken, aWorkspace } from '../../../test/factories.ts'

let app: Awaited<ReturnType<typeof testApp>>
before(async () => {
  app = await testApp()
})
after(() => app.stop())

/** Teams each of which could fill every slot. */
async function aPlace(teams: number, storiesEach: number) {
  const owner = await aMember(await aWorkspace(app.storage.db), 'owner')
  const { token } = await aToken(owner)
  const slugs: string[] = []
  for (let n = 0; n < teams; n += 1) {
    const team = await aTeam(owner)
    await aPolicy(owner, team, 'autonomous', { maxConcurrency: 9 })
    await aRepository(owner, team)
    for (let story = 0; story < storiesEach; story += 1) await aStory(owner, team)
    slugs.push(team.slug)
  }
  return { token, slugs: slugs.sort() }
}

const failed = { type: 'failed', failureClass: 'persistent', error: 'It cannot be done.' } as const

test('a slot that one team leaves is given to the next that waits at once, in turn', async () => {
  const { token, slugs } = await aPlace(3, 2)
  const runner = new TestRunner(app.url, token, { slots: 1 })
  await runner.register()
  const served: string[] = []
  for (let n = 0; n < 6; n += 1) {
    const order = await runner.acquire(randomUUID(), 20)
    assert.ok(order, `the slot is idle after ${served.join(', ') || 'registering'}`)
    served.push(order.team)
    await runner.report(order, [1, failed])
  }
  // Two that share out slots in the same moment may give a team its next turn early, but no team is left out for it.
  assert.deepEqual([...new Set(served.slice(0, 4))].sort(), slugs, served.join(', '))
  assert.deepEqual(served.toSorted(), [...slugs, ...slugs].sort())
})

test('no team takes all the slots of a runner that has just come while others wait', async () => {
  const { token, slugs } = await aPlace(3, 4)
  const runner = new TestRunner(app.url, token, { slots: 3 })
  await runner.register()
  const served: string[] = []
  for (let n = 0; n < 3; n += 1) served.push((await runner.acquire(randomUUID(), 20))!.team)
  assert.deepEqual(served.sort(), slugs)
})
