import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Coalesced } from './coalesced.ts'

const hourMs = 3_600_000

test('after a rush the next round begins as soon as no one asks any more', async () => {
  let rounds = 0
  const second = Promise.withResolvers<void>()
  const coalesced = new Coalesced(
    async () => {
      rounds += 1
      if (rounds === 2) second.resolve()
      return 1_000
    },
    { apartMs: () => hourMs, onError: assert.ifError },
  )
  await coalesced.ask('w')
  // While it rests.
  assert.equal(coalesced.ask('w'), undefined)
  await second.promise
  await coalesced.stop()
  assert.equal(rounds, 2)
})

test('under load, rounds are spaced out, and a stop does not wait for the next', async () => {
  let rounds = 0
  const coalesced = new Coalesced(
    async () => {
      rounds += 1
      return 1_000
    },
    { apartMs: () => hourMs, quietMs: hourMs, onError: assert.ifError },
  )
  await coalesced.ask('w')
  for (let time = 0; time < 100; time += 1) {
    assert.equal(coalesced.ask('w'), undefined)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await coalesced.stop()
  assert.equal(rounds, 1)
})
