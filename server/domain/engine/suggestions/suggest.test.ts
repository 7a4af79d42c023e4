import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type AskedMerge, type Declined, leastMerges, mostMerges, suggestLimit } from './suggest.ts'

const day = 86_400_000
const now = new Date('2026-03-31T12:00:00Z')
const ago = (days: number) => new Date(now.getTime() - days * day)

const merge = (lines: number, daysAgo: number, differs: Partial<AskedMerge> = {}): AskedMerge => ({
  decision: `dec-${daysAgo}`,
  title: 'Merge it',
  ...{ lines, answeredAt: ago(daysAgo), isApproved: true, isAgainst: false, ...differs },
})
const merges = (count: number, lines = 80, from = 8) =>
  Array.from({ length: count }, (_, at) => merge(lines, from + at))

const asked = (
  some: readonly AskedMerge[],
  { limit = 40, declined = null }: { limit?: number; declined?: Declined | null } = {},
) => suggestLimit(some, { limit, declined, now })

test('fourteen merges that were approved as they were suggest the size that ten of them had', () => {
  const sizes = [90, 120, 82, 80, 95, 300, 85, 81, 83, 84, 50, 60, 45, 70]
  const found = asked(sizes.map((lines, at) => merge(lines, 8 + at)))
  assert.equal(found?.merges.length, 14)
  assert.equal(found?.maxLines, 80)
})

test('nine are too few, and so are ten of which one was merged less than a week ago', () => {
  assert.equal(asked(merges(9)), null)
  assert.equal(asked(merges(10, 80, 7))?.merges.length, 10)
  assert.equal(asked(merges(10, 80, 6)), null)
})

test('what people approve below the current limit suggests nothing', () => {
  assert.equal(asked(merges(14), { limit: 80 }), null)
  assert.equal(asked(merges(14), { limit: 79 })?.maxLines, 80)
})

test('a declined suggestion comes again after as many new approvals, and not before', () => {
  const declined = { at: ago(30), merges: 14 }
  const older = merges(14, 80, 31)
  assert.equal(asked([...merges(13), ...older], { declined }), null)
  assert.deepEqual(asked([...merges(14), ...older], { declined })?.merges, merges(14))
  // Never with fewer than a first suggestion takes.
  assert.equal(asked([...merges(9), ...older], { declined: { ...declined, merges: 3 } }), null)
})

test('a revert of what was approved before a declined suggestion still counts', () => {
  const declined = { at: ago(30), merges: 10 }
  const reverted = merge(80, 31, { isAgainst: true })
  assert.equal(asked([...merges(10), reverted], { declined }), null)
})

const someMerge = fc
  .record({
    lines: fc.nat(2_000),
    minutesAgo: fc.nat(60 * 24 * 60),
    isApproved: fc.boolean(),
    isAgainst: fc.boolean(),
  })
  .map(
    ({ lines, minutesAgo, isApproved, isAgainst }): AskedMerge =>
      merge(lines, minutesAgo / (24 * 60), { isApproved, isAgainst }),
  )
const goodMerge = someMerge.map((one): AskedMerge => ({ ...one, isApproved: true, isAgainst: false }))
const someLimit = fc.nat(500)
const someDeclined = fc.option(
  fc.record({ at: fc.nat(60).map(ago), merges: fc.integer({ min: 1, max: 20 }) }),
  { freq: 2 },
)
const history = fc.oneof(
  fc.array(goodMerge, { minLength: 8, maxLength: 40 }),
  fc.array(someMerge, { maxLength: 40 }),
)

test('whatever was answered, never more is suggested than at least ten approved changes had', () => {
  let suggested = 0
  fc.assert(
    fc.property(history, someLimit, someDeclined, (some, limit, declined) => {
      const found = asked(some, { limit, declined })
      if (!found) return
      suggested += 1
      assert.ok(found.maxLines > limit)
      assert.ok(found.merges.length >= leastMerges && found.merges.length <= mostMerges)
      assert.ok(found.merges.filter(({ lines }) => lines >= found.maxLines).length >= leastMerges)
      for (const one of found.merges) {
        assert.ok(some.includes(one) && one.isApproved && !one.isAgainst)
        assert.ok(one.answeredAt <= ago(7) && (!declined || one.answeredAt > declined.at))
      }
    }),
    { numRuns: 500 },
  )
  assert.ok(suggested > 10, `only ${suggested} of 500 had anything to suggest`)
})

test('one answer to the contrary, revert or incident among them ends the suggestion', () => {
  fc.assert(
    fc.property(history, someLimit, fc.nat(), (some, limit, which) => {
      const found = asked(some, { limit })
      if (!found) return
      const one = found.merges[which % found.merges.length]!
      const broken = some.map((each) => (each === one ? { ...each, isAgainst: true } : each))
      assert.equal(asked(broken, { limit }), null)
    }),
    { numRuns: 500 },
  )
})

test('a bad answer of this week ends it, too, although a good one does not count yet', () => {
  const recent = merge(10, 1)
  assert.ok(asked([recent, ...merges(10)]))
  assert.equal(asked([{ ...recent, isApproved: false, isAgainst: true }, ...merges(10)]), null)
})
