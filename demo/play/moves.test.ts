import assert from 'node:assert/strict'
import { test } from 'node:test'
import { arrivals } from '../halden-parcels/arrivals.ts'
import { begun, next } from './moves.ts'

/** Rounds until nothing more is played, if every step came out like this. */
function rounds(outcome: (round: number) => boolean | null): { rounds: number; moves: number } {
  let state = begun
  for (let round = 0; ; round += 1) {
    if (state.episode >= arrivals.length) return { rounds: round, moves: state.moves }
    assert.ok(round < 1_000, 'it has an end')
    state = next(state, outcome(round))
  }
}

test('however its steps come out, the demo makes at most 24 moves and comes to rest', () => {
  assert.deepEqual(
    rounds(() => true),
    { rounds: 24, moves: 24 },
  )
  assert.deepEqual(
    rounds(() => null),
    { rounds: 4, moves: 0 },
  )
  assert.equal(rounds(() => false).moves, 0)
  for (let every = 2; every < 12; every += 1) {
    assert.ok(rounds((round) => round % every === 0).moves <= 24)
    assert.ok(rounds((round) => (round % every === 0 ? null : true)).moves <= 24)
  }
})
