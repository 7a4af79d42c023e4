import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { slowReads } from './slow-reads.ts'

/** Who reads a table that is made slow waits for it. No one else does. */

let world: Awaited<ReturnType<typeof slowReads>>
before(async () => {
  world = await slowReads()
})
after(() => world.stop())

test('one slow read, whichever it is, harms none of the others', async (t) => {
  const { readings, tables } = world
  t.diagnostic(`${readings.length} reads of ${tables.length} tables`)
  assert.ok(readings.length > 80 && tables.length > 40, 'little of what can be read is')
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...tables).chain((table) => {
        const readers = readings.filter((reading) => reading.tables.has(table))
        return fc.tuple(fc.constant(table), fc.constantFrom(...readers))
      }),
      fc.uniqueArray(fc.constantFrom(...readings), { minLength: 10, maxLength: 20 }),
      ([table, slow], some) => world.makeSlow(table, slow, some),
    ),
    { numRuns: 8 },
  )
})
