import assert from 'node:assert/strict'
import { test } from 'node:test'
import { afterAnswer, announcement, arrivals, moved, without } from './selection.ts'

const keys = ['dec-a', 'dec-b', 'dec-c']

test('moving goes one by one and stops at both ends', () => {
  assert.equal(moved(keys, 'dec-a', 0, 1), 'dec-b')
  assert.equal(moved(keys, 'dec-c', 2, 1), 'dec-c')
  assert.equal(moved(keys, 'dec-b', 1, -1), 'dec-a')
  assert.equal(moved(keys, 'dec-a', 0, -1), 'dec-a')
  assert.equal(moved(keys, 'dec-a', 0, 10), 'dec-c')
  assert.equal(moved([], 'dec-a', 0, 1), null)
})

test('with nothing selected, moving down starts at the top', () => {
  assert.equal(moved(keys, null, 0, 1), 'dec-a')
  assert.equal(moved(keys, null, 0, -1), 'dec-a')
})

test('when the selected one has left the list, moving goes on from its old place', () => {
  // It stood second, between a and b.
  assert.equal(moved(keys, 'dec-gone', 1, 1), 'dec-b')
  assert.equal(moved(keys, 'dec-gone', 1, -1), 'dec-a')
  assert.equal(moved(keys, 'dec-gone', 9, 1), 'dec-c')
})

test('after an answer the next one is selected, at the end the one above, and none when it was the last', () => {
  assert.equal(afterAnswer(keys, 'dec-a'), 'dec-b')
  assert.equal(afterAnswer(keys, 'dec-c'), 'dec-b')
  assert.equal(afterAnswer(['dec-a'], 'dec-a'), null)
  assert.equal(afterAnswer(keys, 'dec-gone'), 'dec-a')
})

test('only what was not there before is announced, and in bulk', () => {
  const at = (...days: number[]) => days.map((day) => ({ createdAt: `2026-03-0${day}T08:00:00.000Z` }))
  const second = at(2)[0]!.createdAt
  assert.deepEqual(arrivals(null, at(1, 2)), { count: 0, newest: second })
  assert.deepEqual(arrivals(second, at(1, 2)), { count: 0, newest: second }, 'an older page')
  assert.deepEqual(arrivals(second, at(4, 1, 3)), { count: 2, newest: at(4)[0]!.createdAt })
  assert.deepEqual(arrivals(second, []), { count: 0, newest: second })
  assert.equal(announcement(0), '')
  assert.equal(announcement(1), '1 new decision')
  assert.equal(announcement(3), '3 new decisions')
})

test('an answered decision leaves its page, and the other pages stay', () => {
  const pages = [{ data: [{ key: 'dec-a' }, { key: 'dec-b' }] }, { data: [{ key: 'dec-c' }] }]
  assert.deepEqual(without(pages, 'dec-b'), [{ data: [{ key: 'dec-a' }] }, { data: [{ key: 'dec-c' }] }])
})
