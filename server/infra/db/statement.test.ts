import assert from 'node:assert/strict'
import { test } from 'node:test'
import { read, type Tx } from './db.ts'
import { type AnyJson, handedIn, Statement, statement } from './statement.ts'

const page = new Statement<Record<string, unknown>, object>(`
  select id from t where w = :w [[and s = :s]] [[and i < :after]] and k = any(:keys::uuid[]) limit :rows`)

test('a part whose parameter is missing is left out, and places are numbered without gaps', () => {
  const all = page.bind({ w: 1, s: 2, after: 3, keys: 4, rows: 5 })
  assert.match(all.text, /w = \$1 and s = \$2 and i < \$3 and k = any\(\$4::uuid\[\]\) limit \$5/)
  assert.deepEqual(all.values, [1, 2, 3, 4, 5])
  const some = page.bind({ w: 1, after: null, keys: 4, rows: 5 })
  assert.match(some.text, /w = \$1 {3}and k = any\(\$2::uuid\[\]\) limit \$3/)
  assert.deepEqual(some.values, [1, 4, 5])
})

test('the same combination has the same name, another one another', () => {
  const names = [{ s: 1 }, { s: 2 }, {}, { after: 1 }].map(
    (given) => page.bind({ w: 1, keys: 1, rows: 1, ...given }).name,
  )
  assert.equal(names[0], names[1])
  assert.equal(new Set(names).size, 3)
})

test('a literal is a whole number in the text, and nothing else', () => {
  const limited = new Statement<Record<string, unknown>, object>('select :a limit #rows')
  assert.equal(limited.bind({ a: 1, rows: 26 }).text, 'select $1 limit 26')
  assert.deepEqual(limited.bind({ a: 1, rows: 26 }).values, [1])
  assert.notEqual(limited.bind({ a: 1, rows: 26 }).name, limited.bind({ a: 1, rows: 101 }).name)
  assert.throws(() => limited.bind({ a: 1, rows: '1; drop table t' }), TypeError)
})

test('a parameter that stands twice is sent once', () => {
  const twice = new Statement<Record<string, unknown>, object>('select :a, :b, :a').bind({ a: 'x', b: 'y' })
  assert.equal(twice.text, 'select $1, $2, $1')
  assert.deepEqual(twice.values, ['x', 'y'])
})

const strict = new Statement<Record<string, unknown>, object>(
  'select :a, :note? [[where b = :b]] [[and c = :c?]] limit #rows',
)

test('a parameter that the statement does not know is refused, even when it is undefined', () => {
  assert.throws(() => strict.bind({ a: 1, note: null, rows: 1, B: 2 }), /No parameter :B/)
  assert.throws(() => strict.bind({ a: 1, note: null, rows: 1, team: undefined }), /No parameter :team/)
})

test('a parameter that is missing is refused, unless it may be null or its part is left out', () => {
  assert.throws(() => strict.bind({ note: null, rows: 1 }), /:a is missing/)
  assert.throws(() => strict.bind({ a: 1, note: null }), TypeError)
  assert.deepEqual(strict.bind({ a: 1, rows: 1 }).values, [1, undefined])
})

test('of an object that a caller hands in, what the statement does not know is left alone', () => {
  const row = { a: 1, note: 'x', rows: 1, createdAt: new Date(0) }
  assert.deepEqual(strict.bind(handedIn({ ...row })).values, [1, 'x'])
})

test('null is a value for a parameter that may be null, and leaves out the part of any other', () => {
  assert.match(
    strict.bind({ a: 1, note: null, b: null, c: null, rows: 1 }).text,
    /\$2 {2}and c = \$3 limit 1$/,
  )
  assert.match(strict.bind({ a: 1, note: null, b: 1, rows: 1 }).text, /\$2 where b = \$3 {2}limit 1$/)
})

test('a column that is said to be never null has its own name', () => {
  const marked = new Statement<object, object>('select count(*) as "count!", id as "id" from t')
  assert.equal(marked.bind({}).text, 'select count(*) as "count", id as "id" from t')
  assert.deepEqual([...marked.neverNull], ['count'])
})

interface Listed {
  parameters: { workspaceId: string; team?: string | null | undefined; note: string | null | undefined }
  row: { id: string; at: Date | null; status: 'open' | 'closed'; labels: AnyJson; links: AnyJson | null }
}

/** Never run: the compiler is the test, and says so when one of these is no mistake any more. */
async function mistakes(tx: Tx, filter: { workspaceId: string; note: string; teem?: string }) {
  const listed = statement<Listed, { labels: string[] }>('')
  // @ts-expect-error a parameter is missing
  await read(tx, listed, { note: null })
  // @ts-expect-error it is misspelt
  await read(tx, listed, { workspaceId: 'w', note: null, teem: 'a' })
  // @ts-expect-error it is misspelt in what is spread
  await read(tx, listed, filter)
  // @ts-expect-error it may not be null
  await read(tx, listed, { workspaceId: null, note: null })
  // @ts-expect-error it is a text
  await read(tx, listed, { workspaceId: 1, note: null })
  const [row] = await read(tx, listed, { workspaceId: 'w', note: null })
  // @ts-expect-error the column went
  row!.title
  // @ts-expect-error it may be null
  row!.at.getTime()
  // @ts-expect-error it is never that
  row!.status === 'resolved'
  // @ts-expect-error nothing was said of what it holds
  row!.links.length
  row!.labels.length
  // @ts-expect-error what is said of a column that may be null has to say so
  statement<Listed, { at: Date }>('')
  // @ts-expect-error what is said contradicts the database
  statement<Listed, { id: number }>('')
  // @ts-expect-error what is said is of a column that there is not
  statement<Listed, { title: string }>('')
  statement<Listed, { links: { url: string }[] | null; status: 'open' }>('')
}
void mistakes
