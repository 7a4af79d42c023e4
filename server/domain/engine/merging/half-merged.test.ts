import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, TestEngine } from '../../../test/engine/engine.ts'
import { OneRun } from '../../../test/engine/one-run.ts'
import type { GitHost, MergeRequest } from '../../ports/git-host.ts'
import { listMerged } from '../../work/runs/list-merged.ts'
import { initialParts } from '../machine/parts.ts'

/** A change in two repositories of which only the first could be merged. */

const database = await testDatabase()
after(() => database.close())

const names = ['halden/api', 'halden/web']
const workOf = (head: string) => ({ base: 'b'.repeat(40), head: head.repeat(40), bundle: 'e'.repeat(64) })
const reason = 'the branch main is protected.'

/** A run that has been handed over in both, with a host that refuses the second only when it is really to be merged. */
async function aHalfMerged() {
  const engine = new TestEngine(database.db)
  const merged: string[] = []
  const reverted: string[] = []
  const named = ({ repository }: MergeRequest) => repository!.name
  const host: Partial<GitHost> = {
    readMain: async () => ({ state: 'green', commit: 'c0ffee' }),
    merge: async (request, note) => {
      await note?.({ head: request.head!, reviews: null, checks: null, queue: null })
      if (named(request) === 'halden/web') return { merged: false, reason }
      merged.push(named(request))
      return { merged: true, commit: 'd'.repeat(40), facts: null, mismatch: null }
    },
    openRevert: async (request) => {
      reverted.push(named(request))
      return { pullRequest: { number: 8, url: 'https://git.example.com/8' } }
    },
  }
  engine.host = Object.assign(Object.create(engine.gitHost), {
    openPullRequest: engine.gitHost.openPullRequest.bind(engine.gitHost),
    postVerdict: engine.gitHost.postVerdict.bind(engine.gitHost),
    ...host,
  })
  const run = await OneRun.begin(engine)
  const { workspaceId } = run.owner
  const { pool } = database
  await pool.query('update runs set memory = memory || $1::jsonb where workspace_id = $2', [
    JSON.stringify(initialParts(names)),
    workspaceId,
  ])
  await run.tell(goesWell.plan)
  const change = { files: 1, additions: 1, deletions: 0, paths: ['a.txt'] }
  await run.tell({
    ...{ type: 'change_ready', change, work: workOf('1'), pullRequest: null },
    others: [{ name: 'halden/web', change: { ...change, additions: 2 }, work: workOf('2') }],
  })
  await run.tell(goesWell.gates, goesWell.gates)
  // From here on it is the host's turn, which wants to know the repositories.
  const branch = (head: string) => ({ name: `signalbox/${run.key}/1`, head: head.repeat(40) })
  await run.tell({ type: 'finished', branch: branch('1') })
  for (const name of names)
    await pool.query(
      `insert into team_repositories (workspace_id, team_id, name, host, address, branch)
       values ($1, $2, $3, 'local', '/srv/git/x.git', 'main')`,
      [workspaceId, run.team.id, name],
    )
  await run.tell({ type: 'finished', branch: branch('2') })
  return { run, merged, reverted }
}

test('a second merge that fails is told, and the revert of the first is offered', async () => {
  const { run, merged, reverted } = await aHalfMerged()
  assert.deepEqual(merged, ['halden/api'])
  const asked = await run.asked()
  assert.equal(asked.kind, 'revert_approval')
  assert.match(asked.body, /only part of it could be merged/)
  assert.match(
    asked.body,
    /Merged: halden\/api #1\. Not merged: halden\/web #1, because the branch main is protected/,
  )
  assert.deepEqual(
    asked.options.map(({ action }) => action),
    ['open_revert', 'retry', 'decline_proposal'],
  )
  const merges = await listMerged(run.owner, run.team.id, new Date(0))
  assert.deepEqual(
    merges.map(({ repository, commit, pullRequest, paths }) => [
      repository,
      commit,
      pullRequest.number,
      paths,
    ]),
    [['halden/api', 'd'.repeat(40), 1, ['a.txt']]],
    'an incident that finds it knows where it was made',
  )
  await run.answer('revert')
  assert.deepEqual(reverted, ['halden/api'], 'only what was merged')
  const { status, attemptList } = await run.read()
  assert.deepEqual([status, attemptList[0]?.error], ['failed', 'Reverted by halden/api#8.'])
})

test('a person who keeps the first is told that the story is not done, and main is not called red', async () => {
  const { run } = await aHalfMerged()
  await run.answer('leave')
  const { status, failureClass, attemptList } = await run.read()
  assert.deepEqual([status, failureClass], ['failed', 'dependency'])
  assert.match(attemptList[0]?.error ?? '', /Not merged: halden\/web/)
  assert.notEqual((await run.readStory()).column.role, 'done')
  const { rows } = await database.pool.query(
    'select main_state from team_repositories where workspace_id = $1 and main_state is not null',
    [run.owner.workspaceId],
  )
  assert.deepEqual(rows, [])
})

test('a runner is refused what it says of a repository that the run is not about, or of another beginning', async () => {
  const strangers = [
    {
      others: [{ name: 'halden/docs', base: 'b'.repeat(40) }],
      says: /halden\/docs, which this run has nothing to do/,
    },
    {
      others: [{ name: 'halden/web', base: 'a'.repeat(40) }],
      says: /began in halden\/web from aaaaaaaaaaaa, but/,
    },
  ]
  for (const { others, says } of strangers) {
    const engine = new TestEngine(database.db)
    const run = await OneRun.begin(engine)
    await database.pool.query('update runs set memory = memory || $1::jsonb where workspace_id = $2', [
      JSON.stringify(initialParts(names)),
      run.owner.workspaceId,
    ])
    await run.tell({ ...goesWell.begun, others: [{ name: 'halden/web', base: 'b'.repeat(40) }] })
    engine.changes = { read: async () => ({ unreadable: 'Nobody looks.' }) }
    await run.tell({ ...goesWell.begun, others })
    const { status, failureClass, attemptList } = await run.read()
    assert.deepEqual([status, failureClass], ['failed', 'policy'])
    assert.match(attemptList[0]?.error ?? '', says)
  }
})
