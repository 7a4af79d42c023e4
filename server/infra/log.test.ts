import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog, redact } from './log.ts'

const token = 'tk_0123456789ABCDEFGHIJKLMNOPQRSTUV'

test('tokens and secrets in addresses are masked wherever they stand', () => {
  assert.equal(redact(`a ${token} b`), 'a tk_01234567[redacted] b')
  assert.equal(redact('/signals/x?a=1&key=s3cret&b=2'), '/signals/x?a=1&key=[redacted]&b=2')
  assert.equal(redact('Authorization: Bearer abc.def'), 'Authorization: Bearer [redacted]')
})

test('an error is logged by its words, not with the connection it happened on', () => {
  const lines: string[] = []
  const log = createLog({ level: 'info', to: { write: (line) => lines.push(line) } })
  const error = Object.assign(new Error(`cannot use ${token}`), {
    code: '57P01',
    client: { password: 'hunter2' },
  })
  log.error({ err: error }, 'failed')
  const line = JSON.parse(lines[0]!)
  assert.equal(line.err.code, '57P01')
  assert.ok(!lines[0]!.includes('hunter2'))
  assert.ok(!lines[0]!.includes(token))
})
