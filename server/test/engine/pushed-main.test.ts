import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { reportMain } from '../../domain/engine/lifecycle/report-main.ts'
import { checkMovedMains } from '../../domain/engine/surveys/check-moved-mains.ts'
import { readMaintenance } from '../../domain/engine/surveys/read-maintenance.ts'
import { listAudit } from '../../domain/record/audit/list.ts'
import { listDecisions } from '../../domain/work/decisions/list.ts'
import { keepPullRequests } from '../../domain/work/pull-requests/keep.ts'
import { mainLook } from '../../domain/work/repositories/main-look.ts'
import { setRepositories } from '../../domain/work/repositories/set.ts'
import { readTeamRow } from '../../domain/work/teams/list-rows.ts'
import { Jobs } from '../../infra/jobs/queue.ts'
import { LocalGitHost } from '../../integrations/git-hosts/local/local.ts'
import { testApp } from '../app.ts'
import { aMember, aPolicy, aTeam, aToken, aWorkspace } from '../factories.ts'
import { until } from '../until.ts'
import { ABareRepository } from './bare-repository.ts'
import { aRunner } from './real-runner.ts'

/** People push to the main branch of a folder on the server while nothing happens: the real runner, real git. */

const repository = new ABareRepository()
let app: Awaited<ReturnType<typeof testApp>>
let queue: Jobs
let owner: Awaited<ReturnType<typeof aMember>>
let runner: Awaited<ReturnType<typeof aRunner>>

before(async () => {
  const gates = 'gates:\n  - name: sound\n    run: "! grep -r broken src"\n'
  await repository.push('main', { 'src/a.txt': 'one\n', '.kanman/gates.yml': gates })
  app = await testApp({ env: { GIT_ALLOW: repository.folder } })
  queue = new Jobs({ pool: app.storage.pool, onError: () => {} })
  owner = { ...(await aMember(await aWorkspace(app.storage.db), 'owner')), queue }
  const { token } = await aToken(owner)
  runner = await aRunner({ url: app.url, token, gitFolder: repository.folder }, { isBoxed: false })
})
after(async () => {
  await runner.stop()
  await queue.stop()
  await app.stop()
  repository.remove()
})

test('a push of people that breaks main is found while nothing happens, and their fix is found too', async () => {
  const team = await aTeam(owner)
  await aPolicy(owner, team, 'trial', { isolation: 'none' })
  const folder = { name: 'halden/shop', address: repository.bare, branch: 'main' }
  await setRepositories(owner, null, team.slug, [folder])
  const { db } = app.storage
  const clock = { now: () => new Date() }
  const pullRequests = keepPullRequests({ db, clock })
  const host = new LocalGitHost({ allow: [repository.folder], pullRequests, clock, publicUrl: () => app.url })
  const look = () => checkMovedMains({ db, clock, queue }, host, assert.ifError)
  const known = async (state: 'green' | 'red') => {
    await look()
    await until(`main is known to be ${state}`, async () => {
      const found = await mainLook(db, owner.workspaceId, team.id, 'halden/shop')
      return found.commit === repository.tip('main') && found.state === state
    })
    return fromJson(await readTeamRow(owner, team.slug)).mainRedSince !== null
  }
  const first = repository.tip('main')!
  await reportMain(owner, team.slug, { state: 'green', commit: first, repository: folder.name })
  await look()
  const started = async () =>
    (await listAudit(owner, { event: 'survey_changed' }, { limit: 100, after: null })).data
      .map(fromJson)
      .filter(({ details }) => details.change === 'started')
      .map(({ entity, details }) => [entity.name, details.cause])
  const { name } = fromJson(await readTeamRow(owner, team.slug))
  const entry = [`Check of the main branch of ${name}`, 'push']
  assert.deepEqual(await started(), [], 'what has not moved is not looked at')

  await repository.push('main', { 'src/a.txt': 'broken\n' })
  assert.equal(await known('red'), true, 'merges are on hold')
  assert.deepEqual(await started(), [entry])
  const pending = async () =>
    (await listDecisions(owner, { status: 'pending', team: team.slug }, { limit: 10, after: null })).data.map(
      fromJson,
    )
  const [asked, ...others] = await pending()
  assert.deepEqual([asked?.kind, others], ['main_red_incident', []], 'no one’s merge is blamed')
  assert.match(asked!.body, /sound/)

  await repository.push('main', { 'src/a.txt': 'mended\n' })
  assert.equal(await known('green'), false)
  assert.deepEqual(await pending(), [])
  const { surveys, obstacle } = await readMaintenance(owner, team.slug)
  assert.deepEqual([surveys, obstacle], [[], null], 'none of it was a survey')
})
