/** How text written by others appears in a decision: as data, so that it cannot pass for ours. */

/** A text, quoted line by line. Markdown ends a line at any of the three breaks. */
export const quoted = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${line}`)
    .join('\n')

/** The same, but keeping line breaks: Markdown would otherwise join the lines. */
export const quotedLines = (text: string): string => quoted(text).replaceAll('\n', '  \n')

/** A short text as code, on one line, whatever it holds. */
export function asCode(text: string): string {
  const line = oneLine(text)
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  const space = /^`|`$/.test(line) ? ' ' : ''
  return `${fence}${space}${line}${space}${fence}`
}

/** A title has one line; control characters are none of a title's. */
export const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()

/** A web address can be clicked; anything else that was given for one is shown as it is. */
export function asLink(text: string): string {
  const url = URL.parse(text)
  return url && /^https?:$/.test(url.protocol) && url.href === text ? `<${text}>` : asCode(text)
}
