import assert from 'node:assert/strict'
import { test } from 'node:test'
import { step, whyNotMoved, whyNotThere } from './moves.ts'

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
