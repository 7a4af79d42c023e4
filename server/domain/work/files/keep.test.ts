import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, TestEngine } from '../../../test/engine/engine.ts'
import { OneRun } from '../../../test/engine/one-run.ts'
import { tables } from '../../../test/tables.ts'
import { DomainError } from '../../errors.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { keepFile } from './keep.ts'
import { readFileOfRun } from './read-of-run.ts'

const database = await testDatabase()
after(() => database.close())
const engine = new TestEngine(database.db)

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
const keep = ({ owner, order }: OneRun, text: string, most?: Parameters<typeof keepFile>[2]) =>
  keepFile(owner, { order, sha256: hashOf(text), bytes: Buffer.from(text) }, most)

/** Refused with the limit in words, and nothing of it is kept. */
async function assertFull(run: OneRun, text: string, most: Parameters<typeof keepFile>[2], says: RegExp) {
  await assert.rejects(
    keep(run, text, most),
    (error) => error instanceof DomainError && error.code === 'file_limit' && says.test(error.message),
  )
  await assert.rejects(readFileOfRun(run.owner, run.order.runId, hashOf(text)))
}

test('an order brings so many files and so many bytes, and what it has brought it may send again', async () => {
  const run = await OneRun.begin(engine)
  const most = { ofOrder: { files: 3, bytes: 10 } }
  for (const text of ['one', 'two', 'six']) assert.equal(await keep(run, text, most), true)
  await assertFull(run, 'a', most, /at most 3 files/)
  await assertFull(run, 'more than is left', { ofOrder: { files: 9, bytes: 10 } }, /MB in all/)
  assert.equal(await keep(run, 'one', most), false)
})

test('however files come at once, an order never has more than it may', async () => {
  const run = await OneRun.begin(engine)
  const most = { ofOrder: { files: 4, bytes: 1_000 } }
  const texts = Array.from({ length: 12 }, (_, n) => `file ${n}`)
  const kept = await Promise.allSettled(texts.map((text) => keep(run, text, most)))
  assert.equal(kept.filter(({ status }) => status === 'fulfilled').length, 4)
})

test('a workspace keeps so many bytes, each file counted once, whichever run has brought it', async () => {
  const first = await OneRun.begin(engine)
  const second = await OneRun.begin(engine, { owner: first.owner })
  const most = { workspaceBytes: 10 }
  await keep(first, 'eight by', most)
  assert.equal(await keep(second, 'eight by', most), true, 'the same bytes take no room')
  await assertFull(second, 'four', most, /Ask the server operator to allow more than 0 GB of files/)
  const elsewhere = await OneRun.begin(engine)
  assert.equal(await keep(elsewhere, 'four', most), true, 'another workspace has its own')
})

test('what was kept before files belonged to runs is given to every run that names it, and to no other', async () => {
  const [first, second] = [await OneRun.begin(engine), await OneRun.begin(engine)]
  const work = { base: 'b'.repeat(40), head: 'd'.repeat(40), bundle: hashOf('a bundle') }
  for (const run of [first, second]) {
    await run.tell(goesWell.plan)
    await keep(run, 'a bundle')
    await keep(run, 'nobody names it')
  }
  await first.tell({ ...goesWell.change, pullRequest: null, work })
  const migration = await readFile(
    new URL('../../../migrations/0042_enrolled_runners.sql', import.meta.url),
    'utf8',
  )
  const backfill = /insert into run_files[^;]+;/.exec(migration)![0]
  await housekeeping(database.db, 'as before the migration', async (tx) => {
    await sql`delete from run_files`.execute(tables(tx))
    await sql.raw(backfill).execute(tables(tx))
  })
  const read = ({ owner, order }: OneRun, text: string) =>
    readFileOfRun(owner, order.runId, hashOf(text)).then(String, (error) => (error as DomainError).code)
  assert.deepEqual(
    [await read(first, 'a bundle'), await read(second, 'a bundle'), await read(first, 'nobody names it')],
    ['a bundle', 'file_not_found', 'file_not_found'],
  )
})
