import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { testDatabase } from '../../test/database.ts'
import { aWorkspace } from '../../test/factories.ts'
import { until } from '../../test/until.ts'
import { TooSlow } from './away.ts'
import {
  inOneStatement,
  inTransaction,
  openDatabase,
  read,
  readApart,
  readSlowly,
  runText,
  write,
} from './db.ts'
import { RememberedRead } from './remembered.ts'
import { Statement } from './statement.ts'

const database = await testDatabase()
after(() => database.close())
const { db } = database
const opening = { connection: database.connection, asAppRole: true, onError: () => {} }

const writing = {
  'an insert': `insert into invalidations (sequence) values (1) returning 'k' as key, 'v' as version`,
  'an update': `update invalidations set sequence = sequence + 1 returning 'k' as key, 'v' as version`,
  'a delete': `delete from invalidations returning 'k' as key, 'v' as version`,
  'a write inside a read': `with changed as (update invalidations set sequence = 0 returning 'k' as key)
    select key, 'v' as version from changed`,
  'a lock on rows': `select 'k' as key, 'v' as version from invalidations for no key update`,
}

const sequence = async () => (await database.pool.query('select sequence from invalidations')).rows

/** The reader answers from its pool until its line is open, two at once by two connections. */
const pids = new Statement<{ n: number }, { pid: number }>('select pg_backend_pid() as pid, :n::int as n')
const openLine = () =>
  until('the line is open', async () => {
    const [one, other] = await Promise.all([read(db, pids, { n: 1 }), read(db, pids, { n: 2 })])
    return one[0]!.pid === other[0]!.pid
  })

const signed = new Statement<object, { signature: string | null }>('select null as signature')

const doors: Record<string, (text: string) => Promise<unknown>> = {
  'a text that others have written': (text) => runText(db, text, []),
  readSlowly: (text) => readSlowly(db, new Statement<object, object>(text), {}),
  'read, over a line of the reader': async (text) => {
    await openLine()
    await read(db, new Statement(text), {})
  },
  'read, while the reader has no line': async (text) => {
    const fresh = openDatabase({ ...opening, connections: 3 })
    // The first question opens the line and is answered by the pool.
    await read(fresh.db, new Statement(text), {}).finally(() => fresh.close())
  },
  'a read that is remembered': (text) =>
    new RememberedRead(signed, new Statement<object, { key: string; version: string }>(text)).read(
      db,
      {},
      1,
      (rows) => rows,
    ),
}

for (const [door, tryTo] of Object.entries(doors)) {
  test(`PostgreSQL refuses a reader who writes: ${door}`, async () => {
    const before = await sequence()
    for (const [what, text] of Object.entries(writing))
      await assert.rejects(tryTo(text), { code: '25006' }, what)
    assert.deepEqual(await sequence(), before)
  })
}

test('what is written in a transaction is read at once by everyone', async () => {
  const { workspaceId } = await aWorkspace(db)
  const rename = new Statement<{ id: string; name: string }, { name: string }>(
    'update workspaces set name = :name where id = :id returning name',
  )
  const name = new Statement<{ id: string }, { name: string }>('select name from workspaces where id = :id')
  await inTransaction(db, async (tx) => {
    assert.deepEqual(await write(tx, rename, { id: workspaceId, name: 'New' }), [{ name: 'New' }])
    assert.deepEqual(await read(tx, name, { id: workspaceId }), [{ name: 'New' }])
    assert.notDeepEqual(await read(db, name, { id: workspaceId }), [{ name: 'New' }])
  })
  assert.deepEqual(await read(db, name, { id: workspaceId }), [{ name: 'New' }])
  assert.deepEqual(await readSlowly(db, name, { id: workspaceId }), [{ name: 'New' }])
})

for (const connections of [2, 3, 5, 10]) {
  test(`${connections} connections bear transactions that read beside themselves, and no more are opened`, async () => {
    const busy = openDatabase({ ...opening, connections })
    const seen = new Set<number>()
    await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        inTransaction(busy.db, async (tx) => {
          const responses = [
            await read(tx, pids, { n }),
            await read(busy.db, pids, { n }),
            await readSlowly(busy.db, pids, { n }),
          ]
          for (const { pid } of responses.flat()) seen.add(pid)
        }),
      ),
    )
    // The lines of the reader come on top, and where few are shared out the one that walks.
    assert.ok(seen.size <= connections + 3, `${seen.size} connections`)
    await busy.close()
  })
}

test('a database that is closed leaves no connection behind, whichever of its doors were used', async () => {
  const fresh = openDatabase({ ...opening, connections: 3 })
  await read(fresh.db, pids, { n: 1 })
  assert.notEqual(fresh.connections().idle, 0)
  await fresh.close()
  assert.deepEqual(fresh.connections(), { idle: 0, busy: 0, waiting: 0, limit: 6 })
})

/** Takes as long as someone else has the lock. */
const waits = new Statement<{ n: number }, { n: number }>(
  'select :n::int as n from pg_advisory_xact_lock_shared(9)',
)

async function whileLocked(work: () => Promise<void>): Promise<void> {
  const holder = new pg.Client(database.connection)
  await holder.connect()
  await holder.query('select pg_advisory_lock(9)')
  await work().finally(() => holder.end())
}

test('a database whose connections are all at work for callers is not taken for away', async () => {
  const busy = openDatabase({ ...opening, connections: 3 })
  const some = Array.from({ length: 6 }, (_, n) => n)
  let under: Promise<unknown>[] = []
  await whileLocked(async () => {
    await busy.ping()
    under = some.flatMap((n) => [
      readSlowly(busy.db, waits, { n }),
      readApart(busy.db, waits, { n }),
      read(busy.db, waits, { n }),
      inTransaction(busy.db, (tx) => read(tx, waits, { n })),
    ])
    await until('every connection that can be is taken', () => busy.connections().busy >= 5)
    await busy.ping()
  })
  await Promise.all(under)
  await busy.close()
})

test('whatever takes too long is told so, and is no fault of ours', async (t) => {
  const impatient = openDatabase({ ...opening, connections: 3, statementSeconds: 1 })
  t.after(() => impatient.close())
  const ways: Record<string, () => Promise<unknown>> = {
    read: () => read(impatient.db, waits, { n: 1 }),
    readApart: () => readApart(impatient.db, waits, { n: 1 }),
    readSlowly: () => readSlowly(impatient.db, waits, { n: 1 }),
    inOneStatement: () => inOneStatement(impatient.db, waits, { n: 1 }),
    'a transaction': () => inTransaction(impatient.db, (tx) => write(tx, waits, { n: 1 })),
    'a transaction that does not wait for it': () =>
      inTransaction(impatient.db, async (tx) => void write(tx, waits, { n: 1 }).catch(() => {})),
  }
  await whileLocked(async () => {
    // So many that some only wait for a connection.
    const asked = Object.keys(ways).flatMap((way) => Array.from({ length: 4 }, () => way))
    const told = await Promise.allSettled(asked.map((way) => ways[way]!()))
    const others = asked.flatMap((way, n) => {
      const one = told[n]!
      const isTold = one.status === 'rejected' && one.reason instanceof TooSlow
      return isTold ? [] : [{ way, ...one }]
    })
    assert.deepEqual(others, [])
  })
})
