import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cachedFor } from './cached-for.ts'

test('a storm of questions is read once, and again when its time is over or when it failed', async () => {
  let now = 0
  let reads = 0
  let fails = false
  const read = cachedFor(
    5_000,
    async () => {
      reads += 1
      if (fails) throw new Error('away')
      return reads
    },
    () => now,
  )
  assert.deepEqual(await Promise.all([read(), read(), read()]), [1, 1, 1])
  now = 4_999
  assert.equal(await read(), 1)
  now = 5_000
  assert.equal(await read(), 2)
  now = 10_000
  fails = true
  await assert.rejects(read())
  fails = false
  assert.equal(await read(), 4)
})
