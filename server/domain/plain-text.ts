/** How the words of others appear in what we send: as plain text that can neither pass for ours nor call anybody. */

/** One line. Control characters are gone, and so is what turns the direction of the text that follows. */
export function plainLine(text: string, most = 300): string {
  const line = text
    .replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .toWellFormed()
    .trim()
  // The end must not be half of a pair.
  return line.length <= most ? line : `${line.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/**
 * For chat tools, which make calls to everyone of `@channel` and `<!here>`, and links with another face of
 * `<https://…|…>`. An invisible joiner after the sign takes that power away, and a reader sees no difference.
 */
export const withoutMentions = (text: string): string =>
  text.replaceAll(/[@＠](?=[\p{L}\p{N}_])|<(?=[!@#]|[a-z][a-z0-9+.-]*:)/giu, `$&${joiner}`)

const joiner = '\u2060'

/** A moment as a message shows it, to the minute. */
export const moment = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
