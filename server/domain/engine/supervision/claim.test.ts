import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { imageFeature, surveyFeature } from '@signalbox/contract/runner/messages.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { testApp } from '../../../test/app.ts'
import { aRepository, TestRunner } from '../../../test/engine/runner.ts'
import { aMember, aPolicy, aStory, aTeam, aToken, aWorkspace } from '../../../test/factories.ts'
import { tables } from '../../../test/tables.ts'
import { asService } from '../../context.ts'
import { createService } from '../../on-call/services/create.ts'
import { addSource } from '../../on-call/sources/add.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { listAudit } from '../../record/audit/list.ts'
import { readBindings } from '../../work/bindings/read.ts'
import { changePolicy } from '../../work/policies/change.ts'
import { setRepositories } from '../../work/repositories/set.ts'
import { setInside } from '../../work/repositories/set-inside.ts'
import { listStuckRuns } from '../../work/runs/list-stuck.ts'
import { readWorkforce, unserved } from '../orders/workforce.ts'
import { readMaintenance } from '../surveys/read-maintenance.ts'
import { startSurvey } from '../surveys/start-survey.ts'
import { dispatchTeam } from './dispatch.ts'

let app: Awaited<ReturnType<typeof testApp>>
before(async () => {
  app = await testApp()
})
after(() => app.stop())

async function aPlace() {
  const owner = await aMember(await aWorkspace(app.storage.db), 'owner')
  const { id: tokenId, token } = await aToken(owner)
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
    const story = await aStory(owner, team)
    await dispatch(team)
    // No matter what gave it out: the server sweeps once a minute, too.
    const runs = await tables(owner.db)
      .selectFrom('runs')
      .select('id')
      .where('story_id', '=', story.id)
      .execute()
    assert.equal(runs.length, 1)
  }
  const causes = async () =>
    (await listAudit(owner, {}, { limit: 100, after: null })).data
      .map(fromJson)
      .map(({ details, actor }) => ({ cause: details.cause, by: actor.type }))
  return { owner, runner, tokenId, aTeamAtWork, offer, dispatch, causes }
}

