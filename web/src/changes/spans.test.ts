import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spansOf } from './spans.ts'

// By a name that the compiler does not follow: its types bring those of a browser, which the server has not.
const library = async (name: string) => (await import(`highlight.js/lib/${name}`)).default
const core = await library('core')
for (const name of ['typescript', 'xml']) core.registerLanguage(name, await library(`languages/${name}`))
const coloured = (text: string) => spansOf(core.highlight(text, { language: 'typescript' }).value)

test('the text of a line stays as it was, whatever is in it', () => {
  const text = [
    "const a = '<b>&amp;</b>' // <script>",
    '/* a comment',
    '   of two lines */',
    'const page = (',
    '  <Page title="x & y">{b < c && `d "e"`}</Page>',
    ')',
    '',
    'type T = Record<string, \'a\' | "b">',
  ]
  assert.deepEqual(
    coloured(text.join('\n')).map((spans) => spans.map((span) => span.text).join('')),
    text,
  )
})

test('a comment over two lines is one on both', () => {
  const roles = coloured('/* a\nb */ const c = 1').map((spans) => spans.map(({ role }) => role))
  assert.deepEqual(roles[0], ['comment'])
  assert.deepEqual(roles[1]!.filter(Boolean), ['comment', 'keyword', 'value'])
})
