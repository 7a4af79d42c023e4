import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openColumns } from './open-columns.ts'

const roles = ['backlog', 'refining', 'ready', 'in_progress', 'review', 'done'] as const
const open = (...totals: number[]) => [
  ...openColumns(roles.map((role, at) => ({ role, total: totals[at]! }))),
]

test('on a phone the columns with cards are open, and never only empty ones', () => {
  assert.deepEqual(open(40, 0, 2, 0, 1, 90), ['ready', 'review'])
  assert.deepEqual(open(3, 0, 0, 0, 0, 90), ['backlog'])
  assert.deepEqual(open(0, 0, 0, 0, 0, 9), ['done'])
  assert.deepEqual(open(0, 0, 0, 0, 0, 0), [])
})
