import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainBlocks } from './plain-blocks.ts'

const blocks = (markdown: string) => plainBlocks(markdown).map(({ kind, text }) => `${kind}: ${text}`)

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
      'item: snake_case_name stays',
      'code: const a = `**raw**`\n\n- b',
      'text: said | a | b |',
    ],
  )
})

test('text without marks stays as it is, and a fence that never ends hides nothing', () => {
  assert.deepEqual(blocks('2 * 3 * 4 and a_b_c'), ['text: 2 * 3 * 4 and a_b_c'])
  assert.deepEqual(blocks('```\nleft open'), ['code: left open'])
  assert.deepEqual(blocks(''), [])
})
