import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Hunk, pairsOf, parseHunks } from './hunks.ts'

const signs = { context: ' ', added: '+', removed: '-' }
const joined = (hunks: Hunk[]) =>
  hunks
    .flatMap(({ head, lines }) => [
      head,
      ...lines.flatMap(({ kind, text, isUnended }) => [
        signs[kind] + text,
        ...(isUnended ? ['\\ No newline at end of file'] : []),
      ]),
    ])
    .join('\n')

test('every line has its number before and after', () => {
  const [hunk, ...others] = parseHunks(
    '@@ -7,3 +7,4 @@ function carry()\n one\n-two\n+2\n+two and a half\n three',
  )
  assert.deepEqual(others, [])
  assert.equal(hunk!.head, '@@ -7,3 +7,4 @@ function carry()')
  assert.deepEqual(
    hunk!.lines.map(({ kind, text, before, after }) => [kind, text, before, after]),
    [
      ['context', 'one', 7, 7],
      ['removed', 'two', 8, null],
      ['added', '2', null, 8],
      ['added', 'two and a half', null, 9],
      ['context', 'three', 9, 10],
    ],
  )
})

test('changed lines that look like a hunk, or like a note of git, are lines of their file', () => {
  const text =
    '@@ -1,2 +1,2 @@\n-@@ -1 +1 @@\n-\\ No newline\n+@@ -9,9 +9,9 @@\n+x\n\\ No newline at end of file'
  const hunks = parseHunks(text)
  assert.deepEqual(
    hunks.map(({ lines }) => lines.map((line) => line.text)),
    [['@@ -1 +1 @@', '\\ No newline', '@@ -9,9 +9,9 @@', 'x']],
  )
  assert.deepEqual(
    hunks[0]!.lines.map(({ isUnended }) => isUnended),
    [false, false, false, true],
  )
})

test('what is cut off or no diff at all ends', () => {
  assert.deepEqual(parseHunks(''), [])
  assert.deepEqual(parseHunks('nothing\nof it'), [])
  assert.equal(parseHunks('@@ -1,99 +1,99 @@\n-x')[0]!.lines.length, 1)
  assert.deepEqual(parseHunks('@@ -0,0 +0,0 @@\n\\ odd'), [{ head: '@@ -0,0 +0,0 @@', lines: [] }])
})

/** The same numbers on every machine. */
function* numbers(seed: number): Generator<number, never> {
  let state = seed
  for (;;) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    yield state
  }
}

const words = ['', ' ', '\t', '@@ -1 +1 @@', '\\', '+', '-', 'a = b', 'ü', 'x\r', 'diff --git a/x b/x']

test('what was parsed, put together again, is the text', () => {
  for (let seed = 1; seed <= 500; seed += 1) {
    const random = numbers(seed)
    const below = (most: number) => Math.floor((random.next().value / 0x80000000) * most)
    const text = Array.from({ length: 1 + below(4) }, (_, n) => {
      const kinds = Array.from({ length: 1 + below(12) }, () => ' +-'[below(3)]!)
      const count = (sign: string) => kinds.filter((kind) => kind === ' ' || kind === sign).length
      const [before, after] = [count('-'), count('+')]
      const lines = kinds.map((kind) => kind + words[below(words.length)]!)
      const start = n * 100 + 1
      const said = (lines: number) => (lines === 1 ? `${start}` : `${start},${lines}`)
      return [
        `@@ -${said(before)} +${said(after)} @@${below(2) ? ' @@ in' : ''}`,
        ...lines,
        ...(below(3) === 0 ? ['\\ No newline at end of file'] : []),
      ]
    })
      .flat()
      .join('\n')
    const hunks = parseHunks(text)
    assert.equal(joined(hunks), text)
    for (const { lines } of hunks) {
      const sides = pairsOf(lines)
      const [before, after] = [sides.flatMap(([line]) => line ?? []), sides.flatMap(([, line]) => line ?? [])]
      assert.deepEqual(
        before,
        lines.filter(({ kind }) => kind !== 'added'),
      )
      assert.deepEqual(
        after,
        lines.filter(({ kind }) => kind !== 'removed'),
      )
    }
  }
})
