import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { testDatabase } from '../../test/database.ts'
import { until } from '../../test/until.ts'
import { type Db, read } from './db.ts'
import { statement } from './statement.ts'

const database = await testDatabase()
after(() => database.close())

const backend = statement<{ pid: number; n: number }>('select pg_backend_pid() as pid, :n::int as n')
const wrong = statement('select 1 / (:n::int - :n::int)')
const ask = async (db: Db, n: number) => (await read(db, backend, { n }))[0]!

/** The reader opens its line on the first question and answers from the pool until then, two at once by two connections. */
async function warm(): Promise<void> {
  await until('the line is open', async () => {
    const [one, other] = await Promise.all([ask(database.db, -1), ask(database.db, -2)])
    return one.pid === other.pid
  })
}

test('reads at the same time get each their own answer, over one connection', async () => {
  await warm()
  const responses = await Promise.all(Array.from({ length: 20 }, (_, n) => ask(database.db, n)))
  assert.deepEqual(
    responses.map(({ n }) => n),
    Array.from({ length: 20 }, (_, n) => n),
  )
  assert.equal(new Set(responses.map(({ pid }) => pid)).size, 1)
})

test('the same question asked at the same time is asked once', async () => {
  const moment = statement<{ at: string }>('select clock_timestamp()::text as at, :a::text as a')
  const askWhen = async () => (await read(database.db, moment, { a: 'x' }))[0]!.at
  const once = new Set(await Promise.all(Array.from({ length: 10 }, askWhen)))
  assert.equal(once.size, 1)
  assert.ok(!once.has(await askWhen()), 'a later one is asked again')
})

test('a statement that fails fails alone', async () => {
  await warm()
  const [first, failed, last] = await Promise.allSettled([
    ask(database.db, 1),
    read(database.db, wrong, { n: 1 }),
    ask(database.db, 2),
  ])
  assert.equal(first.status, 'fulfilled')
  assert.equal(failed.status, 'rejected')
  assert.equal(last.status, 'fulfilled')
})

test('a read whose connection is cut is asked again, and nobody notices', async () => {
  await warm()
  const { pid } = await ask(database.db, 0)
  const owner = new pg.Client(database.connection)
  await owner.connect()
  await owner.query('select pg_advisory_lock(7)')
  const held = statement<{ n: number }>('select :n::int as n from pg_advisory_xact_lock_shared(7)')
  const response = read(database.db, held, { n: 7 })
  await until('the read is under way', async () => {
    const { rows } = await owner.query(
      "select state from pg_stat_activity where pid = $1 and query like '%pg_advisory%'",
      [pid],
    )
    return rows[0]?.state === 'active'
  })
  await owner.query('select pg_terminate_backend($1), pg_advisory_unlock(7)', [pid])
  assert.equal((await response)[0]!.n, 7)
  await owner.end()
  await warm()
})
