import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import type { Tx } from '../../../infra/db/db.ts'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, TestEngine } from '../../../test/engine/engine.ts'
import { OneRun } from '../../../test/engine/one-run.ts'
import { tables } from '../../../test/tables.ts'
import { until } from '../../../test/until.ts'
import { retryRun } from '../../engine/lifecycle/retry.ts'
import { stopRun } from '../../engine/lifecycle/stop.ts'
import type { DomainError } from '../../errors.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { readDiff } from '../changes/read.ts'
import { keepFile } from './keep.ts'
import { readFileOfRun } from './read-of-run.ts'
import { removeOldFiles } from './remove-old.ts'
import { filesRemovedAt } from './removed-at.ts'
import { addToRun, insertFile } from './store.ts'

const database = await testDatabase()
after(() => database.close())
const engine = new TestEngine(database.db)
const day = 86_400_000

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
const keep = ({ owner, order }: OneRun, text: string, workspaceBytes?: number) =>
  keepFile(
    owner,
    { order, sha256: hashOf(text), bytes: Buffer.from(text) },
    workspaceBytes === undefined ? {} : { workspaceBytes },
  )
const read = ({ owner, order }: OneRun, text: string) =>
  readFileOfRun(owner, order.runId, hashOf(text)).then(String, (error) => (error as DomainError).code)
const stop = (run: OneRun) => stopRun(run.owner, run.key, { confirmed: true })
const removeBefore = ({ owner }: OneRun, before: Date, most?: { runs: number; bytes: number }) =>
  housekeeping(database.db, 'as retention does', (tx) =>
    removeOldFiles(tx, owner.workspaceId, { before, now: engine.clock.now() }, most),
  )
const bytesOf = async ({ owner: { workspaceId } }: OneRun) => {
  const { rows } = await database.pool.query(
    `select (select bytes::int from kept_totals where workspace_id = $1) as counted,
       (select coalesce(sum(size), 0)::int from kept_files where workspace_id = $1) as stored`,
    [workspaceId],
  )
  return rows[0]
}

test('files of a run that ended go with their age: the workspace has room again, and the run says so', async () => {
  const run = await OneRun.begin(engine)
  const other = await OneRun.begin(engine, { owner: run.owner })
  await run.tell(goesWell.plan)
  await keep(run, 'a diff')
  await keep(run, 'of both runs')
  await keep(other, 'of both runs')
  await run.tell({ ...goesWell.change, pullRequest: null, diff: hashOf('a diff') })
  assert.deepEqual(await bytesOf(run), { counted: 18, stored: 18 })
  engine.clock.forward(day)
  assert.equal(await removeBefore(run, engine.clock.now()), 0, 'both runs are open')
  await stop(run)
  assert.equal(await removeBefore(run, engine.clock.now()), 0, 'it ended just now')
  assert.equal(await filesRemovedAt(run.owner, run.key), null)
  assert.equal((await readDiff(run.owner, run.key))?.files.length, 0)

  const ended = engine.clock.now()
  engine.clock.forward(day)
  await assert.rejects(keep(other, 'more', 20), (error: DomainError) => {
    assert.equal(error.code, 'file_limit')
    assert.match(error.message, /Files of old runs can be removed sooner, or the limit can be raised\./)
    return true
  })
  assert.equal(await removeBefore(run, new Date(ended.getTime() + 1)), 2)
  assert.equal(await removeBefore(run, new Date(ended.getTime() + 1)), 0, 'once')
  assert.deepEqual(await bytesOf(run), { counted: 12, stored: 12 })
  assert.equal(await keep(other, 'more', 20), true)
  assert.deepEqual(
    [await read(run, 'a diff'), await read(run, 'of both runs'), await read(other, 'of both runs')],
    ['file_not_found', 'file_not_found', 'of both runs'],
  )
  assert.deepEqual(await filesRemovedAt(run.owner, run.key), engine.clock.now())
  assert.equal(await readDiff(run.owner, run.key), null)
  await assert.rejects(retryRun(run.owner, run.key), {
    code: 'conflict',
    message: new RegExp(`removed because of their age. Move ${run.story.key} to Ready to start a new run`),
  })
})

