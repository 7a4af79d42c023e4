import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSameView, searchOf } from './view-search.ts'

test('a view is known again by what is set in it, whatever the order', () => {
  const saved = { team: 'web', filter: { sort: 'newest', mine: true, q: 'label' } as const }
  const seen = { team: 'web', filter: { q: 'label', drafts: false, mine: true, sort: 'newest' } as const }
  assert.ok(isSameView(saved, seen))
  assert.ok(!isSameView(saved, { ...seen, team: 'api' }))
  assert.ok(!isSameView(saved, { ...seen, filter: { ...seen.filter, size: 's' } }))
})

test('the address of a view says what is set, and nothing else', () => {
  assert.deepEqual(searchOf({ mine: true, drafts: false, size: 's' }), { mine: 'yes', size: 's' })
})
