/** Text of a string, number or truth value; empty for anything else. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** A single line without control characters, cut at `most`. */
export function line(value: unknown, most: number): string {
  return cut(storable(beginning(value, most).replaceAll(/\r\n|[\t\n\v\f\r]/g, ' ')), most)
}

/** Text of several lines; of the control characters it keeps line ends and tabs. */
export function paragraphs(value: unknown, most: number): string {
  return cut(storable(beginning(value, most).replaceAll(/\r\n?/g, '\n')), most)
}

/** The first of the values that has any text, as a line; empty when none has. */
export function firstLine(values: readonly unknown[], most: number): string {
  for (const value of values) {
    const text = line(value, most)
    if (text !== '') return text
  }
  return ''
}

/** Whether a person would see anything. */
export const hasText = (value: unknown): boolean => line(value, 300) !== ''

/** As a sentence repeats what a sender wrote. */
export const quoted = (value: unknown): string => `"${line(value, 100)}"`

/** What is thrown away need not be looked at: ten thousand alerts may share one long text. */
const beginning = (value: unknown, most: number) => textOf(value).slice(0, most * 4)

/** NUL and halves of surrogate pairs can be stored nowhere; the other control characters say nothing. */
const storable = (text: string) =>
  text
    .replaceAll('\0', '\uFFFD')
    .replaceAll(/(?![\n\t])\p{Cc}/gu, '')
    .toWellFormed()
    .trim()

function cut(text: string, most: number): string {
  if (text.length <= most) return text
  // The end must not be half of a pair.
  const end = /[\uD800-\uDBFF]/.test(text[most - 2]!) ? most - 2 : most - 1
  return `${text.slice(0, end)}…`
}