test('an order whose repository was removed stands in no one’s way: the next is given in the same call, and the run says why it waits', async () => {
  const { owner, runner, aTeamAtWork, offer, dispatch, causes } = await aPlace()
  const [gone, kept] = [await aTeamAtWork(), await aTeamAtWork()]
  await offer(gone)
  await offer(kept)
  await setRepositories(owner, null, gone.slug, [])
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

test('a runner that asks again for an order whose repository was removed since is given the next', async () => {
  const { owner, runner, aTeamAtWork, offer } = await aPlace()
  const [gone, kept] = [await aTeamAtWork(), await aTeamAtWork()]
  await offer(gone)
  const ask = randomUUID()
  assert.equal((await runner.acquire(ask))?.team, gone.slug)
  await offer(kept)
  await setRepositories(owner, null, gone.slug, [])
  assert.equal((await runner.acquire(ask))?.team, kept.slug)
})

test('a survey whose repository was removed ends and says so', async () => {
  const { owner, runner, aTeamAtWork } = await aPlace()
  const team = await aTeamAtWork()
  await startSurvey(owner, team.slug)
  await setRepositories(owner, null, team.slug, [])
  assert.equal(await runner.acquire(randomUUID(), 0), null)
  const [survey] = (await readMaintenance(owner, team.slug)).surveys
  assert.deepEqual([survey?.status, survey?.error], ['failed', 'The team has no repository.'])
})

test('work that runs in an image is never given to a runner that can’t put one into its box, and its run says why it waits', async () => {
  const { owner, runner, aTeamAtWork, offer, dispatch } = await aPlace()
  const team = await aTeamAtWork()
  const { token } = await aToken(owner)
  const equipped = new TestRunner(
    app.url,
    token,
    { ...{ instance: randomUUID(), name: 'with-podman' }, features: [surveyFeature, imageFeature] },
    generateKeyPairSync('ed25519').privateKey,
  )
  const repository = 'halden/checkout-web'
  const image = `ghcr.io/halden/ci@sha256:${'a'.repeat(64)}`
  // Chosen after the order was offered: what is chosen when it is given out counts.
  await offer(team)
  await equipped.register()
  await setInside(owner, team.slug, { repository, inside: 'image', image })
  assert.equal(await runner.acquire(randomUUID(), 0), null)
  const ask = randomUUID()
  const order = await equipped.acquire(ask)
  assert.deepEqual([order?.team, order?.inside], [team.slug, { kind: 'image', image }])
  await startSurvey(owner, team.slug)
  assert.equal(await runner.acquire(randomUUID(), 0), null)
  // A runner that had an order and can’t do it any more does not get it again by asking under the same name.
  await setInside(owner, team.slug, { repository, inside: 'tools', image: null })
  await aStory(owner, team)
  await dispatch(team)
  const again = randomUUID()
  const plain = await runner.acquire(again)
  assert.equal(plain?.inside, undefined)
  await setInside(owner, team.slug, { repository, inside: 'devcontainer', image: null })
  assert.equal(await runner.acquire(again, 0), null)
  const entries = (await listAudit(owner, {}, { limit: 100, after: null })).data.map(fromJson)
  assert.deepEqual(
    entries.filter(({ event }) => event === 'team_changed').map(({ details }) => details.changes)[0],
    [{ field: 'repository.inside', before: 'tools', after: 'devcontainer' }],
  )
})

test('a run that waits for a runner with images says which runners have none', async () => {
  const { owner, aTeamAtWork, dispatch, runner } = await aPlace()
  const team = await aTeamAtWork()
  await setInside(owner, team.slug, {
    repository: 'halden/checkout-web',
    inside: 'devcontainer',
    image: null,
  })
  await aStory(owner, team)
  assert.equal(await dispatch(team), 0)
  const { name } = runner.registration
  const policy = { executor: 'claude_code', isolation: 'box' } as const
  const workforce = await readWorkforce(owner.db, owner.workspaceId, team.id, owner.clock.now(), {
    ...{ work: { serves: () => false }, executor: policy.executor },
  })
  assert.deepEqual(unserved(workforce, policy), {
    by: 'runner',
    reason: `The repository’s work runs in an image, and ${name} doesn’t have podman and bubblewrap working. Run signalbox-runner doctor there.`,
  })
})

test('only admins choose what the work runs in, among the team’s own repositories and names of images', async () => {
  const { owner, aTeamAtWork } = await aPlace()
  const team = await aTeamAtWork()
  const repository = 'halden/checkout-web'
  const member = await aMember(owner, 'member')
  const wanted = { repository, inside: 'image' as const, image: 'node:24' }
  await assert.rejects(setInside(member, team.slug, wanted), { code: 'insufficient_role' })
  for (const image of [null, '', 'dir:/etc', 'Node', '--help'])
    await assert.rejects(setInside(owner, team.slug, { ...wanted, image }), { code: 'invalid_request' })
  await assert.rejects(setInside(owner, team.slug, { ...wanted, repository: 'another' }), {
    code: 'invalid_request',
  })
  await setInside(owner, team.slug, wanted)
  // The same repository named again keeps it; another begins with the runner’s own tools.
  const folder = { address: '/srv/git/checkout-web.git', branch: 'main' }
  await setRepositories(owner, null, team.slug, [{ ...folder, name: 'renamed' }])
  const [kept] = (await readBindings(owner, team.slug)).repositories
  assert.deepEqual([kept?.name, kept?.inside, kept?.image], ['renamed', 'image', 'node:24'])
  await setRepositories(owner, null, team.slug, [
    { ...folder, name: 'renamed', address: '/srv/git/other.git' },
  ])
  const [other] = (await readBindings(owner, team.slug)).repositories
  assert.deepEqual([other?.inside, other?.image], ['tools', null])
})

test('the runner of a practice project is given nothing of another team’s', async () => {
  const { owner, runner, tokenId, aTeamAtWork, offer, dispatch } = await aPlace()
  const [practice, other] = [await aTeamAtWork(), await aTeamAtWork()]
  const story = await aStory(owner, practice)
  const { id: serviceId } = fromJson(await createService(owner, { name: 'Shop', team: practice.slug }))
  const { source } = await addSource(owner, app.storage.secrets, {
    ...{ kind: 'generic' as const, name: 'Alerts', services: [serviceId] },
  })
  await housekeeping(app.storage.db, 'a practice project, for a test', (tx) =>
    tables(tx)
      .insertInto('practice_projects')
      .values({
        ...{ workspace_id: owner.workspaceId, person_id: owner.personId, folder: 'x', token_id: tokenId },
        ...{
          team_id: practice.id,
          story_id: story.id,
          service_id: serviceId,
          source_id: fromJson(source).id,
        },
        made_at: new Date(),
      })
      .execute(),
  )
  await offer(other)
  await dispatch(practice)
  assert.equal((await runner.acquire())?.team, practice.slug)
  assert.equal(await runner.acquire(randomUUID(), 0), null)
})

test('a change that is to be reviewed is verified by a runner that has a reviewer, for as long as one might come', async () => {
  const { owner, runner, aTeamAtWork, offer } = await aPlace()
  const team = await aTeamAtWork()
  const policy = await changePolicy(owner, team.slug, {
    preset: 'autonomous',
    departures: { secondReview: { by: 'gemini', model: null, holdsMerge: false } },
  })
  await offer(team)
  const { rows } = await app.storage.pool.query(
    `update attempts a set stage = 'verifying' from runs r where r.id = a.run_id and r.team_id = $1 returning a.run_id`,
    [team.id],
  )
  const { token } = await aToken(owner)
  const equipped = new TestRunner(
    app.url,
    token,
    {
      ...{ instance: randomUUID(), name: 'with-gemini' },
      executors: [...runner.registration.executors, { name: 'gemini', via: 'native', version: '1.0' }],
    },
    generateKeyPairSync('ed25519').privateKey,
  )
  await equipped.register()
  assert.equal(await runner.acquire(randomUUID(), 0), null)
  await app.storage.pool.query(
    `update work_orders set offered_at = now() - interval '3 minutes' where run_id = $1 and state = 'offered'`,
    [rows[0].run_id],
  )
  const order = await runner.acquire(randomUUID(), 0)
  assert.deepEqual(order?.policy.secondReview, policy.secondReview)
})
