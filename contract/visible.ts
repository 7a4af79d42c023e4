/**
 * Text that others have written, as people may be shown it: in a terminal, a log, a page or an answer of the API.
 * Whatever steers a terminal, turns the direction of text or cannot be seen is written out, as in `\u{1b}`. Line breaks
 * and tabs stay. Colours go: every tool prints them, and they say nothing.
 */
export function visible(text: string): string {
  // Most text is plain, and what is plain need not be looked at letter by letter.
  if (!hidden.test(text)) return text
  return text.replace(colours, '').replaceAll('\r\n', '\n').replace(hiddenOrEmoji, written)
}

const hidden = /[^\P{Cc}\t\n]|[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/u

/** Select Graphic Rendition, complete and of numbers only; anything else that begins like it is shown. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it is about
const colours = /\u{1b}\[[\d;:]*m/gu

/**
 * What joins and colours the pictures of an emoji is seen: it is in the picture. The same letters anywhere else are
 * not. An emoji is passed over as a whole, so that what is in it is not looked at.
 */
const emoji =
  '\\p{Extended_Pictographic}(?:\\u{fe0f}|\\p{Emoji_Modifier})?(?:\\u{200d}\\p{Extended_Pictographic}(?:\\u{fe0f}|\\p{Emoji_Modifier})?)*|[0-9#*]\\u{fe0f}\\u{20e3}'
const hiddenOrEmoji = new RegExp(`(${emoji})|${hidden.source}`, 'gu')

const written = (letter: string, picture: string | undefined): string =>
  picture ?? `\\u{${letter.codePointAt(0)!.toString(16)}}`

/**
 * The same for a model, which reads invisible characters too: they are removed, so that text of
 * others carries no instructions that only the model gets.
 */
export function withoutHidden(text: string): string {
  if (!hidden.test(text)) return text
  return text
    .replace(colours, '')
    .replaceAll('\r\n', '\n')
    .replace(hiddenOrEmoji, (_, picture: string | undefined) => picture ?? '')
}

/** JSON for a model. Names of fields may be of others, too; what JSON escapes is only found in the values. */
export const jsonWithoutHidden = (value: unknown): string =>
  withoutHidden(JSON.stringify(value, (_, part) => (typeof part === 'string' ? withoutHidden(part) : part)))

/** JSON that says the same, with all that would not be seen in it escaped as JSON has it. */
export const visibleJson = (json: string): string =>
  json.replace(hiddenInJson, (letter) =>
    letter
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )

const hiddenInJson = new RegExp(hidden.source, 'gu')

/** Whether there may be something unseen in the texts of a JSON: what JSON escapes is counted, too. */
export const mayHide = (json: string): boolean => /\\[bfru]/.test(json) || hidden.test(json)
