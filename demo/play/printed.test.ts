import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { proof, testing } from './printed.ts'

test('the proof of a criterion is a line of the log, to which its evidence leads', () => {
  const acceptanceCriteria = ['One', 'Two'].map((text, index) => ({ id: `ac-${index + 1}`, text }))
  const order = { run: 'run-1', attempt: 1, stage: 'verifying', guidance: [], story: { acceptanceCriteria } }
  const lines = testing({ ...order, team: { slug: 'web' } } as never, 0, ['ac-2']).map(
    stripVTControlCharacters,
  )
  assert.deepEqual(lines.slice(-2), ['✔ ac-1 One (scripted)', '✖ ac-2 Two (scripted)'])
  assert.deepEqual(
    lines.slice(-2),
    acceptanceCriteria.map((one) => proof(one as never, one.id === 'ac-1')),
  )
})
