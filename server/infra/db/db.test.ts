import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { aWorkspace } from '../../test/factories.ts'
import { until } from '../../test/until.ts'
import { inTransaction, openDatabase, read, readSlowly, runText, write } from './db.ts'
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
  assert.deepEqual(fresh.connections(), { idle: 0, busy: 0, waiting: 0, limit: 5 })
})
