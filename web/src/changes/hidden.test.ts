import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutAtHidden, nameOf } from './hidden.ts'

test('what turns the order of a line or shows nothing is found and named', () => {
  assert.deepEqual(cutAtHidden('if (isAdmin\u202e) {\u200b}\r'), [
    'if (isAdmin',
    '\u202e',
    ') {',
    '\u200b',
    '}',
    '\r',
    '',
  ])
  assert.equal(nameOf('\u202e'), 'U+202E')
  assert.equal(nameOf('\u{e0041}'), 'U+E0041')
})

test('ordinary text is left alone', () => {
  for (const text of ['\tconst größe = "名前 – 🚂"', 'warm ☀\ufe0f, step 1\ufe0f\u20e3'])
    assert.deepEqual(cutAtHidden(text), [text])
})

test('what chooses how a letter looks is shown where there is nothing to choose', () => {
  assert.deepEqual(cutAtHidden('a\ufe0fb\ufe0f1\ufe0f\u{e0100}'), [
    ...['a', '\ufe0f', 'b', '\ufe0f', '1', '\ufe0f', '', '\u{e0100}', ''],
  ])
  assert.deepEqual(cutAtHidden('☀\ufe0f\ufe0f'), ['☀\ufe0f', '\ufe0f', ''])
})
