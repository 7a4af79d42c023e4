import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainBlocks } from './plain-blocks.ts'

const blocks = (markdown: string) =>
  plainBlocks(markdown).map(({ kind, text, isQuoted }) => `${isQuoted ? 'quoted ' : ''}${kind}: ${text}`)

test('what is seen before Markdown is rendered has its words and none of its marks', () => {
  assert.deepEqual(
    blocks(
      [
        '## Why `main` is red',
        '',
        'The **last green** commit and the _first red_ one',
        'differ in [the image](https://example.com/a).',
        '',
        '- [x] built',
        '2. `snake_case_name` stays',
        '',
        '```ts',
        'const a = `**raw**`',
        '',
        '- b',
        '```',
        '> said',
        '| a | b |',
        '|---|---|',
      ].join('\n'),
    ),
    [
      'heading: Why main is red',
      'text: The last green commit and the first red one differ in the image.',
      'item: built',
      'step: 2. snake_case_name stays',
      'code: const a = `**raw**`\n\n- b',
      'quoted text: said',
      'text: | a | b |',
    ],
  )
})

test('text without marks stays as it is, and a fence that never ends hides nothing', () => {
  assert.deepEqual(blocks('2 * 3 * 4 and a_b_c'), ['text: 2 * 3 * 4 and a_b_c'])
  assert.deepEqual(blocks('```\nleft open'), ['code: left open'])
  assert.deepEqual(blocks(''), [])
})

test('a line of others takes no longer than it is long', () => {
  const kinds = (line: string) => plainBlocks(`a\n${line}\nb`).length
  assert.deepEqual(['---', '***', '|---|:-:|', ' --|-- ', '|', '-', '||'].map(kinds), [2, 2, 2, 2, 1, 1, 2])
  const begun = performance.now()
  for (const letter of ['|', ' ', '-', ':', '*', '_', '~', '[', '`'])
    plainBlocks(`${letter.repeat(200_000)}x`)
  assert.ok(performance.now() - begun < 5_000, 'it was half an hour')
})

test('steps keep their numbers, quoted ones too, and a line that was ended ends', () => {
  assert.deepEqual(blocks('Because:\n\n> 1. `a.js`: take it.\n> 2. Run it.\n\nAfter'), [
    'text: Because:',
    'quoted step: 1. a.js: take it.',
    'quoted step: 2. Run it.',
    'text: After',
  ])
  assert.deepEqual(blocks('> Confidence: 80 %  \n> It was merged late  \n> by someone'), [
    'quoted text: Confidence: 80 %\nIt was merged late\nby someone',
  ])
  assert.deepEqual(blocks('> ```\n> a\n> ```\nb'), ['quoted code: a', 'text: b'])
  assert.deepEqual(blocks('At <https://example.com/a> or <b>'), ['text: At https://example.com/a or <b>'])
  assert.deepEqual(blocks('2.5 kg'), ['text: 2.5 kg'])
})
