import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedWords, cutAtMarks, marksOf } from './changed-words.ts'
import { parseHunks } from './hunks.ts'

const shown = (before: string, after: string) => {
  const marks = changedWords(before, after)
  return (
    marks &&
    [before, after].map((text, side) =>
      cutAtMarks(text, 0, marks[side]!)
        .map((piece) => (piece.isMarked ? `[${piece.text}]` : piece.text))
        .join(''),
    )
  )
}

test('the words that differ are marked, on both sides, and nothing else', () => {
  assert.deepEqual(shown('const total = sum(rows)', 'const total = sum(paidRows)'), [
    'const total = sum([rows])',
    'const total = sum([paidRows])',
  ])
  assert.deepEqual(shown('label({ name, city })', 'label({ name, street, city, grams })'), [
    'label({ name, city })',
    'label({ name, [street, ]city[, grams] })',
  ])
  assert.deepEqual(shown('  return a + b', '    return a + b'), ['[  ]return a + b', '[    ]return a + b'])
})

test('lines with little in common, equal lines and endless lines are not marked', () => {
  assert.equal(changedWords('import a from "a"', '// nothing here'), null)
  assert.equal(changedWords('same', 'same'), null)
  assert.equal(changedWords('x'.repeat(5_000), 'y'.repeat(5_000)), null)
})

test('the line that came in its place is what a line is compared with', () => {
  const [hunk] = parseHunks('@@ -1,3 +1,4 @@\n a\n-old one\n-old two\n+new one\n+new two\n+three\n')
  assert.deepEqual(
    hunk!.lines.map((line) => marksOf(hunk!, line)),
    [[], [[0, 3]], [[0, 3]], [[0, 3]], [[0, 3]], []],
  )
})

test('a mark that runs over several pieces of a line marks each of them', () => {
  assert.deepEqual(cutAtMarks('abc', 0, [[1, 5]]), [
    { text: 'a', isMarked: false },
    { text: 'bc', isMarked: true },
  ])
  assert.deepEqual(cutAtMarks('def', 3, [[1, 5]]), [
    { text: 'de', isMarked: true },
    { text: 'f', isMarked: false },
  ])
})
