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
  const text = '\tconst größe = "名前 – 🚂"'
  assert.deepEqual(cutAtHidden(text), [text])
})
