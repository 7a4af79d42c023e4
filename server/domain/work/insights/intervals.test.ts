import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fewestToCompare, lowerRank, medianOf, shareOf } from './intervals.ts'

test('the interval of a share is that of the tables', () => {
  // Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
  for (const [count, of, low, high] of [
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ] as const) {
    const found = shareOf(count, of)
    assert.equal(found.value, count / of)
    assert.deepEqual([found.low.toFixed(4), found.high.toFixed(4)], [low.toFixed(4), high.toFixed(4)])
  }
})

test('a share lies within its interval, which mirrors that of the rest and narrows with more of the same', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5_000 }), fc.nat(5_000), (of, some) => {
      const count = some % (of + 1)
      const { value, low, high } = shareOf(count, of)
      assert.ok(0 <= low && low <= value && value <= high && high <= 1)
      const rest = shareOf(of - count, of)
      assert.ok(Math.abs(rest.low - (1 - high)) < 1e-12)
      const more = shareOf(2 * count, 2 * of)
      assert.ok(more.high - more.low < high - low)
    }),
  )
})

test('the interval of a median has the ranks of the tables', () => {
  // Those of the sign test, on either side 2.5 %.
  for (const [of, rank] of [
    [6, 1],
    [8, 1],
    [9, 2],
    [10, 2],
    [15, 4],
    [20, 6],
    [25, 8],
    [50, 18],
    [100, 40],
  ] as const)
    assert.equal(lowerRank(of), rank, `${of}`)
  assert.deepEqual(medianOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 100]), { value: 5.5, low: 2, high: 9 })
  assert.deepEqual(medianOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 900]).value, 6)
})

test('at least 95 in 100 samples enclose the median, and one rank further in would not', () => {
  // Chances of so many heads, from Pascal's triangle: exact, and another way than the one that is tested.
  let row = [1]
  for (let of = 1; of <= 300; of += 1) {
    row = [1, ...row.slice(1).map((chance, index) => chance + row[index]!), 1]
    if (of < fewestToCompare) continue
    const below = (rank: number) => row.slice(0, rank).reduce((sum, ways) => sum + ways, 0) / 2 ** of
    assert.ok(2 * below(lowerRank(of)) <= 0.05 + 1e-12, `${of}`)
    assert.ok(2 * below(lowerRank(of) + 1) > 0.05, `${of}`)
  }
})

test('a median of very many has its ranks where the normal distribution has them', () => {
  for (const many of [5_000, 100_000])
    assert.ok(Math.abs(lowerRank(many) - (many / 2 - 0.98 * Math.sqrt(many))) < 2, `${many}`)
})