test('what a pull request that is open, a question or a step that is due may need stays, however old it is', async () => {
  const run = await OneRun.begin(engine)
  await keep(run, 'a bundle')
  await stop(run)
  engine.clock.forward(day)
  const { workspaceId } = run.owner
  const { runId } = run.order
  const needs: [string, string, string][] = [
    [
      'a pull request',
      `insert into pull_requests (workspace_id, repository, number, title, body, base, branch, head, state, run_id, opened_at)
       values ($1, 'shop', 1, 'A', '', 'main', 'b', 'h', 'open', $2, now())`,
      `update pull_requests set state = 'closed', ended_at = now() where workspace_id = $1 and run_id = $2`,
    ],
    [
      'a step',
      `insert into effects (id, workspace_id, run_id, kind, key, data, due_at, created_at)
       values (gen_random_uuid(), $1, $2, 'open_revert', 'open_revert/1', '{}', now(), now())`,
      `update effects set due_at = null where workspace_id = $1 and run_id = $2`,
    ],
    [
      'a run',
      `update runs set phase = 'reverting', wake_at = now() where workspace_id = $1 and id = $2`,
      `update runs set phase = 'succeeded', wake_at = null where workspace_id = $1 and id = $2`,
    ],
  ]
  for (const [what, begins, ends] of needs) {
    await database.pool.query(begins, [workspaceId, runId])
    assert.equal(await removeBefore(run, engine.clock.now()), 0, what)
    await database.pool.query(ends, [workspaceId, runId])
  }
  assert.equal(await read(run, 'a bundle'), 'a bundle')
  assert.equal(await removeBefore(run, engine.clock.now()), 1)
})

test('a backlog goes in batches, a run at a time where its files are large', async () => {
  const first = await OneRun.begin(engine)
  const runs = [first]
  for (const _ of 'ab') runs.push(await OneRun.begin(engine, { owner: first.owner }))
  for (const run of runs) {
    await keep(run, `a bundle of ${run.key}`)
    await stop(run)
  }
  engine.clock.forward(day)
  const batch = () => removeBefore(first, engine.clock.now(), { runs: 2, bytes: 1 })
  assert.deepEqual([await batch(), await batch(), await batch(), await batch()], [1, 1, 1, 0])
  assert.deepEqual(await bytesOf(first), { counted: 0, stored: 0 })
})

test('a file that is uploaded again while it goes is there afterwards, whichever is first', async () => {
  const old = await OneRun.begin(engine)
  const young = await OneRun.begin(engine, { owner: old.owner })
  await keep(old, 'the same bytes')
  await stop(old)
  engine.clock.forward(day)
  const now = engine.clock.now()
  const { workspaceId } = old.owner
  let uploading: Promise<boolean> | undefined
  await housekeeping(database.db, 'as retention does', async (tx) => {
    assert.equal(await removeOldFiles(tx, workspaceId, { before: now, now }), 1)
    uploading = keep(young, 'the same bytes')
    await isWaitedFor(tx)
  })
  assert.equal(await uploading, true)
  assert.equal(await read(young, 'the same bytes'), 'the same bytes')
  assert.deepEqual(await bytesOf(young), { counted: 14, stored: 14 })

  await stop(young)
  engine.clock.forward(day)
  let removing: Promise<number> | undefined
  const file = { sha256: hashOf('the same bytes'), bytes: Buffer.from('the same bytes'), at: now }
  const next = await OneRun.begin(engine, { owner: old.owner })
  await housekeeping(database.db, 'as an upload does', async (tx) => {
    assert.equal(await insertFile(tx, workspaceId, file), false, 'it is still there')
    removing = removeBefore(young, engine.clock.now())
    await isWaitedFor(tx)
    await addToRun(tx, workspaceId, next.order.runId, file.sha256)
  })
  assert.equal(await removing, 1)
  assert.equal(await read(next, 'the same bytes'), 'the same bytes')
  assert.deepEqual(await bytesOf(next), { counted: 14, stored: 14 })
})

/** Another transaction waits for what this one has locked. */
async function isWaitedFor(tx: Tx): Promise<void> {
  const backend = tables(tx).selectNoFrom((is) => is.fn<number>('pg_backend_pid').as('pid'))
  const { pid } = await backend.executeTakeFirstOrThrow()
  const waiting = 'select from pg_locks where not granted and $1 = any(pg_blocking_pids(pid))'
  await until('somebody waits for it', async () => (await database.pool.query(waiting, [pid])).rowCount === 1)
}
