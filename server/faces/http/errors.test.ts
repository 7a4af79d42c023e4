import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ReadTooSlow, TooSlow } from '../../infra/db/away.ts'
import { errorAnswer } from './errors.ts'

const request = { id: 'req-1', log: { info() {}, error() {} } }
const answerOf = (error: unknown) => {
  const { status, body } = errorAnswer(error, request)
  return [status, JSON.parse(body).error.message]
}
const cancelled = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' })
const queued = new Error('timeout exceeded when trying to connect')

test('what took too long in the database is answered with 503 and what to do, whatever asked it', () => {
  const narrow = [503, 'This takes too long. Narrow your search, or try again in a moment.']
  const again = [503, 'This took too long. Try again in a moment.']
  for (const cause of [cancelled, queued]) {
    assert.deepEqual(answerOf(new ReadTooSlow('A read.', { cause })), narrow)
    assert.deepEqual(answerOf(new TooSlow('A change.', { cause })), again)
    assert.deepEqual(answerOf(cause), again)
    assert.deepEqual(answerOf(new Error('A library wraps it.', { cause })), again)
  }
  assert.equal(answerOf(new Error('Anything else.'))[0], 500)
})
