import { after, before, test } from 'node:test'
import { slowReads } from './slow-reads.ts'

/** The same as in slow-reads.test.ts, with every table and everything that can be read. */

let world: Awaited<ReturnType<typeof slowReads>>
before(async () => {
  world = await slowReads()
})
after(() => world.stop())

test('whichever table is slow, all that is read elsewhere and the probe of readiness are answered', async () => {
  const { readings, tables } = world
  for (const [number, table] of tables.entries()) {
    const readers = readings.filter((reading) => reading.tables.has(table))
    const tried = process.env.FAULTS === 'all' ? readers : [readers[number % readers.length]!]
    for (const slow of tried) await world.makeSlow(table, slow, readings)
  }
})
