import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseAway } from '../../infra/db/away.ts'
import { refusalOf } from './refusal.ts'

test('while the database is away an agent is told to wait and call again, not that something is broken', () => {
  for (const error of [new DatabaseAway('gone'), new Error('Connection terminated unexpectedly')])
    assert.deepEqual(refusalOf(error), {
      error: {
        code: 'service_unavailable',
        message: 'The database cannot be reached. Try again in a moment.',
        nextStep: 'Wait a few seconds and call again.',
      },
    })
  assert.equal(refusalOf(new Error('A fault of ours')), null)
})
