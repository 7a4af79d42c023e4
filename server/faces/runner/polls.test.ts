import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LastSeen } from '../../domain/engine/runners/last-seen.ts'
import type { KnownSession } from '../../domain/engine/runners/sessions.ts'
import { Polls } from './polls.ts'

const session = { session: 1, workspaceId: 'w', state: 'active' } as KnownSession
const hour = 3_600_000

function somePolls() {
  const polls = new Polls({ lives: { note: () => {} } as unknown as LastSeen } as ConstructorParameters<
    typeof Polls
  >[0])
  const since = { doubts: polls.doubts, version: polls.version('w') }
  const wait = () => polls.wait(session, hour, new AbortController().signal, since)
  return { polls, wait }
}

test('a token that was revoked before the wait began ends it at once', async () => {
  const { polls, wait } = somePolls()
  polls.onInvalidated()
  assert.equal(await wait(), 'doubt')
})

test('a token that is revoked while a runner waits ends the wait', async () => {
  const { polls, wait } = somePolls()
  const waiting = wait()
  polls.onInvalidated()
  assert.equal(await waiting, 'doubt')
})

test('a second wait of the same session ends the first', async () => {
  const { polls, wait } = somePolls()
  const first = wait()
  const second = wait()
  assert.equal(await first, 'replaced')
  polls.close()
  assert.equal(await second, 'closing')
})
