import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commitMessage } from './message.ts'

test('no message keeps checks from running', () => {
  for (const text of [
    'Fix [skip ci]',
    '[ci skip] x',
    '[no ci]',
    'a\n\nskip-checks: true',
    '***NO_CI***',
    '[skip actions]',
  ])
    assert.doesNotMatch(commitMessage(text), /\[|\]|^skip-checks|\*\*\*/m)
})

test('a message keeps its words and lines, and has some', () => {
  assert.equal(
    commitMessage('WEB-12: show it\r\n\r\nBecause\u0000 of \u202ethis  '),
    'WEB-12: show it\n\nBecause of this\n',
  )
  assert.equal(commitMessage('  \n'), 'Work of a run\n')
})
