import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mayHide, visible, visibleJson, withoutHidden } from './visible.ts'

test('what steers a terminal, turns text around or is not seen is written out', () => {
  const cases = {
    '\u001b[2J\u001b[1;1HAll gates passed': '\\u{1b}[2J\\u{1b}[1;1HAll gates passed',
    '\u001b]8;;https://evil.example\u0007here': '\\u{1b}]8;;https://evil.example\\u{7}here',
    '\u009b31m': '\\u{9b}31m',
    'a\u202egnp.exe': 'a\\u{202e}gnp.exe',
    '\u2066a\u2069': '\\u{2066}a\\u{2069}',
    'pass\u200bword\ufeff\u00ad': 'pass\\u{200b}word\\u{feff}\\u{ad}',
    '\u{e0041}\u{e0042}': '\\u{e0041}\\u{e0042}',
    'one\u2028two\u2029': 'one\\u{2028}two\\u{2029}',
    'half \ud800': 'half \\u{d800}',
    'over\rwritten': 'over\\u{d}written',
    'bell\u0007 back\b del\u007f nul\0': 'bell\\u{7} back\\u{8} del\\u{7f} nul\\u{0}',
  }
  for (const [text, shown] of Object.entries(cases)) assert.equal(visible(text), shown)
})

test('a model is told nothing that a person would not see', () => {
  const hidden = [
    ...['\u{e0100}', '\u{e01ef}', '\ufe00', '\ufe0f', '\u115f', '\u1160', '\u3164', '\uffa0'],
    ...[
      '\ufff9',
      '\ufffa',
      '\ufffb',
      '\u200b',
      '\u200d',
      '\u202e',
      '\u{e0041}',
      '\u061c',
      '\u034f',
      '\u17b4',
      '\u0000',
      '\u001b',
    ],
  ]
  for (const letter of hidden)
    assert.equal(withoutHidden(`a${letter}b`), 'ab', letter.codePointAt(0)!.toString(16))
  assert.equal(withoutHidden('✔️ 👩‍👩‍👧 1️⃣ a\n\tb'), '✔️ 👩‍👩‍👧 1️⃣ a\n\tb')
  assert.equal(withoutHidden(`😀${'\u{e0101}'.repeat(40)}`), '😀')
})

test('line breaks, tabs, every script and emoji are as they were', () => {
  for (const text of ['a\n\tb', 'größer 中文 עברית فارسی हिन्दी', '✔️ ⚠️ 👩‍👩‍👧 👍🏽 ❤️ 1️⃣ 🇩🇪', 'C:\\u{1b}'])
    assert.equal(visible(text), text)
  assert.equal(visible('a\r\nb'), 'a\nb')
})

test('colours go, and whatever only begins like them stays to be seen', () => {
  assert.equal(visible('\u001b[1;32m✔\u001b[0m done \u001b[38:5:9mred\u001b[m'), '✔ done red')
  assert.equal(visible('\u001b[1;32'), '\\u{1b}[1;32')
  assert.equal(visible('\u001b[?25l'), '\\u{1b}[?25l')
})

test('joiners outside of an emoji are seen, also those that stand around one', () => {
  assert.equal(visible('a\u200db\ufe0f'), 'a\\u{200d}b\\u{fe0f}')
  assert.equal(visible('✔️\ufe0f\u200d'), '✔️\\u{fe0f}\\u{200d}')
})

test('of any text whatever, nothing unseen is left, and once is as good as twice', () => {
  const letter = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 3 }),
    fc.constantFrom('\u001b[', '\u001b', 'm', '1;', '\u202e', '\u200d', '\ufe0f', '👩', '\r', '\n', '\\'),
  )
  fc.assert(
    fc.property(fc.array(letter, { maxLength: 30 }), (letters) => {
      const shown = visible(letters.join(''))
      assert.equal(visible(shown), shown)
      assert.doesNotMatch(shown, /[^\P{Cc}\t\n]|\p{Bidi_Control}|[\u200b\u2060\ufeff]/u)
      assert.ok(shown.isWellFormed())
    }),
    { numRuns: 2_000 },
  )
})

test('JSON parses to the same value, and shows nothing invisible', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      const json = JSON.stringify(value, null, 2)
      assert.deepEqual(JSON.parse(visibleJson(json)), JSON.parse(json))
      assert.doesNotMatch(visibleJson(json), /[^\P{Cc}\n]|\p{Bidi_Control}|\u200b/u)
      // Where nothing is suspected, nothing is hidden.
      if (!mayHide(json)) assert.equal(JSON.stringify(shownIn(value), null, 2), json)
    }),
    { numRuns: 1_000 },
  )
})

const shownIn = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, one) => (typeof one === 'string' ? visible(one) : one))
