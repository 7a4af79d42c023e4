import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainOf, spansOf } from './ansi.ts'

const esc = '\u001b'

test('plain text stays as it is, tabs and all', () => {
  for (const line of ['', 'plain', 'a\tb', 'ü € 🚂 <b>']) {
    assert.equal(plainOf(line), line)
    assert.deepEqual(spansOf(line), [{ text: line }])
  }
})

test('colours and weights become spans', () => {
  assert.deepEqual(
    spansOf(`${esc}[32m✔${esc}[0m passed ${esc}[1;31mnot${esc}[22m this${esc}[39m, ${esc}[2mdim`),
    [
      { text: '✔', colour: 'green' },
      { text: ' passed ' },
      { text: 'not', colour: 'red', bold: true },
      { text: ' this', colour: 'red' },
      { text: ', ' },
      { text: 'dim', dim: true },
    ],
  )
})

test('an empty code resets, as 0 does', () => {
  assert.deepEqual(spansOf(`${esc}[31ma${esc}[mb`), [{ text: 'a', colour: 'red' }, { text: 'b' }])
})

test('colours of larger palettes leave no numbers behind and set nothing else', () => {
  assert.deepEqual(spansOf(`${esc}[38;5;31mx${esc}[0m`), [{ text: 'x' }])
  assert.deepEqual(spansOf(`${esc}[38;2;1;2;31;1mx`), [{ text: 'x', bold: true }])
})

test('what moves the cursor, sets titles, links or rings is left out', () => {
  assert.equal(plainOf(`a${esc}[2Kb${esc}[1;5Hc${esc}[?25ld`), 'abcd')
  assert.equal(plainOf(`${esc}]0;title\u0007text`), 'text')
  assert.equal(plainOf(`${esc}]8;;https://x.example${esc}\\link${esc}]8;;${esc}\\`), 'link')
  assert.equal(plainOf(`bell\u0007 back\b null\u0000`), 'bell back null')
  assert.equal(plainOf(`${esc}(Bx${esc}=y`), 'xy')
})

test('a sequence that is cut off takes nothing else with it', () => {
  for (const cut of [esc, `${esc}[`, `${esc}[31`, `${esc}]0;title`])
    assert.equal(plainOf(`text${cut}`), 'text')
})

test('of a line printed over itself the last stays', () => {
  assert.equal(plainOf('10 %\r50 %\r100 %'), '100 %')
  assert.equal(plainOf('done\r'), 'done')
})

test('spans and plain text say the same, whatever is printed', () => {
  for (let seed = 1; seed <= 500; seed += 1) {
    let state = seed
    const random = (most: number) => {
      state = (state * 48_271) % 2_147_483_647
      return state % most
    }
    const parts = [esc, '[', '31', ';', 'm', ']', '\u0007', 'a', 'ü', '\r', '\\', '\u009b', ' ', '38', '5']
    const line = Array.from({ length: 20 }, () => parts[random(parts.length)]).join('')
    const joined = spansOf(line)
      .map(({ text }) => text)
      .join('')
    assert.equal(joined, plainOf(line), JSON.stringify(line))
  }
})
