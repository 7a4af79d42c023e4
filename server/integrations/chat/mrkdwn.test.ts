import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { escaped, mrkdwnOf, shortened } from './mrkdwn.ts'

test('quotes, code, lists, headings and stress of Markdown are drawn as Slack writes them', () => {
  const drawn: [markdown: string, mrkdwn: string][] = [
    [
      'A plan:\n\n> 1. Read **all** of it.\n>\n> 2. Change `a < b`.',
      'A plan:\n\n> 1. Read *all* of it.\n> \n> 2. Change `a &lt; b`.',
    ],
    ['- `server/a.ts`\n* two\n  - inner', '• `server/a.ts`\n• two\n  • inner'],
    ['## What *it* does ##', '*What _it_ does*'],
    ['*soft* and __loud__, 2 * 3 * 4, snake_case', '_soft_ and *loud*, 2 * 3 * 4, snake_case'],
    ['> > twice', '> twice'],
    ['```ts\nif (a > b) *no*\n```\nafter', '```\nif (a &gt; b) *no*\n```\nafter'],
    ['a\n| `b` | c |\n|---|:-:|\n| 1 | 2 |\nd', 'a\n```\n| b | c |\n| 1 | 2 |\n```\nd'],
    ['~~~\nnever ended', '```\nnever ended\n```'],
    ['Pull request #8: <https://github.com/a/b/pull/8>', 'Pull request #8: https://github.com/a/b/pull/8'],
    ['[the docs](https://example.com/x)', 'the docs (https://example.com/x)'],
    ['`` a ` b ``', '`a ` b`'],
    ['\\*not bold\\*', '*not bold*'],
    ['R&D &lt;b&gt;', 'R&amp;D &amp;lt;b&amp;gt;'],
  ]
  for (const [markdown, mrkdwn] of drawn) assert.equal(mrkdwnOf(markdown), mrkdwn)
})

test('whatever stands in it, no sequence is left that Slack would take for a mention or a link', () => {
  const pieces = fc.constantFrom(
    ...[
      '<!channel>',
      '<!here>',
      '<@U1>',
      '<#C1>',
      '<!subteam^S1>',
      '<https://a.example|b>',
      '&lt;!channel&gt;',
    ],
    ...[
      '`',
      '```',
      '**',
      '*',
      '_',
      '\n',
      '> ',
      '- ',
      '# ',
      '\\',
      '[a](https://b.example)',
      '<',
      '>',
      '&',
      'a',
      ' ',
    ],
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), fc.nat(400), (parts, most) => {
      const text = shortened(mrkdwnOf(parts.join('')), most + 1)
      assert.ok(!text.includes('<'), text)
      // A sign that is not ours is an escape, and a whole one.
      assert.doesNotMatch(text, /&(?!amp;|lt;|gt;)/)
      assert.ok(text.length <= most + 1)
    }),
    { numRuns: 2_000 },
  )
  assert.equal(shortened(escaped('<<<'), 6), '&lt;…')
})
