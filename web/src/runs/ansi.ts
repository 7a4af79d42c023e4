/**
 * Lines as programs print them for a terminal, as text with simple colours. What moves the cursor, names a window or
 * rings a bell means nothing here and is left out. A colour does not reach beyond its line.
 */

export type Colour = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'grey'

export interface Span {
  text: string
  colour?: Colour
  bold?: true
  dim?: true
}

const colours: Record<number, Colour> = {
  31: 'red',
  32: 'green',
  33: 'yellow',
  34: 'blue',
  35: 'magenta',
  36: 'cyan',
  90: 'grey',
  91: 'red',
  92: 'green',
  93: 'yellow',
  94: 'blue',
  95: 'magenta',
  96: 'cyan',
}

const esc = '\u001b'
const bell = '\u0007'
const controlCharacter = '[^\\P{Cc}\\t]'
const controls = new RegExp(
  [
    // A string up to its end: titles, links.
    `${esc}[\\]P^_X][^${bell}${esc}]*(?:${bell}|${esc}\\\\)?`,
    // A control sequence: its parameters and its last letter.
    `(?:${esc}\\[|\u009b)([0-?]*)[ -\\/]*([@-~])?`,
    // Any other escape.
    `${esc}[ -\\/]*[0-~]?`,
    controlCharacter,
  ].join('|'),
  'gu',
)
const control = new RegExp(controlCharacter, 'u')
const isPlain = (line: string) => !control.test(line)

/** Where a line was printed over itself, as a progress bar is, only what it came to be stays. */
function settled(line: string): string {
  const text = line.replace(/\r+$/, '')
  return text.slice(text.lastIndexOf('\r') + 1)
}

export function plainOf(line: string): string {
  return isPlain(line) ? line : settled(line).replace(controls, '')
}

export function spansOf(line: string): Span[] {
  if (isPlain(line)) return [{ text: line }]
  const text = settled(line)
  const spans: Span[] = []
  let style: Omit<Span, 'text'> = {}
  let from = 0
  const add = (to: number) => {
    if (to > from) spans.push({ text: text.slice(from, to), ...style })
  }
  for (const match of text.matchAll(controls)) {
    add(match.index)
    from = match.index + match[0].length
    if (match[2] === 'm') style = restyled(style, match[1] ?? '')
  }
  add(text.length)
  return spans
}

function restyled(before: Omit<Span, 'text'>, parameters: string): Omit<Span, 'text'> {
  let style = before
  const codes = parameters.split(/[;:]/).map(Number)
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index]!
    if (code === 0) style = {}
    else if (code === 1) style = { ...style, bold: true }
    else if (code === 2) style = { ...style, dim: true }
    else if (code === 22) style = without(style, 'bold', 'dim')
    else if (code === 39 || code === 30 || code === 37 || code === 97) style = without(style, 'colour')
    else if (colours[code]) style = { ...style, colour: colours[code] }
    // A colour of 256 or of 16 million: its numbers are no codes of their own.
    else if (code === 38 || code === 48 || code === 58)
      index += codes[index + 1] === 5 ? 2 : codes[index + 1] === 2 ? 4 : 0
  }
  return style
}

function without(style: Omit<Span, 'text'>, ...names: (keyof Omit<Span, 'text'>)[]): Omit<Span, 'text'> {
  const kept = { ...style }
  for (const name of names) delete kept[name]
  return kept
}
