import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { surveyFeature } from '@signalbox/contract/runner/messages.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { testApp } from '../../test/app.ts'
import { aMember, aPolicy, aStory, aTeam, aToken, aWorkspace } from '../../test/factories.ts'
import { aRepository, TestRunner } from '../../test/runner.ts'
import { listAudit } from '../audit/list.ts'
import { asService } from '../context.ts'
import { setRepository } from '../repositories/set.ts'
import { listStuckRuns } from '../runs/list-stuck.ts'
import { dispatchTeam } from './dispatch.ts'
import { readMaintenance } from './read-maintenance.ts'
import { startSurvey } from './start-survey.ts'

let app: Awaited<ReturnType<typeof testApp>>
before(async () => {
  app = await testApp()
})
after(() => app.stop())

async function aPlace() {
  const owner = await aMember(await aWorkspace(app.storage.db), 'owner')
  const { token } = await aToken(owner)
  const runner = new TestRunner(app.url, token, { features: [surveyFeature] })
  await runner.register()
  const aTeamAtWork = async () => {
    const team = await aTeam(owner)
    await aPolicy(owner, team, 'autonomous')
    await aRepository(owner, team)
    return team
  }
  const dispatch = (team: { id: string }) =>
    dispatchTeam(asService(owner, owner.workspaceId), team.id, { serves: () => false })
  const offer = async (team: Awaited<ReturnType<typeof aTeam>>) => {
    await aStory(owner, team)
    assert.equal(await dispatch(team), 1)
  }
  const causes = async () =>
    (await listAudit(owner, {}, { limit: 100, after: null })).data
      .map(fromJson)
      .map(({ details, actor }) => ({ cause: details.cause, by: actor.type }))
  return { owner, runner, aTeamAtWork, offer, dispatch, causes }
}

test('an order whose repository was removed stands in nobody’s way: the next is given in the same call, and the run says why it waits', async () => {
  const { owner, runner, aTeamAtWork, offer, dispatch, causes } = await aPlace()
  const [gone, kept] = [await aTeamAtWork(), await aTeamAtWork()]
  await offer(gone)
  await offer(kept)
  await setRepository(owner, null, gone.slug, null)
  const order = await runner.acquire()
  assert.equal(order?.team, kept.slug)
  const [stuck] = await listStuckRuns(owner)
  assert.equal(stuck?.reason, 'The team has no repository.')
  assert.ok((await causes()).some(({ cause, by }) => cause === 'no_runner' && by === 'service'))
  assert.equal(await runner.acquire(randomUUID(), 0), null)
  // As soon as there is one again, it goes on.
  await aRepository(owner, gone)
  await dispatch(gone)
  assert.equal((await runner.acquire())?.team, gone.slug)
})

test('whoever asks again for an order whose repository was removed meanwhile is given the next', async () => {
  const { owner, runner, aTeamAtWork, offer } = await aPlace()
  const [gone, kept] = [await aTeamAtWork(), await aTeamAtWork()]
  await offer(gone)
  const ask = randomUUID()
  assert.equal((await runner.acquire(ask))?.team, gone.slug)
  await offer(kept)
  await setRepository(owner, null, gone.slug, null)
  assert.equal((await runner.acquire(ask))?.team, kept.slug)
})

test('a survey whose repository was removed ends and says so', async () => {
  const { owner, runner, aTeamAtWork } = await aPlace()
  const team = await aTeamAtWork()
  await startSurvey(owner, team.slug)
  await setRepository(owner, null, team.slug, null)
  assert.equal(await runner.acquire(randomUUID(), 0), null)
  const [survey] = (await readMaintenance(owner, team.slug)).surveys
  assert.deepEqual([survey?.status, survey?.error], ['failed', 'The team has no repository.'])
})
