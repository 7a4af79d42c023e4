import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BoardColumn, StoryRow } from '@signalbox/contract/app/stories.ts'
import { step, whyNoneThere, whyNotMoved, whyNotThere, withMoved } from './moves.ts'

const story = {
  key: 'WEB-1',
  draft: false,
  column: { id: '', name: 'Backlog', role: 'backlog' },
  readinessScore: 90,
  run: null,
} as const

test('a card says why it cannot be moved', () => {
  assert.equal(whyNotThere(story, 'refining'), false)
  assert.match(String(whyNotThere(story, 'backlog')), /already there/)
  assert.match(String(whyNotThere(story, 'ready')), /readiness of 100, but has 90/)
  assert.equal(whyNotThere({ ...story, readinessScore: 100 }, 'ready'), false)
  assert.equal(whyNotMoved(story), false)
  assert.match(String(whyNotMoved({ ...story, draft: true })), /Approve the draft/)
  const run = { key: 'run-aaaa', status: 'waiting', stage: 'planning', open: true, local: null } as const
  assert.match(String(whyNotMoved({ ...story, run })), /run-aaaa/)
  assert.equal(whyNotMoved({ ...story, run: { ...run, open: false } }), false)
})

test('keys lead from card to card, over empty columns, and stop at the edges', () => {
  const counts = [0, 3, 0, 1]
  assert.deepEqual(step(counts, null, 'j'), { column: 1, row: 0 })
  assert.deepEqual(step(counts, { column: 1, row: 0 }, 'j'), { column: 1, row: 1 })
  assert.deepEqual(step(counts, { column: 1, row: 2 }, 'j'), { column: 1, row: 2 })
  assert.deepEqual(step(counts, { column: 1, row: 2 }, 'l'), { column: 3, row: 0 })
  assert.deepEqual(step(counts, { column: 3, row: 0 }, 'l'), { column: 3, row: 0 })
  assert.deepEqual(step(counts, { column: 3, row: 0 }, 'h'), { column: 1, row: 0 })
  assert.deepEqual(step(counts, { column: 1, row: 0 }, 'k'), { column: 1, row: 0 })
  assert.equal(step([0, 0], null, 'j'), null)
})

test('several can be moved where one of them can; else the first says why not', () => {
  const ready = { ...story, key: 'WEB-2', readinessScore: 100 }
  assert.equal(whyNoneThere([story, ready], 'ready'), false)
  assert.match(String(whyNoneThere([story, { ...ready, draft: true }], 'ready')), /readiness of 100/)
  assert.equal(whyNoneThere([], 'ready'), false)
})

test('what is let go over a column lies there first, faint, until the server has agreed', () => {
  const card = (key: string) => ({ key, column: story.column, heldBy: [] }) as unknown as StoryRow
  const column = (role: BoardColumn['role'], keys: string[]): BoardColumn => ({
    ...{ id: role, name: role, role, total: keys.length + 10 },
    stories: keys.map(card),
  })
  const board = [column('backlog', ['A', 'B', 'C']), column('review', ['D']), column('done', [])]
  const [backlog, review, done] = withMoved(board, new Set(['C', 'A', 'D', 'X']), 'review')
  assert.deepEqual([backlog?.stories.map(({ key }) => key), backlog?.total], [['B'], 11])
  assert.deepEqual([review?.stories.map(({ key }) => key), review?.total], [['A', 'C', 'D'], 13])
  assert.deepEqual(
    review?.stories.map((one) => [one.column.role, 'isMoving' in one]),
    [
      ['review', true],
      ['review', true],
      ['backlog', false],
    ],
  )
  assert.equal(done?.total, 10)
})
