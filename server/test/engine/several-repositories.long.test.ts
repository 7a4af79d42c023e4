import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { PolicySettings } from '@signalbox/contract/app/policies.ts'
import type { Decision } from '@signalbox/contract/decision.ts'
import type { Run } from '@signalbox/contract/run.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { measureBox } from '../../../runner/box/measure.ts'
import type { Context } from '../../domain/context.ts'
import { resolveDecision } from '../../domain/engine/answers/resolve.ts'
import { readObstacles } from '../../domain/engine/orders/read-obstacles.ts'
import { dispatchTeam } from '../../domain/engine/supervision/dispatch.ts'
import { housekeeping } from '../../domain/record/audit/change.ts'
import { listAudit } from '../../domain/record/audit/list.ts'
import { readDiff } from '../../domain/work/changes/read.ts'
import { listDecisions } from '../../domain/work/decisions/list.ts'
import { packEvidence } from '../../domain/work/evidence/pack.ts'
import { verifyPack } from '../../domain/work/evidence/verify-pack.ts'
import { readRunPage } from '../../domain/work/runs/page/read.ts'
import { readRun } from '../../domain/work/runs/read.ts'
import { setStoryRepositories } from '../../domain/work/stories/set-repositories.ts'
import { Jobs } from '../../infra/jobs/queue.ts'
import { testApp } from '../app.ts'
import { aMember, aPolicy, aStory, aTeam, aToken, aWorkspace } from '../factories.ts'
import { tables } from '../tables.ts'
import { until } from '../until.ts'
import { ABareRepository } from './bare-repository.ts'
import { aRunner } from './real-runner.ts'
import { TestRunner } from './runner.ts'

/** A story in several repositories, from Ready to merged: the real server, the real runner, real git. */

/** Where there is one, the box holds several worktrees. */
const isBoxed = (await measureBox()).box.isolation.backend === 'bubblewrap'

const [api, web] = [new ABareRepository(), new ABareRepository()]
let app: Awaited<ReturnType<typeof testApp>>
let queue: Jobs
let owner: Awaited<ReturnType<typeof aMember>>
let token: string
let runner: Awaited<ReturnType<typeof aRunner>>

/** Each repository is checked by a gate of its own: no file may say `broken`. */
const gates = 'gates:\n  - name: sound\n    run: "! grep -r broken src"\n'

before(async () => {
  for (const [repository, name] of [
    [api, 'api'],
    [web, 'web'],
  ] as const)
    await repository.push('main', { 'src/name.txt': `${name}\n`, '.kanman/gates.yml': gates })
  app = await testApp({ env: { GIT_ALLOW: `${api.folder},${web.folder}` } })
  queue = new Jobs({ pool: app.storage.pool, onError: () => {} })
  owner = { ...(await aMember(await aWorkspace(app.storage.db), 'owner')), queue }
  token = (await aToken(owner)).token
  runner = await aRunner({ url: app.url, token, gitFolder: `${api.folder},${web.folder}` }, { isBoxed })
})
after(async () => {
  await runner.stop()
  await queue.stop()
  await app.stop()
  for (const repository of [api, web]) repository.remove()
})

/** Walks of a whole run that differ little from the others: with `npm run test:faults`. */
const rare = { skip: process.env.FAULTS === 'all' ? false : 'FAULTS=all walks it' }

const firstPage = { limit: 100, after: null }

/** A team with both, whose scripted agent does this. */
async function aTeamWithBoth(
  steps: object[],
  departures: Partial<PolicySettings> = {},
  ...later: object[][]
) {
  const plan = { plan: 'Do it.', paths: ['src/a.txt', 'halden/web:src/a.txt'], risk: 'low', lines: 2 }
  await runner.play({
    stories: { '*': { plan: [[{ result: 'plan.json', json: plan }]], implement: [steps, ...later] } },
  })
  const team = await aTeam(owner)
  await aPolicy(owner, team, 'trial', {
    ...{
      planApproval: 'never',
      mergePolicy: 'auto',
      acceptanceRequired: false,
      isolation: isBoxed ? 'box' : 'none',
    },
    ...departures,
  })
  await bindBoth(owner, team)
  return team
}

async function bindBoth({ workspaceId }: Context, team: { id: string }): Promise<void> {
  await housekeeping(app.storage.db, 'repositories for a test', async (tx) => {
    for (const [name, { bare }] of [
      ['halden/api', api],
      ['halden/web', web],
    ] as const)
      await tables(tx)
        .insertInto('team_repositories')
        .values({
          ...{ workspace_id: workspaceId, team_id: team.id, host: 'local', branch: 'main' },
          ...{ name, address: bare },
        })
        .execute()
  })
}

