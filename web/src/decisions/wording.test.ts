import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsNote } from '@signalbox/contract/note-needed.ts'
import { closedSentence, expiryOf, lengthOf } from './wording.ts'

const now = Date.parse('2026-03-02T12:00:00.000Z')
const at = (seconds: number) => new Date(now + seconds * 1000).toISOString()

test('what is left to answer is said in the unit that matters, and warns in the last day', () => {
  const left = (seconds: number) => expiryOf(at(seconds), now)
  assert.deepEqual(left(30), { text: '1 min left', isSoon: true })
  assert.deepEqual(left(59 * 60), { text: '59 min left', isSoon: true })
  assert.deepEqual(left(23.6 * 3_600), { text: '24 h left', isSoon: true })
  assert.deepEqual(left(24 * 3_600), { text: '24 h left', isSoon: false })
  assert.deepEqual(left(6.9 * 86_400), { text: '7 days left', isSoon: false })
  assert.deepEqual(left(-1), { text: 'expired', isSoon: true })
  assert.equal(expiryOf(null, now), null)
})

const pending: Parameters<typeof closedSentence>[0] = {
  status: 'pending',
  options: [
    { id: 'merge', label: 'Merge', action: 'merge', recommended: true },
    { id: 'reject', label: 'Reject', action: 'reject', recommended: false },
  ],
  resolution: null,
  resolvedBy: null,
  resolvedVia: null,
  resolvedPresence: null,
  runKey: 'run-7k2q',
}

test('an answer is told with who, what and where', () => {
  const resolved: typeof pending = {
    ...pending,
    status: 'resolved',
    resolution: { optionId: 'merge', note: null },
    resolvedBy: 'Ada',
    resolvedVia: 'slack',
  }
  assert.equal(closedSentence(resolved), 'Ada answered “Merge” in Slack.')
  assert.match(closedSentence({ ...resolved, resolvedBy: null })!, /^Someone answered/)
  const said = (resolvedVia: 'api' | 'app', resolvedPresence: 'token' | 'passkey' | 'session') =>
    closedSentence({ ...resolved, resolvedVia, resolvedPresence })
  assert.equal(said('api', 'token'), 'Ada answered “Merge” over the API, with a token.')
  assert.equal(said('app', 'passkey'), 'Ada answered “Merge” in the app, signed in with a passkey.')
  assert.equal(said('app', 'session'), 'Ada answered “Merge” in the app.')
})

test('every way to be closed has its sentence, and pending has none', () => {
  const said = (
    status: 'pending' | 'expired' | 'cancelled' | 'superseded',
    runKey: string | null = 'run-7k2q',
  ) => closedSentence({ ...pending, status, runKey })
  assert.equal(said('pending'), null)
  assert.match(said('expired')!, /so the run failed/)
  assert.match(said('expired', null)!, /nothing was started/)
  assert.match(said('cancelled')!, /the run was stopped/)
  assert.match(said('cancelled', null)!, /the issue is gone/)
  assert.match(said('superseded')!, /a newer decision replaced this one/)
})

test('a note is counted in whole characters', () => {
  assert.equal(lengthOf('né 👍'), 4)
})

test('an answer that is in the note needs one, and so does guidance', () => {
  const option = { id: 'note', label: 'Answer in the note', action: 'answer', recommended: true } as const
  assert.ok(needsNote(option))
  assert.ok(!needsNote({ ...option, id: 'both' }))
  const asked = { ...option, action: 'request_changes' } as const
  assert.ok(needsNote({ ...asked, label: 'Continue with my guidance' }))
  assert.ok(needsNote({ ...asked, label: 'Request changes' }))
  assert.ok(!needsNote({ ...asked, label: 'Keep the scope' }))
})
