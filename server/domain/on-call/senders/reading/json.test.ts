import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, pairsOf, parseBody } from './json.ts'

const parsedFrom = (text: string) => {
  const parsed = parseBody(Buffer.from(text))
  return 'value' in parsed ? parsed.value : parsed.problem
}

test('integers that a number cannot hold keep their digits', () => {
  assert.deepEqual(
    parsedFrom('{"a":1896000000000000001,"b":[-9000000000000000001],"c":17,"d":"1896000000000000001"}'),
    {
      a: '1896000000000000001',
      b: ['-9000000000000000001'],
      c: 17,
      d: '1896000000000000001',
    },
  )
  const [fraction, power] = ['1234567890123456.5', '12345678901234567e2']
  assert.deepEqual(parsedFrom(`[${fraction},${power}]`), [Number(fraction), Number(power)])
})

test('digits inside a text are not touched, whatever is escaped around them', () => {
  const text = 'say \\"1896000000000000001\\" \\\\'
  assert.deepEqual(parsedFrom(`{"a":"${text}","b":1896000000000000001}`), {
    a: 'say "1896000000000000001" \\',
    b: '1896000000000000001',
  })
})

test('what JSON forbids stays forbidden', () => {
  assert.equal(parsedFrom('{"a":00000000000000000001}'), 'The body is not JSON.')
  assert.equal(parsedFrom('{"a":1896000000000000001'), 'The body is not JSON.')
})

test('only UTF-8 is read, and nothing of a bad body is repeated', () => {
  assert.deepEqual(parseBody(Buffer.from([0x7b, 0xff, 0x7d])), {
    problem: 'The body is not UTF-8. Send JSON in UTF-8.',
  })
  assert.deepEqual(parseBody(Buffer.alloc(0)), { problem: 'The body is empty.' })
  assert.deepEqual(parseBody(Buffer.from('{"secret": hunter2}')), { problem: 'The body is not JSON.' })
  assert.deepEqual(parsedFrom('\uFEFF{"a":1}'), { a: 1 })
})

test('the last of two equal keys counts', () => {
  assert.deepEqual(parsedFrom('{"a":1,"a":2}'), { a: 2 })
})

test('keys that every object has are missing until a body brings them', () => {
  assert.equal(at({}, 'constructor'), undefined)
  assert.equal(at({}, '__proto__', 'toString'), undefined)
  assert.equal(at([1], 'length', 'x'), undefined)
  assert.equal(at('text', 0), undefined)
  const body = parsedFrom('{"__proto__":{"polluted":true},"constructor":"mine"}')
  assert.deepEqual(at(body, '__proto__'), { polluted: true })
  assert.deepEqual(
    [...pairsOf(body)],
    [
      ['__proto__', { polluted: true }],
      ['constructor', 'mine'],
    ],
  )
  assert.equal(({} as Record<string, unknown>).polluted, undefined)
})
