import assert from 'node:assert/strict'
import { test } from 'node:test'
import { meaningOf, optionIn } from './parse-reply.ts'

const questions = (...answers: (string | null)[]) =>
  answers.map((answer, index) => ({ id: `q-${index + 1}`, text: 'What?', answer }))

test('numbered lines answer the questions of those numbers', () => {
  const meaning = meaningOf(
    '1: Buyers\n2) On the order page,\nat the top\nq-3. Yes',
    questions(null, null, null),
  )
  assert.deepEqual(meaning, {
    type: 'answers',
    answers: [
      { id: 'q-1', answer: 'Buyers' },
      { id: 'q-2', answer: 'On the order page,\nat the top' },
      { id: 'q-3', answer: 'Yes' },
    ],
  })
})

test('a plain reply answers the only open question; with several open it is asked which', () => {
  assert.deepEqual(meaningOf('Buyers', questions('yes', null)), {
    type: 'answers',
    answers: [{ id: 'q-2', answer: 'Buyers' }],
  })
  assert.equal(meaningOf('Buyers', questions(null, null)).type, 'unclear')
  assert.equal(meaningOf('Thanks!', []).type, 'remark')
})

test('a key with what to do asks for it, with what stands after the colon as a note', () => {
  assert.deepEqual(meaningOf('please stop run-7k2q', []), {
    ...{ type: 'run', key: 'run-7k2q', verb: 'stop', note: null },
  })
  assert.deepEqual(meaningOf('Retry run-7k2q: mind the old tests', questions(null)), {
    ...{ type: 'run', key: 'run-7k2q', verb: 'retry', note: 'mind the old tests' },
  })
  const { words, ...decision } = meaningOf('dec-k3x9 approve: go', []) as { words: string }
  assert.deepEqual(decision, { type: 'decision', key: 'dec-k3x9', note: 'go' })
  assert.match(words, /approve/)
})

test('what is not plain asks for nothing', () => {
  for (const text of ['see run-7k2q', 'stop or retry run-7k2q', 'stop run-7k2q and run-8k2q', 'stop it'])
    assert.equal(meaningOf(text, []).type, 'remark', text)
})

test('an option is named by its number, id or label, and never guessed', () => {
  const options = [
    { id: 'approve', label: 'Approve', action: 'approve_plan' },
    { id: 'changes', label: 'Approve with changes', action: 'request_changes' },
    { id: 'reject', label: 'Reject', action: 'reject' },
  ]
  const named = (words: string) => optionIn(words, options)?.id
  assert.deepEqual(
    ['approve', 'APPROVE with changes', '3', 'request changes', 'approve or reject it', 'maybe', ''].map(
      named,
    ),
    ['approve', 'changes', 'reject', 'changes', undefined, undefined, undefined],
  )
})
