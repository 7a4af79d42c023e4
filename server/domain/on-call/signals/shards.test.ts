import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { shardsOf } from './shards.ts'

test('sources that share a lock or a service, directly or through others, are in one shard, and no others are', () => {
  const waiting = fc
    .array(fc.record({ lock: fc.nat(6), services: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e')) }))
    .map((sources) => sources.map((source, place) => ({ ...source, sourceId: `source ${place}` })))
  fc.assert(
    fc.property(waiting, (sources) => {
      const shards = shardsOf(sources)
      assert.deepEqual(
        shards.flatMap((shard) => shard.sources).toSorted(),
        sources.map(({ sourceId }) => sourceId).toSorted(),
      )
      // By the plainest rule: pass a mark on until nothing changes.
      const marks = sources.map((_, place) => place)
      const meets = (one: number, other: number) =>
        sources[one]!.lock === sources[other]!.lock ||
        sources[one]!.services.some((service) => sources[other]!.services.includes(service))
      for (let isChanged = true; isChanged; ) {
        isChanged = false
        for (const one of sources.keys())
          for (const other of sources.keys())
            if (marks[one]! > marks[other]! && meets(one, other)) {
              marks[one] = marks[other]!
              isChanged = true
            }
      }
      const shardOf = (place: number) =>
        shards.findIndex((shard) => shard.sources.includes(sources[place]!.sourceId))
      for (const one of sources.keys())
        for (const other of sources.keys())
          assert.equal(shardOf(one) === shardOf(other), marks[one] === marks[other])
      const locks = shards.flatMap((shard) => shard.locks)
      assert.equal(new Set(locks).size, locks.length, 'no two shards share a lock')
      for (const shard of shards)
        assert.deepEqual(
          shard.locks,
          shard.locks.toSorted((one, other) => one - other),
        )
    }),
  )
})