/** A story of theirs that is started, with its run once that is true. */
async function aStoryUntil(
  team: Awaited<ReturnType<typeof aTeam>>,
  what: string,
  isThere: (run: Run) => boolean,
  repositories: string[] | null = null,
): Promise<Run> {
  const story = await aStory(owner, team)
  await setStoryRepositories(owner, story.key, repositories)
  await housekeeping(app.storage.db, 'wake a team for a test', (tx) =>
    queue.send(tx, { task: 'team', workspaceId: owner.workspaceId, id: team.id }),
  )
  let found: Run | undefined
  await until(what, async () => {
    const { rows } = await app.storage.pool.query(
      'select r.key from runs r where r.workspace_id = $1 and r.story_id = $2',
      [owner.workspaceId, story.id],
    )
    if (!rows[0]) return false
    found = fromJson(await readRun(owner, rows[0].key))
    if (!isThere(found) && ['failed', 'stopped', 'timed_out'].includes(found.status))
      throw new Error(`It ended: ${JSON.stringify(found.attemptList)}\n${runner.said.join('\n')}`)
    return isThere(found)
  })
  return found!
}

const pending = async (run: string): Promise<Decision[]> =>
  (await listDecisions(owner, { status: 'pending', run }, firstPage)).data.map(fromJson)

const pullRequestsOf = async (run: string) =>
  (
    await app.storage.pool.query(
      `select p.repository, p.number, p.body, p.state, p.branch, p.head, p.merge_commit from pull_requests p
       join runs r on r.workspace_id = p.workspace_id and r.id = p.run_id
       where p.workspace_id = $1 and r.key = $2 order by p.repository, p.number`,
      [owner.workspaceId, run],
    )
  ).rows

test('a story is worked on in all repositories of its team, and merged together in the order of their names', async () => {
  const team = await aTeamWithBoth([
    { write: 'src/a.txt', text: 'one\n' },
    { write: '{halden/web}/src/a.txt', text: 'one\ntwo\n' },
  ])
  const run = await aStoryUntil(team, 'it is merged', ({ status }) => status === 'succeeded')
  assert.deepEqual([api.read('main', 'src/a.txt'), web.read('main', 'src/a.txt')], ['one', 'one\ntwo'])
  const [first, second, ...more] = await pullRequestsOf(run.key)
  assert.deepEqual(more, [])
  assert.deepEqual(
    [first, second].map(({ repository, state, branch }) => [repository, state, branch]),
    [
      ['halden/api', 'merged', `signalbox/${run.key}/1`],
      ['halden/web', 'merged', `signalbox/${run.key}/1`],
    ],
    'one branch name for all',
  )
  assert.match(first.body, new RegExp(`halden/web#${second.number}:`), 'each names the other')
  assert.match(second.body, new RegExp(`halden/api#${first.number}:`))
  assert.equal(run.pullRequest?.number, second.number, 'the one of the repository that changed most')
  const page = fromJson(await readRunPage(owner, run.key))
  assert.deepEqual(
    page.pullRequests.map(({ repository, number }) => [repository, number]),
    [
      ['halden/api', first.number],
      ['halden/web', second.number],
    ],
    'the page lists all',
  )

  const evidence = run.evidence!
  assert.equal(evidence.commit, second.head)
  assert.deepEqual(evidence.repositories, [
    { name: 'halden/api', commit: first.head, files: 1, additions: 1, deletions: 0 },
    { name: 'halden/web', commit: second.head, files: 1, additions: 2, deletions: 0 },
  ])
  assert.deepEqual(evidence.changes.paths, ['halden/api:src/a.txt', 'halden/web:src/a.txt'])
  assert.deepEqual(
    evidence.gates.map(({ name, result }) => [name, result]),
    [
      ['halden/api: sound', 'passed'],
      ['halden/web: sound', 'passed'],
    ],
  )

  const entries = (await listAudit(owner, { run: run.key }, firstPage)).data.map(fromJson)
  const merges = entries.filter(({ event }) => event === 'pull_request_merged').toReversed()
  assert.deepEqual(
    merges.map(({ details, result }) => {
      const { repository, head, commit } = details as Record<string, string>
      return [result, repository, head, commit]
    }),
    [
      ['success', 'halden/api', first.head, first.merge_commit],
      ['success', 'halden/web', second.head, second.merge_commit],
    ],
    'exactly what was verified, in this order',
  )
  const { publicKey } = app.storage.secrets.signing
  for (const { repository, head } of [first, second]) {
    let checked: ReturnType<typeof verifyPack> | undefined
    await until('its evidence is sealed', async () => {
      const pack = await packEvidence(owner, publicKey, run.key, repository).catch((error) => {
        if (error.code !== 'service_unavailable') throw error
        return null
      })
      if (pack) checked = verifyPack(JSON.parse(JSON.stringify(pack)), publicKey)
      return pack !== null
    })
    assert.ok(checked && !('findings' in checked), JSON.stringify(checked))
    assert.ok(JSON.stringify(checked).includes(head))
  }
})

