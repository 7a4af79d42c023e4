import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Assessed, readinessOf, rules } from './readiness.ts'

const ready: Assessed = {
  title: 'Show the locker address in the basket',
  description:
    'Customers choose a locker by its name and then drive to the wrong one. Show street and town beside it.',
  acceptanceCriteria: [
    { text: 'The basket shows street and town of the chosen locker.' },
    { text: 'Choosing another locker changes the address at once.' },
  ],
  demonstrate: 'Choose the locker at the station; the basket shows its street.',
  size: 's',
}

test('the points of the rules add up to 100', () => {
  assert.equal(
    rules.reduce((sum, rule) => sum + rule.points, 0),
    100,
  )
})

test('a story that meets every rule is ready, and nothing is missing', () => {
  assert.deepEqual(readinessOf(ready), { score: 100, missing: [] })
})

test('each thing that is missing costs its points and is named', () => {
  const without: [Partial<Assessed>, number, RegExp][] = [
    [{ title: 'Address' }, 90, /title/],
    [{ description: 'Wrong locker.' }, 85, /description/],
    [{ acceptanceCriteria: ready.acceptanceCriteria.slice(1) }, 85, /two acceptance criteria/],
    [
      { acceptanceCriteria: [...ready.acceptanceCriteria, { text: 'The page is fast and easy to use.' }] },
      85,
      /testable/,
    ],
    [{ acceptanceCriteria: [] }, 70, /two acceptance criteria/],
    [{ demonstrate: null }, 75, /Demonstrate/],
    [{ size: null }, 90, /size/],
    [{ description: `${ready.description} TBD: which font?` }, 90, /open/],
  ]
  for (const [change, score, named] of without) {
    const found = readinessOf({ ...ready, ...change })
    assert.equal(found.score, score, JSON.stringify(change))
    assert.match(found.missing.join('; '), named)
  }
})

test('without a Demonstrate step no story is ready', () => {
  assert.ok(readinessOf({ ...ready, demonstrate: '' }).score < 100)
})
