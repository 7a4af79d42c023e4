import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { colouredParts, coloursOf } from './line-colours.ts'
import { visible } from './visible.ts'

const e = '\u001b['
const of = (printed: string) => coloursOf(printed, visible(printed))

test('the sixteen colours, grey and bold of a line are stored apart from its text', () => {
  assert.equal(of(`${e}31mFAIL${e}39m one ${e}1;92mok${e}0m`), '0+4r,9+2g*')
  assert.equal(of(`${e}38;5;12mblue${e}38:5:3myellow${e}m`), '0+4b,4+6y')
  assert.equal(of(`${e}2mdim${e}22m${e}90mgrey`), '0+3d,3+4d')
  assert.deepEqual(colouredParts('FAIL one ok', '0+4r,9+2g*'), [
    { text: 'FAIL', hue: 'red', bold: false },
    { text: ' one ', hue: null, bold: false },
    { text: 'ok', hue: 'green', bold: true },
  ])
})

test('nothing that could hide text is a colour: no concealment, background, inversion, blink, black, white or own shade', () => {
  for (const codes of [
    '8',
    '7',
    '5',
    '6',
    '9',
    '4',
    '40',
    '47',
    '107',
    '30',
    '37',
    '97',
    '38;5;231',
    '38;2;255;255;255',
    '48;5;1',
    '48;2;1;31;32',
    '38:2::1:2:3',
  ])
    assert.equal(of(`${e}${codes}mAll gates passed${e}0m`), null, codes)
  // What follows a colour that we leave out is still understood.
  assert.equal(of(`${e}48;2;1;2;3;31mred`), '0+3r')
  assert.equal(of(`${e}38;5;200;1mbold`), '0+4*')
})

test('a line with anything else unseen in it has no colours, and a hundred parts are the most', () => {
  assert.equal(of(`${e}31mred${e}2J`), null)
  assert.equal(of(`${e}31ma\u202eb`), null)
  assert.equal(of('plain'), null)
  assert.equal(of(`${e}31ma${e}32mb`.repeat(500))!.split(',').length, 100)
})

test('of any line whatever, the parts together are what is shown without them', () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 4 }),
    fc.constantFrom(`${e}31m`, `${e}0m`, `${e}1;3`, `${e}8m`, `${e}38;5m`, '\u001b', '👩', '\u200d', '\n'),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.string(), (pieces, hostile) => {
      const printed = pieces.join('')
      const shown = visible(printed)
      for (const colours of [coloursOf(printed, shown) ?? '', hostile, '9+99r,0+2g,1+99999999999b'])
        assert.equal(
          colouredParts(shown, colours)
            .map(({ text }) => text)
            .join(''),
          shown,
        )
    }),
    { numRuns: 1_000 },
  )
})