test(
  'a repository that was not changed is left alone, and the pull request is the other one’s',
  rare,
  async () => {
    const main = api.tip('main')
    const team = await aTeamWithBoth([{ write: '{halden/web}/src/b.txt', text: 'only here\n' }])
    const run = await aStoryUntil(team, 'it is merged', ({ status }) => status === 'succeeded')
    assert.equal(web.read('main', 'src/b.txt'), 'only here')
    assert.deepEqual([api.tip('main'), api.tip(`signalbox/${run.key}/1`)], [main, null])
    const opened = await pullRequestsOf(run.key)
    assert.deepEqual(
      opened.map(({ repository, body }) => [repository, /several/.test(body)]),
      [['halden/web', false]],
    )
    assert.deepEqual(
      run.evidence?.gates.map(({ name }) => name),
      ['halden/web: sound'],
    )
  },
)

test('gates that fail in one repository send the whole change back to work, and nothing of it is pushed', async () => {
  const team = await aTeamWithBoth(
    [
      { write: 'src/c.txt', text: 'sound\n' },
      { write: '{halden/web}/src/c.txt', text: 'broken\n' },
    ],
    {},
    [{ write: '{halden/web}/src/c.txt', text: 'mended\n' }],
  )
  const run = await aStoryUntil(team, 'it is merged', ({ status }) => status === 'succeeded')
  assert.match(run.attemptList[0]?.error ?? '', /halden\/web: sound/)
  assert.deepEqual([api.tip(`signalbox/${run.key}/1`), web.tip(`signalbox/${run.key}/1`)], [null, null])
  assert.deepEqual([api.read('main', 'src/c.txt'), web.read('main', 'src/c.txt')], ['sound', 'mended'])
  const diff = await readDiff(owner, run.key)
  assert.deepEqual(
    diff?.files.map(({ path }) => path),
    ['halden/api:src/c.txt', 'halden/web:src/c.txt'],
    'the whole change is shown',
  )
})

test(
  'a person is asked about all pull requests at once, and one that can’t be merged holds the others back',
  rare,
  async () => {
    const team = await aTeamWithBoth(
      [
        { write: 'src/d.txt', text: 'ours\n' },
        { write: '{halden/web}/src/d.txt', text: 'ours\n' },
      ],
      { mergePolicy: 'ask' },
    )
    const run = await aStoryUntil(
      team,
      'the merge waits to be approved',
      ({ status }) => status === 'waiting',
    )
    const [asked] = await pending(run.key)
    assert.equal(asked?.kind, 'merge_approval')
    assert.match(asked.body, /`halden\/api` #\d+[\s\S]*`halden\/web` #\d+/)
    const main = api.tip('main')
    // By the time a person says yes, the second repository has moved on.
    await web.push('main', { 'src/d.txt': 'theirs\n' })
    await resolveDecision(owner, { key: asked.key, optionId: 'merge' })
    let again: Run
    await until('the work is done anew', async () => {
      again = fromJson(await readRun(owner, run.key))
      return again.attempts === 2 && again.status === 'waiting'
    })
    assert.equal(api.tip('main'), main, 'nothing was merged into the first')
    assert.match(
      again!.attemptList.at(-1)!.error ?? again!.attemptList[0]!.error ?? '',
      /halden\/web: it conflicts/,
    )
  },
)

test('a story may name the repositories that it is about, and only theirs', async () => {
  const main = api.tip('main')
  const team = await aTeamWithBoth([{ write: 'src/e.txt', text: 'named\n' }])
  const story = await aStory(owner, team, { column: 'backlog' })
  await assert.rejects(setStoryRepositories(owner, story.key, ['halden/docs']), {
    code: 'invalid_request',
    message: /halden\/docs is not one of them\. They are halden\/api, halden\/web\./,
  })
  const isDone = ({ status }: Run) => status === 'succeeded'
  const run = await aStoryUntil(team, 'it is merged', isDone, ['halden/web'])
  assert.equal(web.read('main', 'src/e.txt'), 'named', 'where the agent stands is the one that was named')
  assert.equal(api.tip('main'), main)
  assert.equal(run.evidence?.repositories, undefined, 'it is a run in one repository like any')
})

test('a runner that works in one repository at a time is given nothing of a story in several, and the board says why', async () => {
  const other = await aMember(await aWorkspace(app.storage.db), 'owner')
  const team = await aTeam(other)
  await aPolicy(other, team, 'trial')
  await bindBoth(other, team)
  const old = new TestRunner(app.url, (await aToken(other)).token, { features: ['relay'] })
  await old.register()
  const obstacles = () => readObstacles(other, { serves: () => false }, { team: team.slug })
  assert.deepEqual(
    (await obstacles()).map(({ reason }) => reason),
    [
      'The story is about several repositories, and no connected runner can work in more than one. Upgrade the runner.',
    ],
  )
  const [several, one] = [await aStory(other, team), await aStory(other, team)]
  await setStoryRepositories(other, one.key, ['halden/web'])
  assert.deepEqual(await readObstacles(other, { serves: () => false }, { story: one.key }), [])
  await dispatchTeam(other, team.id, { serves: () => false })
  const { rows } = await app.storage.pool.query('select story_id from runs where workspace_id = $1', [
    other.workspaceId,
  ])
  assert.deepEqual(rows, [{ story_id: one.id }], `not ${several.key}`)
  const order = await old.acquire()
  assert.equal(order?.repository.name, 'halden/web')
})
