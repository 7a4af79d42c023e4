import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seen } from './seen.ts'

const hostile = 'Pay\u202e\u3164 the\u{e0101} bill\u200b 👩‍👩‍👧'

test('whatever cannot be seen is written out in titles and names, in every row of a list', () => {
  const json = JSON.stringify({ data: [{ title: hostile, labels: [hostile], total: 2 }] })
  const shown = 'Pay\\u{202e}\\u{3164} the\\u{e0101} bill\\u{200b} 👩‍👩‍👧'
  assert.deepEqual(seen('stories.list', json), { data: [{ title: shown, labels: [shown], total: 2 }] })
  // As JSON may escape it, too.
  assert.deepEqual(seen('stories.list', '{"title":"a\\u202eb"}'), { title: 'a\\u{202e}b' })
})

test('what is edited stays as it was written', () => {
  assert.deepEqual(seen('stories.read', JSON.stringify({ title: hostile })), { title: hostile })
})
