import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../test/any-character.ts'
import { plainLine, withoutMentions } from './plain-text.ts'

test('a line is one line, without control characters and without turns of direction', () => {
  assert.equal(plainLine(' a\r\nb\u0000\u001b[31mc\u202ed\u2028e '), 'a b [31mcd e')
  assert.equal(plainLine('x'.repeat(400)).length, 300)
  assert.equal(plainLine(`${'x'.repeat(8)}😀😀`, 10), `${'x'.repeat(8)}…`)
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      assert.match(plainLine(text, 50), /^\P{Cc}{0,50}$/u)
    }),
  )
})

test('no one is called by what an alert says', () => {
  for (const [said, shown] of [
    ['@channel down', '@\u2060channel down'],
    ['@here @everyone', '@\u2060here @\u2060everyone'],
    ['<!channel>', '<\u2060!channel>'],
    ['<!subteam^S1>', '<\u2060!subteam^S1>'],
    ['<@U024BE7LH>', '<\u2060@\u2060U024BE7LH>'],
    ['<#C1|general>', '<\u2060#C1|general>'],
    ['<https://evil.example|our status page>', '<\u2060https://evil.example|our status page>'],
    ['<JavaScript:alert(1)>', '<\u2060JavaScript:alert(1)>'],
    ['<mailto:a@b.c>', '<\u2060mailto:a@\u2060b.c>'],
    ['p95 > 500 ms, < 3 of 5 @ 12:00', 'p95 > 500 ms, < 3 of 5 @ 12:00'],
  ] as const)
    assert.equal(withoutMentions(said), shown)
})
