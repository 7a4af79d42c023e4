import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ago } from './ago.ts'
import { table } from './table.ts'

test('columns are as wide as what is in them, and only the last is cut to the terminal', () => {
  const rows = [
    ['dec-k3x9', 'Load the locker map only when it is opened'],
    ['dec-1', 'Short'],
  ]
  assert.equal(
    table(['KEY', 'TITLE'], rows, 30),
    'KEY       TITLE\ndec-k3x9  Load the locker map…\ndec-1     Short',
  )
  assert.match(table(['KEY', 'TITLE'], rows, undefined), /only when it is opened\n/)
})

test('what others wrote stays on its line and steers no terminal', () => {
  const rows = [['a\nb', '\u{1b}[2Jgone\u{202e}']]
  assert.equal(table(['A', 'B'], rows, undefined), 'A    B\na b  \\u{1b}[2Jgone\\u{202e}')
})

test('times are told in the largest unit that fits', () => {
  const now = Date.parse('2026-11-18T12:00:00Z')
  assert.equal(ago('2026-11-18T11:59:30Z', now), 'now')
  assert.equal(ago('2026-11-18T11:15:00Z', now), '45 min ago')
  assert.equal(ago('2026-11-17T10:00:00Z', now), '1 d ago')
  assert.equal(ago('2026-11-18T15:20:00Z', now), 'in 3 h')
  assert.equal(ago('2026-11-25T11:59:00Z', now), 'in 7 d', 'what lies ahead is rounded, as in the app')
  assert.equal(ago(null, now), '')
})
