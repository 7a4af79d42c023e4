import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { superuserIn, testDatabase } from '../../test/database.ts'
import { until } from '../../test/until.ts'
import { TooSlow } from './away.ts'
import { type Db, openDatabase, read, readApart } from './db.ts'
import { Statement } from './statement.ts'

const database = await testDatabase()
after(() => database.close())

const backend = new Statement<{ n: number }, { pid: number; n: number }>(
  'select pg_backend_pid() as pid, :n::int as n',
)
const wrong = new Statement<{ n: number }, object>('select 1 / (:n::int - :n::int)')
const ask = async (db: Db, n: number) => (await read(db, backend, { n }))[0]!

/**
 * The reader opens its line on the first question and answers from the pool until then, two at once by two connections.
 */
async function warm(db = database.db): Promise<void> {
  await until('the line is open', async () => {
    const [one, other] = await Promise.all([ask(db, -1), ask(db, -2)])
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

test('a read whose connection is cut is asked again, and no one notices', async () => {
  await warm()
  const { pid } = await ask(database.db, 0)
  const owner = new pg.Client(database.connection)
  await owner.connect()
  await owner.query('select pg_advisory_lock(7)')
  const held = new Statement<{ n: number }, { n: number }>(
    'select :n::int as n from pg_advisory_xact_lock_shared(7)',
  )
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

test('a restart of the database breaks every idle connection, and no read notices', async () => {
  const owner = new pg.Client(superuserIn(database.connection))
  await owner.connect()
  for (let round = 0; round < 20; round += 1) {
    await Promise.all([ask(database.db, 1), ask(database.db, 2), readApart(database.db, backend, { n: 3 })])
    const cut = owner.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    // Asked at the same time: each connection is found idle, broken, or breaks with the question on its way.
    const reads = [4, 5, 6].map((n) => ask(database.db, n))
    const apart = [7, 8].map((n) => readApart(database.db, backend, { n }))
    await cut
    reads.push(ask(database.db, 9))
    assert.deepEqual(
      (await Promise.all([...reads, ...apart.map(async (rows) => (await rows)[0]!)])).map(({ n }) => n),
      [4, 5, 6, 9, 7, 8],
    )
  }
  await owner.end()
  await warm()
})

/** A read that takes as long as the lock is held, on whichever connection it is. */
const waits = new Statement<{ n: number }, { n: number; pid: number }>(
  'select :n::int as n, pg_backend_pid() as pid from pg_advisory_xact_lock_shared(8)',
)

const waitsToo = new Statement<{ n: number }, { n: number }>(
  'select :n::int as n from pg_advisory_xact_lock_shared(8) as too',
)

async function holding<T>(
  lock: number,
  work: (letGo: () => Promise<unknown>, holder: pg.Client) => Promise<T>,
): Promise<T> {
  const holder = new pg.Client(database.connection)
  await holder.connect()
  await holder.query('select pg_advisory_lock($1)', [lock])
  try {
    return await work(() => holder.query('select pg_advisory_unlock($1)', [lock]), holder)
  } finally {
    await holder.end()
  }
}

test('a process that stood still reads what arrived in that time before it gives a connection up', async () => {
  await warm()
  const line = (await ask(database.db, 0)).pid
  const asked = ask(database.db, 1)
  await new Promise(setImmediate)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_200)
  assert.deepEqual(await asked, { n: 1, pid: line })
  assert.equal((await ask(database.db, 0)).pid, line)
})

test('a read that takes long holds up no other, and is answered in the end', async () => {
  await warm()
  const line = (await ask(database.db, 0)).pid
  await holding(8, async (letGo) => {
    const slow = [read(database.db, waits, { n: 1 }), read(database.db, waits, { n: 2 })]
    let answered = 0
    for (const one of slow) void one.then(() => (answered += 1))
    for (let round = 0; round < 5; round += 1) {
      const others = await Promise.all(Array.from({ length: 20 }, (_, n) => ask(database.db, n)))
      assert.deepEqual(
        others.map(({ n }) => n),
        Array.from({ length: 20 }, (_, n) => n),
      )
    }
    await database.ping()
    assert.equal(answered, 0)
    await letGo()
    const found = (await Promise.all(slow)).map(([row]) => row!)
    assert.deepEqual(
      found.map(({ n }) => n),
      [1, 2],
    )
    assert.ok(found.every(({ pid }) => pid !== line))
  })
  assert.equal((await ask(database.db, 0)).pid, line, 'the line is still the same')
})

test('a read that was slow goes its own way at once, until it is quick again', async () => {
  await warm()
  const line = (await ask(database.db, 0)).pid
  const pidOf = async () => (await read(database.db, waits, { n: 3 }))[0]!.pid
  await holding(8, async (letGo, holder) => {
    const slow = pidOf()
    await until('it is known to be slow', async () => (await waitedMs(holder, line)) > 550)
    await letGo()
    assert.notEqual(await slow, line)
  })
  assert.notEqual(await pidOf(), line)
  await until('it is quick again, and goes with the others', async () => (await pidOf()) === line)
})

/** How long a read has waited for the lock beside the line. */
async function waitedMs(holder: pg.Client, line: number): Promise<number> {
  const { rows } = await holder.query<{ ms: number }>(
    `select extract(epoch from clock_timestamp() - query_start)::float8 * 1000 as ms from pg_stat_activity
     where wait_event_type = 'Lock' and query like '%pg_advisory_xact_lock_shared(8)%' and datname = current_database()
       and pid <> $1`,
    [line],
  )
  return rows[0]?.ms ?? 0
}

test('a read that takes longer than a person waits ends with a sentence, and its connection goes on', async (t) => {
  const impatient = openDatabase({
    ...{ connection: database.connection, connections: 3, asAppRole: true, statementSeconds: 2 },
    onError: assert.ifError,
  })
  t.after(() => impatient.close())
  // What is impatient with reads is impatient with new connections too, so they are made before.
  await warm(impatient.db)
  await holding(8, () =>
    until('both connections for slow reads are open', async () => {
      await Promise.allSettled([1, 2].map((n) => readApart(impatient.db, waits, { n })))
      // With the one on which they were found to be slow.
      return impatient.connections().idle >= 3
    }),
  )
  await holding(8, async () => {
    await assert.rejects(read(impatient.db, waits, { n: 4 }), TooSlow)
    // One more than there are connections waits for one, and is told as much.
    const three = [5, 6, 7].map((n) => read(impatient.db, waits, { n }))
    await Promise.all(three.map((one) => assert.rejects(one, TooSlow)))
    assert.equal((await ask(impatient.db, 1)).n, 1)
  })
  assert.equal((await read(impatient.db, waits, { n: 7 }))[0]!.n, 7)
})

test('whatever is slow leaves a connection to what is asked apart and is not', async () => {
  await warm()
  await holding(8, async (letGo) => {
    // More than there are connections for slow reads, of one statement and of another.
    const slow = [1, 2, 3, 4].flatMap((n) => [
      readApart(database.db, waits, { n }),
      read(database.db, waitsToo, { n }),
    ])
    let answered = 0
    for (const one of slow) void one.then(() => (answered += 1))
    for (let round = 0; round < 3; round += 1) {
      const found = await Promise.all([1, 2, 3].map((n) => readApart(database.db, backend, { n })))
      assert.deepEqual(
        found.map(([row]) => row!.n),
        [1, 2, 3],
      )
      await ask(database.db, round)
      await database.ping()
    }
    assert.equal(answered, 0)
    await letGo()
    await Promise.all(slow)
  })
})
