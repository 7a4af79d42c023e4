import assert from 'node:assert/strict'
import { test } from 'node:test'
import { labelsFrom, tagPairs } from './labels.ts'
import { linksFrom, webAddress } from './links.ts'
import { firstLine, line, paragraphs } from './text.ts'

test('a line has no control characters, and a paragraph keeps its line ends and tabs', () => {
  assert.equal(line(' a\r\nb\tc\u0007d\u009b ', 300), 'a b cd')
  assert.equal(paragraphs(' a\r\nb\tc\u0007d\rE ', 300), 'a\nb\tcd\nE')
})

test('NUL and halves of surrogate pairs are replaced', () => {
  assert.equal(line('a\0b\uD800c', 300), 'a\uFFFDb\uFFFDc')
})

test('text stays text', () => {
  assert.equal(
    line('<script>alert(1)</script> &amp; $VAR %s', 300),
    '<script>alert(1)</script> &amp; $VAR %s',
  )
})

test('what is too long ends with an ellipsis, and never with half a character', () => {
  assert.equal(line('x'.repeat(301), 300), `${'x'.repeat(299)}…`)
  assert.equal(line('x'.repeat(300), 300), 'x'.repeat(300))
  assert.equal(line('😀'.repeat(200), 300).length, 299)
  assert.ok(line('😀'.repeat(200), 300).isWellFormed())
})

test('labels are pairs of text: numbers and truth values become text, what is nested is left out', () => {
  const labels = labelsFrom([
    ['a', 'x'],
    ['n', 17],
    ['t', false],
    ['nested', { a: 1 }],
    ['list', [1]],
    ['nothing', null],
    ['', 'no key'],
    ['__proto__', 'own'],
  ])
  assert.deepEqual(Object.entries(labels), [
    ['a', 'x'],
    ['n', '17'],
    ['t', 'false'],
    ['__proto__', 'own'],
  ])
})

test('there are at most a hundred labels, with keys of 200 and values of 2,000 characters', () => {
  const many = Array.from({ length: 150 }, (_, i) => [`k${i}`, 'v'] as const)
  assert.equal(Object.keys(labelsFrom(many)).length, 100)
  const [[key, value] = []] = Object.entries(labelsFrom([['k'.repeat(500), 'v'.repeat(5000)]]))
  assert.equal(key?.length, 200)
  assert.equal(value?.length, 2000)
})

test('tags are words or pairs, and a repeated key keeps its values', () => {
  const expected = { env: 'prod', tags: 'monitor, P0', team: 'a, b', url: 'https://x' }
  assert.deepEqual(
    Object.fromEntries(tagPairs('env:prod, monitor,P0,team:a,team:b,url:https://x,')),
    expected,
  )
  assert.deepEqual(
    Object.fromEntries(tagPairs(['env:prod', 'monitor', 'P0', 'team:a', 'team:b', 'url:https://x', {}])),
    expected,
  )
})

test('links are http or https; others would run in the browser of the person who opens them', () => {
  for (const address of [
    'javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'ftp://example.com',
    '',
    '/a',
    7,
  ])
    assert.equal(webAddress(address), null, String(address))
  assert.equal(webAddress('https://example.com'), 'https://example.com')
  assert.equal(webAddress('https://example.com/ü "x"'), 'https://example.com/%C3%BC%20%22x%22')
  assert.equal(webAddress(`https://example.com/${'x'.repeat(5000)}`), null)
})

test('a name and a password in front of a host are left out', () => {
  assert.equal(webAddress('https://bank.example.com:pw@example.org/x'), 'https://example.org/x')
})

test('an address without a host belongs to the sender; each is shown once, twenty at most', () => {
  assert.deepEqual(
    linksFrom(
      [
        ['Panel', '?orgId=1'],
        ['Again', '?orgId=1'],
        ['Bad', 'javascript:x'],
      ],
      'https://g.example.com/a/',
    ),
    [{ label: 'Panel', url: 'https://g.example.com/a/?orgId=1' }],
  )
  assert.deepEqual(linksFrom([['Panel', '?orgId=1']], 'not an address'), [])
  const many = Array.from({ length: 30 }, (_, i) => ['', `https://example.com/${i}`] as const)
  assert.equal(linksFrom(many).length, 20)
  assert.deepEqual(linksFrom(many)[0], { label: 'https://example.com/0', url: 'https://example.com/0' })
})

test('what no one can see is no text, and what turns text around is left out', () => {
  for (const invisible of ['\u200B', '\u200D\uFEFF', '\u2060 \u00AD', '\u3164', '\u2800', '\u202E\u2066'])
    assert.equal(line(invisible, 100), '', JSON.stringify(invisible))
  assert.equal(firstLine(['\u200B', 'Seen'], 100), 'Seen')
  assert.equal(line('Disk \u202Elluf si\u202C \u2066a\u2069\u200F\u061C', 100), 'Disk lluf si a')
  assert.equal(paragraphs('a\u202Eb\nc', 100), 'ab\nc')
  assert.equal(line('👩\u200D🚒 می\u200Cخواهم', 100), '👩\u200D🚒 می\u200Cخواهم')
})

test('a link relative to its sender begins like one; anything else without a scheme is no address', () => {
  const base = 'https://g.example.com/a/'
  assert.equal(webAddress('www.time.com', base), null)
  assert.equal(webAddress('see the wiki', base), null)
  assert.equal(webAddress('/d/1', base), 'https://g.example.com/d/1')
  assert.equal(webAddress('#x', base), 'https://g.example.com/a/#x')
})
