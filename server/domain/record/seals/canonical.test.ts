import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalJson, entryHash } from './canonical.ts'

test('keys are sorted by their UTF-16 units at every depth, without white space', () => {
  const value = {
    '€': 1,
    '\r': 2,
    '\ufb33': 3,
    '1': 4,
    '😀': 5,
    '\u0080': 6,
    ö: { b: [], a: null },
    '10': true,
    '9': 'é"\n',
  }
  assert.equal(
    canonicalJson(value),
    '{"\\r":2,"1":4,"10":true,"9":"é\\"\\n","\u0080":6,"ö":{"a":null,"b":[]},"€":1,"😀":5,"\ufb33":3}',
  )
})

test('numbers have the one form of RFC 8785', () => {
  assert.equal(
    canonicalJson([1e30, 4.5, 2e-3, 1e-27, -0, 333333333.3333333]),
    '[1e+30,4.5,0.002,1e-27,0,333333333.3333333]',
  )
})

test('an entry hashes the same however its file was printed and its keys were shuffled', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const printed = JSON.parse(JSON.stringify(shuffled(value), null, 2))
      assert.deepEqual(entryHash(printed), entryHash(value))
      assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)))
    }),
  )
})

test('a value is written as its JSON would be, with or without having been JSON', () => {
  const value = {
    z: new Date(0),
    a: undefined,
    list: [undefined, () => {}],
    é: { 10: 1, 9: 2, b: undefined },
  }
  for (const one of [value, { plain: { z: 1, a: undefined } }, JSON.parse('{"__proto__":{"b":1,"a":2}}')])
    assert.equal(canonicalJson(one), canonicalJson(JSON.parse(JSON.stringify(one))))
  assert.equal(canonicalJson(value), '{"list":[null,null],"z":"1970-01-01T00:00:00.000Z","é":{"10":1,"9":2}}')
  assert.equal(canonicalJson(JSON.parse('{"__proto__":{"b":1,"a":2}}')), '{"__proto__":{"a":2,"b":1}}')
})

test('a text made by JSON.stringify is the same after being read and written again', () => {
  // verify-log relies on it to notice a key that is in the text twice.
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const text = JSON.stringify(value)
      assert.equal(JSON.stringify(JSON.parse(text)), text)
    }),
  )
})

test('the deepest entry that can be written can be sealed', () => {
  const deep = JSON.parse(`${'['.repeat(8_000)}${']'.repeat(8_000)}`)
  assert.equal(canonicalJson(deep).length, 16_000)
})

function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, shuffled(member)]),
  )
}
