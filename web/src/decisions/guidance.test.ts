import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LineComment } from '../changes/comment.ts'
import { guidanceOf } from './guidance.ts'

const on = (path: string, line: number, text: string, rest: Partial<LineComment> = {}): LineComment => ({
  ...{ path, line, text, side: 'after', code: '  return total' },
  ...rest,
})

test('comments on lines follow the note, in the order of the change, each below what it is about', () => {
  const comments = [
    on('src/b.ts', 7, ' Round it. '),
    on('src/a.ts', 40, 'Why was this removed?', { side: 'before', code: 'check(id)' }),
    on('src/a.ts', 9, 'Name the unit.', { code: '' }),
    on('src/a.ts', 10, '   '),
  ]
  assert.equal(
    guidanceOf('Nearly there.', comments),
    [
      'Nearly there.',
      'src/a.ts, line 9:\nName the unit.',
      'src/a.ts, removed line 40:\n> check(id)\nWhy was this removed?',
      'src/b.ts, line 7:\n> return total\nRound it.',
    ].join('\n\n'),
  )
  assert.equal(guidanceOf('', comments.slice(0, 1)), 'src/b.ts, line 7:\n> return total\nRound it.')
  assert.equal(guidanceOf(' Only this ', []), 'Only this')
})
