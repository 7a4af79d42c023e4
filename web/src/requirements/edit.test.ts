import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Draft } from '@signalbox/contract/app/requirements.ts'
import { editFrom, typedFrom } from './edit.ts'

const draft = {
  key: 'WEB-1',
  title: 'Show the window',
  description: 'Why.',
  acceptanceCriteria: [
    { id: 'ac-1', text: 'It is shown.', status: 'unverified', verifiedAt: null },
    { id: 'ac-2', text: 'It is right.', status: 'unverified', verifiedAt: null },
  ],
  demonstrate: null,
  size: null,
} as unknown as Draft

test('a form in which nothing was typed sends nothing', () => {
  assert.deepEqual(editFrom(draft, typedFrom(draft)), {})
})

test('only what was changed is sent', () => {
  const typed = { ...typedFrom(draft), title: 'Show the delivery window', size: 's' }
  assert.deepEqual(editFrom(draft, typed), { title: 'Show the delivery window', size: 's' })
})

test('criteria are lines, also of a list that was pasted', () => {
  const typed = {
    ...typedFrom(draft),
    criteria: '- [ ] It is shown.\n\n2. It is right.\n  * -5 is refused. ',
  }
  assert.deepEqual(editFrom(draft, typed).acceptanceCriteria, [
    'It is shown.',
    'It is right.',
    '-5 is refused.',
  ])
})

test('an emptied Demonstrate block is none', () => {
  const shown = { ...draft, demonstrate: 'Open it.' } as Draft
  assert.deepEqual(editFrom(shown, { ...typedFrom(shown), demonstrate: '  ' }), { demonstrate: null })
})
