import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toneOf } from './line-tone.ts'

test('a line that reports an error is told from one that says there is none', () => {
  for (const line of [
    '✖ ac-1 a label ends with the weight',
    'not ok 3 - parses',
    'FAIL src/label.test.ts',
    'error: the model is overloaded',
    'src/a.ts(3,1): error TS2304: Cannot find name',
    '  AssertionError [ERR_ASSERTION]: Expected values to be equal:',
    'TypeError: x is not a function',
    '2 failed, 22 passed',
    'npm ERR! code 1',
  ])
    assert.equal(toneOf(line), 'bad', line)
  for (const line of [
    'src: no errors',
    '0 failed, 24 passed',
    'ℹ fail 0',
    'read src/error.ts',
    'handles errors',
  ])
    assert.notEqual(toneOf(line), 'bad', line)
  assert.equal(toneOf('✔ parses (3 ms)'), 'good')
  assert.equal(toneOf('warning: unused variable'), 'warning')
})
