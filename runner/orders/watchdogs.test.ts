import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Time } from '../time.ts'
import type { Stopped } from './order-context.ts'
import { Watchdogs, watchdogLimits } from './watchdogs.ts'

function watched() {
  let now = 0
  let free: number | null = null
  const tripped: Stopped[] = []
  const time: Time = { now: () => now, wait: async () => {}, milliseconds: (s) => s, date: () => new Date() }
  const dogs = new Watchdogs(watchdogLimits, { time, diskFree: () => free, trip: (why) => tripped.push(why) })
  return {
    dogs,
    tripped,
    at(seconds: number) {
      now = seconds
      dogs.look()
    },
    disk(bytes: number) {
      free = bytes
      dogs.look()
    },
  }
}

test('an agent that says nothing for ten minutes is given up; one that speaks is not', () => {
  const { dogs, tripped, at } = watched()
  const turn = dogs.watchTurn()
  at(599)
  turn.onActivity()
  at(1_198)
  assert.equal(tripped.length, 0)
  at(1_200)
  assert.match(tripped[0]!.message, /has been silent for 10 minutes/)
})

test('between turns no one has to speak', () => {
  const { dogs, tripped, at } = watched()
  dogs.watchTurn().end()
  at(3_600)
  assert.equal(tripped.length, 0)
})

test('work that takes longer than four hours is given up for good', () => {
  const { tripped, at } = watched()
  at(4 * 3_600 + 1)
  assert.equal(tripped[0]!.failureClass, 'persistent')
})

test('the same call twenty times in a row is hopeless, with others between it is not', () => {
  const { dogs, tripped } = watched()
  const turn = dogs.watchTurn()
  for (let at = 0; at < 100; at += 1) turn.onActivity(`call ${at % 2}`)
  assert.equal(tripped.length, 0)
  for (let at = 0; at < 20; at += 1) turn.onActivity('ls')
  assert.match(tripped[0]!.message, /the same call 20 times: ls/)
})

test('a disk that is almost full ends the work, which may go on later', () => {
  const { tripped, disk } = watched()
  disk(300_000_000)
  assert.equal(tripped.length, 0)
  disk(100_000_000)
  assert.equal(tripped[0]!.failureClass, 'transient')
  assert.match(tripped[0]!.message, /100 MB are left/)
})
