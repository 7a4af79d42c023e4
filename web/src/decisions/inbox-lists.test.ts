import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inOrder } from './inbox-lists.ts'

test('what waits is in the order of the server, or by when it was asked', () => {
  const rows = [2, 1, 3].map((day) => ({ createdAt: `2026-03-0${day}T00:00:00.000Z`, day }))
  const daysIn = (order?: string) => inOrder(rows, order).map(({ day }) => day)
  assert.deepEqual(daysIn(), [2, 1, 3])
  assert.deepEqual(daysIn('newest'), [3, 2, 1])
  assert.deepEqual(daysIn('oldest'), [1, 2, 3])
})
