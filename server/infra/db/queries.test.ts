import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyDatabase } from '../../test/database.ts'
import { type Db, inTransaction, openDatabase, type Tx } from './db.ts'
import { type Nothing, reads, readsSlowly, writes } from './queries.ts'
import type { AnyJson } from './statement.ts'

interface Listed {
  takes: [workspaceId: 'workspaceId', order: ['run' | 'fence'], note?: 'note']
  parameters: { workspaceId: string; run: string; fence: number; note?: string | null | undefined }
  row: { text: string }
}

const listed = `select concat_ws(' ', :workspaceId::text, :run::text, :fence::text [[, :note::text]]) as "text!"`

interface Series {
  takes: [from: 'from', to: 'to']
  parameters: { from: number; to: number }
  row: { n: number }
}

const series = 'select generate_series(:from::int, :to::int) as n'

interface Kept {
  takes: [kept: 'kept']
  parameters: { kept: AnyJson }
  row: { kept: AnyJson; type: string }
}

interface Named {
  takes: [by: ['id' | 'key']]
  parameters: { id?: string | null | undefined; key?: string | null | undefined }
  row: Record<never, never>
}

const database = openDatabase({
  connection: await emptyDatabase(),
  connections: 4,
  asAppRole: false,
  onError: (error) => assert.fail(error),
})
test.after(() => database.close())
const { db } = database

test('a query takes its parameters in the order it says, alone or out of an object that may hold more', async () => {
  const ask = reads.value<Listed>('workspaceId, { run, fence }, note')(listed)
  assert.equal(await ask(db, 'w', { run: 'r', fence: 2 }), 'w r 2')
  const order = { run: 'r', fence: 2, workspaceId: 'other', state: 'taken' }
  assert.equal(await ask(db, 'w', order, 'n'), 'w r 2 n')
})

test('an object at the end brings whatever was not named before it', async () => {
  interface Of extends Omit<Listed, 'takes'> {
    takes: [workspaceId: 'workspaceId', order: ['run' | 'fence' | 'note']]
  }
  const ask = reads.one<Of>('workspaceId, ...order')(listed)
  assert.deepEqual(await ask(db, 'w', { run: 'r', fence: 2, note: 'n' }), { text: 'w r 2 n' })
})

test('what a query says it takes is what its text takes', () => {
  assert.throws(() => reads.one<Listed>('workspaceId, { run, fense }, note')(listed), /No parameter :fense/)
  assert.throws(() => reads.one<Listed>('workspaceId, { run }, note')(listed), /:fence is not taken/)
})

test('how a query is declared says what it gives', async () => {
  assert.deepEqual(await reads.many<Series>('from, to')(series)(db, 1, 2), [{ n: 1 }, { n: 2 }])
  assert.deepEqual(await readsSlowly.column<Series>('from, to')(series)(db, 1, 2), [1, 2])
  assert.deepEqual(await reads.only<Series>('from, to')(series)(db, 1, 2), { n: 1 })
  assert.equal(await reads.onlyValue<Series>('from, to')(series)(db, 1, 2), 1)
  assert.equal(await reads.exists<Series>('from, to')(series)(db, 1, 2), true)
  const none = [2, 1] as const
  assert.equal(await reads.one<Series>('from, to')(series)(db, ...none), undefined)
  assert.equal(await reads.value<Series>('from, to')(series)(db, ...none), undefined)
  assert.equal(await reads.exists<Series>('from, to')(series)(db, ...none), false)
})

test('a query that writes gives its rows, nothing, or how many there were', async () => {
  const counts = await inTransaction(db, async (tx) => [
    await writes.run<Series>('from, to')(series)(tx, 1, 2),
    await writes.count<Series>('from, to')(series)(tx, 1, 2),
    await writes.wroteOne<Series>('from, to')(series)(tx, 1, 2),
    await writes.wroteOne<Series>('from, to')(series)(tx, 1, 1),
  ])
  assert.deepEqual(counts, [undefined, 2, false, true])
})

test('a parameter in braces is written as JSON, an array and a text too', async () => {
  const ask = reads.only<Kept, { kept: unknown }, { kept: unknown }>('kept')(
    'select :{kept}::jsonb as kept, jsonb_typeof(:{kept}::jsonb) as "type!"',
  )
  assert.deepEqual(await ask(db, ['a', { b: 1 }]), { kept: ['a', { b: 1 }], type: 'array' })
  assert.deepEqual(await ask(db, 'a "text"'), { kept: 'a "text"', type: 'string' })
  assert.deepEqual(await ask(db, null), { kept: null, type: 'null' })
  const orNull = reads.only<Kept, { kept: unknown }, { kept: unknown }>('kept')(
    'select :{kept}?::jsonb as kept, jsonb_typeof(:{kept}?::jsonb) as type',
  )
  assert.deepEqual(await orNull(db, null), { kept: null, type: null }, 'null of SQL, where it may be')
})

/** Never run: the compiler is the test, and says so when one of these is no mistake any more. */
async function mistakes(tx: Tx, readable: Db) {
  const ask = reads.one<Listed>('workspaceId, { run, fence }, note')(listed)
  // @ts-expect-error a parameter is missing
  await ask(tx, 'w')
  // @ts-expect-error one of the object's is missing
  await ask(tx, 'w', { run: 'r' })
  // @ts-expect-error it is misspelt
  await ask(tx, 'w', { run: 'r', fense: 1 })
  // @ts-expect-error it is a text
  await ask(tx, 1, { run: 'r', fence: 1 })
  // @ts-expect-error there may be no row
  ;(await ask(tx, 'w', { run: 'r', fence: 1 })).text
  // @ts-expect-error a handle that reads does not write
  await writes.run<Series>('from, to')(series)(readable, 1, 2)
  // @ts-expect-error nothing was said of what it holds
  await writes.run<Kept>('kept')('')(tx, [])
  // @ts-expect-error what is said of a parameter contradicts the database
  writes.run<Series, Nothing, { from: string }>('from, to')
  // @ts-expect-error what is said is of a parameter that there is not
  writes.run<Series, Nothing, { form: number }>('from, to')
  const by = reads.exists<Named, Nothing, { id: string } | { key: string }>('...by')('')
  await by(tx, { id: 'i' })
  // @ts-expect-error it is found by one of the two
  await by(tx, {})
}
void mistakes
