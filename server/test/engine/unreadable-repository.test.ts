import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { asksFor, remedyIn } from '@signalbox/contract/remedy.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { readObstacles } from '../../domain/engine/orders/read-obstacles.ts'
import { housekeeping } from '../../domain/record/audit/change.ts'
import { setRepositories } from '../../domain/work/repositories/set.ts'
import { listStuckRuns } from '../../domain/work/runs/list-stuck.ts'
import { readRun } from '../../domain/work/runs/read.ts'
import { Jobs } from '../../infra/jobs/queue.ts'
import { testApp } from '../app.ts'
import { aMember, aPolicy, aStory, aTeam, aToken, aWorkspace } from '../factories.ts'
import { until } from '../until.ts'
import { ABareRepository } from './bare-repository.ts'
import { aRunner } from './real-runner.ts'

/** A repository that the runner may not read: the real runner, real git, one server. */

const repository = new ABareRepository()
const other = new ABareRepository()
const links = mkdtempSync(path.join(tmpdir(), 'signalbox-links-'))
const link = path.join(links, 'shop.git')
let app: Awaited<ReturnType<typeof testApp>>
let queue: Jobs
let owner: Awaited<ReturnType<typeof aMember>>
let token: string

before(async () => {
  for (const one of [repository, other]) await one.push('main', { 'src/a.txt': 'one\n' })
  // For the server it is in a folder that both may use; where it leads to, only the server may.
  symlinkSync(repository.bare, link)
  app = await testApp({ env: { GIT_ALLOW: `${repository.folder},${other.folder},${links}` } })
  queue = new Jobs({ pool: app.storage.pool, onError: () => {} })
  owner = { ...(await aMember(await aWorkspace(app.storage.db), 'owner')), queue }
  token = (await aToken(owner)).token
})
after(async () => {
  await queue.stop()
  await app.stop()
  repository.remove()
  other.remove()
  rmSync(links, { recursive: true })
})

const plan = { plan: 'Do it.', paths: ['src/a.txt'], risk: 'low', lines: 2 }
const script = { stories: { '*': { plan: [[{ result: 'plan.json', json: plan }]] } } }

async function aTeamWith(address: string) {
  const team = await aTeam(owner)
  await aPolicy(owner, team, 'trial', { isolation: 'none' })
  await setRepositories(owner, null, team.slug, [{ name: 'halden/shop', address, branch: 'main' }])
  return team
}

const wake = (team: { id: string }) =>
  housekeeping(app.storage.db, 'wake a team for a test', (tx) =>
    queue.send(tx, { task: 'team', workspaceId: owner.workspaceId, id: team.id }),
  )

test('a run whose repository the runner may not read waits in its first attempt, says why, and goes on once it may', async (t) => {
  const team = await aTeamWith(link)
  const stuck = async () => (await listStuckRuns(owner)).find((run) => run.team === team.slug)
  const first = await aRunner({ url: app.url, token, gitFolder: links })
  t.after(first.stop)
  await refusesToBegin()
  await aStory(owner, team)
  await wake(team)
  await until('the run says what it waits for', async () => (await stuck()) !== undefined)
  const { key, reason, phase } = (await stuck())!
  assert.equal(phase, 'queued')
  assert.match(reason, /^The repository cannot be read: The runner may not use /)
  assert.deepEqual(remedyIn(reason)?.line, `--git-folders ${link}`)
  const run = fromJson(await readRun(owner, key))
  assert.deepEqual([run.status, run.attempts, run.failureClass], ['queued', 1, null])
  const [said, line] = first.said.slice(-2)
  assert.equal(said, `${key}: waiting for its repository. ${reason}`)
  assert.equal(line, `Start this runner again with: --git-folders ${links},${link}`)
  await first.stop()

  const second = await aRunner({ url: app.url, token, gitFolder: `${links},${link}` }, { script })
  t.after(second.stop)
  await until('the same attempt asks about its plan', async () => {
    const { status, attempts } = fromJson(await readRun(owner, key))
    assert.equal(attempts, 1, second.said.join('\n'))
    return status === 'waiting'
  })
  assert.equal(await stuck(), undefined)
})

test('a run that waits for its repository is tried as soon as the team has another one', async (t) => {
  const team = await aTeamWith(link)
  const stuck = async () => (await listStuckRuns(owner)).find((run) => run.team === team.slug)
  const runner = await aRunner({ url: app.url, token, gitFolder: `${links},${other.folder}` }, { script })
  t.after(runner.stop)
  await aStory(owner, team)
  await wake(team)
  await until('the run waits', async () => (await stuck()) !== undefined)
  const { key } = (await stuck())!
  // As after many tries: on its own it would look again in a quarter of an hour.
  await app.storage.pool.query(`update runs set wake_at = now() + interval '15 minutes' where key = $1`, [
    key,
  ])
  await setRepositories(owner, null, team.slug, [
    { name: 'halden/shop', address: other.bare, branch: 'main' },
  ])
  await until('it asks about its plan', async () => fromJson(await readRun(owner, key)).status === 'waiting')
  assert.equal(await stuck(), undefined)
})

/** What no connected runner may use is not even begun, and says which option would help. */
async function refusesToBegin(): Promise<void> {
  const team = await aTeamWith(repository.bare)
  const reasons = async () =>
    (await readObstacles(owner, { serves: () => false }, { team: team.slug })).map(({ reason }) => reason)
  await until('the runner is there', async () => !(await reasons()).includes('No runner is connected.'))
  const folder = repository.bare
  assert.deepEqual(await reasons(), [
    `No connected runner can read the repository ${folder}. ${asksFor('--git-folders', folder)}`,
  ])
}
