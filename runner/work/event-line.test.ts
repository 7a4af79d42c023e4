import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lineOf } from './event-line.ts'

test('a tool that is done says what it printed, or that there was nothing', () => {
  assert.equal(lineOf({ type: 'tool_ended', id: 'a', ok: true, output: '3 files' }), '← 3 files')
  assert.equal(lineOf({ type: 'tool_ended', id: 'a', ok: true, output: '' }), '← no output')
  assert.equal(lineOf({ type: 'tool_ended', id: 'a', ok: false, output: '\n' }), '✗ no output')
})
