/** Slack's own markup, of which only so much is used that nobody can be called and nothing leads away. */

/** For the fields in which Slack reads markup. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Escaped text, never ended within an escape or half of a pair. */
export const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/&[a-z]{0,4}$|[\uD800-\uDBFF]$/, '')}…`

/**
 * Markdown as Slack writes it: quotes, code, lists, headings, bold and italics. A table is set like code, since Slack
 * has none; what would be a link is its text and its address. Whatever else it holds stands there as it is.
 */
export function mrkdwnOf(markdown: string): string {
  const drawnLines: string[] = []
  let inside: 'code' | 'table' | null = null
  const fence = (begin: string, next: typeof inside) => {
    drawnLines.push(`${begin}\`\`\``)
    inside = next
  }
  for (const line of markdown.split(/\r\n|\r|\n/)) {
    const [, marks = '', rest = ''] = /^((?: {0,3}> ?)*)(.*)$/s.exec(line)!
    // There is one level of quotes.
    const begin = marks === '' ? '' : '> '
    const isRow = inside !== 'code' && begin === '' && /^ {0,3}\|.*\| *$/.test(rest)
    if (isRow !== (inside === 'table')) fence('', isRow ? 'table' : null)
    if (isRow) {
      if (!/^[ |:-]+$/.test(rest)) drawnLines.push(escaped(rest.replaceAll('`', '')))
    } else if (/^ {0,3}(?:```|~~~)/.test(rest)) fence(begin, inside === 'code' ? null : 'code')
    else drawnLines.push(begin + (inside === 'code' ? escaped(rest) : drawn(rest)))
  }
  if (inside) fence('', null)
  return drawnLines.join('\n')
}

function drawn(line: string): string {
  const [, heading] = /^ {0,3}#{1,6} +(.*?)(?: +#+)? *$/.exec(line) ?? []
  if (heading !== undefined) return heading === '' ? '' : `*${inline(heading).replaceAll('*', '')}*`
  const [, indent, item] = /^( *)[-*+] +(.*)$/.exec(line) ?? []
  return item === undefined ? inline(line) : `${indent}• ${inline(item)}`
}

/** Code is taken first: nothing in it is markup. */
const inline = (text: string): string =>
  text
    .split(/(?<!\\)((`+)(?!`).*?[^`]\2(?!`))/)
    // The middle of three is only the ticks.
    .filter((_, place) => place % 3 !== 2)
    .map((part, place) => (place % 2 === 1 ? codeOf(part) : stressed(part)))
    .join('')

const codeOf = (part: string): string => {
  const [, code = ''] = /^`+([\s\S]*?)`+$/.exec(part) ?? []
  return `\`${escaped(code.trim() || code)}\``
}

const stressed = (text: string): string =>
  escaped(
    text
      .replaceAll(/!?\[([^\]]*)\]\(([^()\s]+)\)/g, (_, label, url) => (label ? `${label} (${url})` : url))
      .replaceAll(/<(https?:\/\/[^>\s]+)>/g, '$1')
      .replaceAll(/(?<![\\*\w])\*(?![*\s])([^*]+?)(?<![\s*])\*(?![*\w])/g, '_$1_')
      .replaceAll(/(\*\*|__)(?!\s)(.+?)(?<!\s)\1/g, '*$2*')
      .replaceAll(/\\([\\`*_{}[\]()#+\-.!>~|<])/g, '$1'),
  )
