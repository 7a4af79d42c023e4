/** Text of a string, number or truth value; empty for anything else. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

type OnCut = () => void

/** A single line without control characters, cut at `most`. */
export const line = (value: unknown, most: number, onCut?: OnCut): string =>
  fitted(value, most, (text) => text.replaceAll(/\r\n|[\t\n\v\f\r]/g, ' '), onCut)

/** Text of several lines; of the control characters it keeps line ends and tabs. */
export const paragraphs = (value: unknown, most: number, onCut?: OnCut): string =>
  fitted(value, most, (text) => text.replaceAll(/\r\n?/g, '\n'), onCut)

/** The first of the values that has any text, as a line; empty when none has. */
export const firstLine = (values: readonly unknown[], most: number, onCut?: OnCut): string =>
  line(values.find(hasText), most, onCut)

/** Whether a person would see anything. */
export const hasText = (value: unknown): boolean => line(value, 300) !== ''

/** As a sentence repeats what a sender wrote. */
export const quoted = (value: unknown): string => `"${line(value, 100)}"`

function fitted(value: unknown, most: number, tidy: (text: string) => string, onCut?: OnCut): string {
  const whole = textOf(value)
  // Most of what senders write is plain: there is nothing in it to be tidied, and all of it but blanks can be seen.
  if (whole.length <= most && plain.test(whole)) return whole.trim()
  // What is thrown away need not be looked at: ten thousand alerts may share one long text.
  const text = sanitized(tidy(whole.slice(0, most * 4)))
  if (!visible.test(text)) return ''
  if (text.length > most || whole.length > most * 4) onCut?.()
  return cut(text, most)
}

const plain = /^[ -~]*$/

/**
 * NUL and halves of surrogate pairs can be stored nowhere, the other control characters say nothing, and those that
 * turn the direction of text around make it read as what it is not.
 */
const sanitized = (text: string) =>
  text
    .replaceAll('\0', '\uFFFD')
    .replaceAll(/(?![\n\t])\p{Cc}|\p{Bidi_Control}/gu, '')
    .toWellFormed()
    .trim()

/** A character that leaves a mark; joiners, fillers and the blank of Braille do not. */
const visible = /[^\s\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u

function cut(text: string, most: number): string {
  if (text.length <= most) return text
  // The end must not be half of a pair.
  const end = /[\uD800-\uDBFF]/.test(text[most - 2]!) ? most - 2 : most - 1
  return `${text.slice(0, end)}…`
}
