import assert from 'node:assert/strict'
import { test } from 'node:test'
import { promptFor } from './prompt.ts'

test('the prompt names the key, each criterion and how to show it', () => {
  const story = {
    key: 'WEB-1',
    title: 'Show the window',
    description: '',
    acceptanceCriteria: [
      { id: 'ac-1', text: 'It is shown', status: 'unverified', verifiedAt: null } as const,
    ],
    demonstrate: 'Open an order.',
    testPlan: 'Try an order without a window, too.',
  }
  assert.equal(
    promptFor(story),
    [
      'Work on story WEB-1: Show the window',
      'It is done when each of these holds:\n1. It is shown',
      'Show that it works like this:\nOpen an order.',
      'Test it like this:\nTry an order without a window, too.',
      'Do not change anything under .kanman/acceptance. Name WEB-1 in the commit message.',
    ].join('\n\n'),
  )
})
