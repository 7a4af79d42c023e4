import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { testDatabase } from '../../test/database.ts'
import { aWorkspace } from '../../test/factories.ts'
import { until } from '../../test/until.ts'
import { inTransaction, openDatabase, read, readSlowly, write } from './db.ts'
import { RememberedRead } from './remembered.ts'
import { statement } from './statement.ts'
import type { Tables } from './tables.ts'

const database = await testDatabase()
after(() => database.close())
const { db } = database
const opening = { connection: database.connection, asAppRole: true, onError: () => {} }
/** What somebody would hold who looks behind the type. */
const raw = db as unknown as Kysely<Tables>

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
const pids = statement<{ pid: number }>('select pg_backend_pid() as pid, :n::int as n')
const openLine = () =>
  until('the line is open', async () => {
    const [one, other] = await Promise.all([read(db, pids, { n: 1 }), read(db, pids, { n: 2 })])
    return one[0]!.pid === other[0]!.pid
  })

const doors: Record<string, (text: string) => Promise<unknown>> = {
  'the handle itself': (text) => sql.raw(text).execute(raw),
  'a transaction begun on the handle': (text) =>
    raw.transaction().execute((transaction) => sql.raw(text).execute(transaction)),
  readSlowly: (text) => readSlowly(db, sql.raw(text)),
  'read, over a line of the reader': async (text) => {
    await openLine()
    await read(db, statement(text), {})
  },
  'read, while the reader has no line': async (text) => {
    const fresh = openDatabase({ ...opening, connections: 3 })
    // The first question opens the line and is answered by the pool.
    await read(fresh.db, statement(text), {}).finally(() => fresh.close())
  },
  'a read that is remembered': (text) =>
    new RememberedRead({ versions: 'select 1', rows: text }).read(db, {}, (rows) => rows),
}

for (const [door, tryTo] of Object.entries(doors)) {
  test(`PostgreSQL refuses a reader who writes: ${door}`, async () => {
    const before = await sequence()
    for (const [what, text] of Object.entries(writing))
      await assert.rejects(tryTo(text), { code: '25006' }, what)
    assert.deepEqual(await sequence(), before)
  })
}

test('what is written in a transaction is read at once by everybody', async () => {
  const { workspaceId } = await aWorkspace(db)
  const rename = statement<{ name: string }>(
    'update workspaces set name = :name where id = :id returning name',
  )
  const name = statement<{ name: string }>('select name from workspaces where id = :id')
  await inTransaction(db, async (tx) => {
    assert.deepEqual(await write(tx, rename, { id: workspaceId, name: 'New' }), [{ name: 'New' }])
    assert.deepEqual(await read(tx, name, { id: workspaceId }), [{ name: 'New' }])
    assert.notDeepEqual(await read(db, name, { id: workspaceId }), [{ name: 'New' }])
  })
  assert.deepEqual(await read(db, name, { id: workspaceId }), [{ name: 'New' }])
  assert.deepEqual(await readSlowly(db, sql`select name from workspaces where id = ${workspaceId}`), [
    { name: 'New' },
  ])
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
            await readSlowly<{ pid: number }>(busy.db, sql`select pg_backend_pid() as pid`),
          ]
          for (const { pid } of responses.flat()) seen.add(pid)
        }),
      ),
    )
    // The lines of the reader come on top.
    assert.ok(seen.size <= connections + 2, `${seen.size} connections`)
    await busy.close()
  })
}

test('a database that is closed leaves no connection behind, whichever of its doors were used', async () => {
  const fresh = openDatabase({ ...opening, connections: 3 })
  await read(fresh.db, pids, { n: 1 })
  assert.notEqual(fresh.connections().idle, 0)
  await fresh.close()
  assert.deepEqual(fresh.connections(), { idle: 0, busy: 0, waiting: 0 })
})
