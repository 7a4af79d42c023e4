import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changesBetween, type Edited, linesOf, merge } from './editing.ts'

const before: Edited = {
  title: 'Show the window',
  description: 'Why.',
  acceptanceCriteria: ['It is shown'],
  demonstrate: '',
  testPlan: '',
  size: null,
  complexity: null,
  classOfService: 'standard',
}

test('only what differs is sent; white space and empty criteria are no difference', () => {
  assert.deepEqual(changesBetween(before, { ...before }), {})
  const spaced = { ...before, title: ' Show  the window ', acceptanceCriteria: ['It is shown ', ''] }
  assert.deepEqual(changesBetween(before, spaced), {})
  assert.deepEqual(
    changesBetween(before, { ...before, size: 's', acceptanceCriteria: ['It is shown', 'Twice'] }),
    {
      size: 's',
      acceptanceCriteria: ['It is shown', 'Twice'],
    },
  )
})

test('what two changed goes together; only what both changed is to be decided', () => {
  const mine: Edited = { ...before, size: 's', demonstrate: 'Open it.' }
  const theirs: Edited = { ...before, size: 'l', complexity: 'high' }
  assert.deepEqual(merge(before, mine, theirs), {
    edited: { ...before, size: 's', demonstrate: 'Open it.', complexity: 'high' },
    both: ['size'],
  })
  assert.deepEqual(merge(before, mine, before).both, [])
})

test('a list that is pasted is one criterion a line, without its marks', () => {
  assert.deepEqual(linesOf('- [ ] It is shown.\n\n2. It is right.\r\n  * -5 is refused. '), [
    'It is shown.',
    'It is right.',
    '-5 is refused.',
  ])
})
