import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { firstIdAt, newId, timeOfId } from './ids.ts'

test('ids made later sort later, also within one millisecond', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 3 }), { minLength: 2, maxLength: 200 }), (steps) => {
      let now = 1_790_000_000_000
      const ids = steps.map((step) => {
        now += step
        return newId(new Date(now))
      })
      assert.deepEqual([...ids].sort(), ids)
      assert.equal(new Set(ids).size, ids.length)
    }),
  )
})

test('ids of one millisecond sort as they were made, whatever other moments had ids in between', () => {
  const moments = [0, 1, 250, 60_000, 3_600_000].map((ms) => new Date(1_790_000_000_000 - ms))
  fc.assert(
    fc.property(fc.array(fc.nat({ max: moments.length - 1 }), { minLength: 2, maxLength: 200 }), (order) => {
      const ids = order.map((n) => ({ n, id: newId(moments[n]!) }))
      for (const its of Map.groupBy(ids, ({ n }) => n).values()) {
        const made = its.map(({ id }) => id)
        assert.deepEqual(made.toSorted(), made)
      }
    }),
  )
})

test('an id tells its time and is not below the bound of its millisecond', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date('2200-01-01'), noInvalidDate: true }), (at) => {
      const id = newId(at)
      assert.deepEqual(timeOfId(id), at)
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      assert.ok(id >= firstIdAt(at))
      assert.ok(id < firstIdAt(new Date(at.getTime() + 1)))
    }),
  )
})
