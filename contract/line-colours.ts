/**
 * The colours in which a tool printed a line, apart from its text: `0+4r,9+2g*` are four red letters from the first on,
 * and two bold green ones from the tenth. Six hues, grey and bold are all there is. A background, an inversion, a
 * concealment or a blink could hide text or look like something of ours, so none of them is a colour here; nor is a
 * shade of red, green and blue, which would be unreadable in one of our themes. As many as 100 parts of a line have one.
 */
export interface ColouredPart {
  text: string
  hue: Hue | null
  bold: boolean
}

export type Hue = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'grey'

const most = 100
const hues = new Map<string, Hue>([
  ['r', 'red'],
  ['g', 'green'],
  ['y', 'yellow'],
  ['b', 'blue'],
  ['m', 'magenta'],
  ['c', 'cyan'],
  ['d', 'grey'],
])
/** By the last digit of the code. Black and white are the text's own colour: either would vanish in one theme. */
const palette = ['', 'r', 'g', 'y', 'b', 'm', 'c', '']

/** Select Graphic Rendition, complete and of numbers only. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it is about
const rendition = /\u{1b}\[([\d;:]*)m/gu

interface Style {
  hue: string
  isBold: boolean
  isDim: boolean
}

const plain: Style = { hue: '', isBold: false, isDim: false }

/**
 * Of a line as it was printed, whose text is shown like this; null where it has none. A line in which anything else was
 * unseen is shown without colours: what they would begin at has moved.
 */
export function coloursOf(printed: string, shown: string): string | null {
  if (!printed.includes('\u001b[')) return null
  const parts: string[] = []
  let [style, from, bare] = [plain, 0, '']
  const pass = (until: number) => {
    const text = printed.slice(from, until)
    const look = written(style)
    if (look !== '' && text !== '' && parts.length < most) parts.push(`${bare.length}+${text.length}${look}`)
    bare += text
  }
  for (const { 0: whole, 1: codes = '', index } of printed.matchAll(rendition)) {
    pass(index)
    from = index + whole.length
    style = after(style, codes)
  }
  pass(printed.length)
  return parts.length > 0 && bare === shown ? parts.join(',') : null
}

const written = ({ hue, isBold, isDim }: Style): string => {
  const colour = hue || (isDim ? 'd' : '')
  return `${colour}${isBold ? '*' : ''}`
}

/** What holds after one sequence of codes. */
function after(before: Style, codes: string): Style {
  let style = before
  // With colons the numbers of one colour are one code.
  const list = codes.split(';').map((code) => code.split(':').map(Number))
  for (let index = 0; index < list.length; index += 1) {
    const [code = 0, ...rest] = list[index]!
    if (code === 38 || code === 48) {
      const numbers = rest.length > 0 ? rest : list.slice(index + 1).map(([number = 0]) => number)
      if (code === 38) style = { ...style, hue: numbers[0] === 5 ? ofPalette(numbers[1] ?? 0) : '' }
      if (rest.length === 0) index += numbers[0] === 2 ? 4 : 2
    } else style = withCode(style, code)
  }
  return style
}

function withCode(style: Style, code: number): Style {
  if (code === 0) return plain
  if (code === 1) return { ...style, isBold: true }
  if (code === 2) return { ...style, isDim: true }
  if (code === 22) return { ...style, isBold: false, isDim: false }
  if (code === 39) return { ...style, hue: '' }
  if (code >= 30 && code <= 37) return { ...style, hue: ofPalette(code - 30) }
  if (code >= 90 && code <= 97) return { ...style, hue: ofPalette(code - 82) }
  return style
}

/** Of the palette of 256 the first sixteen: eight, and the same eight bright, of which black is grey. */
const ofPalette = (number: number): string => (number === 8 ? 'd' : number < 16 ? palette[number % 8]! : '')

/** A line in its parts, each with its colour. */
export function colouredParts(text: string, colours: string): ColouredPart[] {
  const parts: ColouredPart[] = []
  let done = 0
  const add = (until: number, hue: Hue | null, bold: boolean) => {
    if (until > done) parts.push({ text: text.slice(done, until), hue, bold })
    done = Math.max(done, until)
  }
  for (const part of colours.split(',')) {
    const [, start = '', length = '', hue = '', bold = ''] = /^(\d+)\+(\d+)([a-z]?)(\*?)$/.exec(part) ?? []
    const from = Math.min(Number(start), text.length)
    add(from, null, false)
    add(Math.min(from + Number(length), text.length), hues.get(hue) ?? null, bold !== '')
  }
  add(text.length, null, false)
  return parts
}
