import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statement } from './statement.ts'

const page = statement<{ id: string }>(`
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
  const limited = statement('select :a limit #rows')
  assert.equal(limited.bind({ a: 1, rows: 26 }).text, 'select $1 limit 26')
  assert.deepEqual(limited.bind({ a: 1, rows: 26 }).values, [1])
  assert.notEqual(limited.bind({ a: 1, rows: 26 }).name, limited.bind({ a: 1, rows: 101 }).name)
  assert.throws(() => limited.bind({ a: 1, rows: '1; drop table t' }), TypeError)
})

test('a parameter that stands twice is sent once', () => {
  const twice = statement('select :a, :b, :a').bind({ a: 'x', b: 'y' })
  assert.equal(twice.text, 'select $1, $2, $1')
  assert.deepEqual(twice.values, ['x', 'y'])
})
