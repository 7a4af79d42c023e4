import { trimEnd } from '@signalbox/contract/trim-end.ts'
/** Slack's own markup, limited so that text can neither mention people nor become a link. */

/** For the fields in which Slack reads markup. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Escaped text, never ended within an escape or half of a pair. */
export const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/&[a-z]{0,4}$|[\uD800-\uDBFF]$/, '')}…`

/**
 * Markdown as Slack writes it: quotes, code, lists, headings, bold and italics. A table is set like code, since Slack
 * has none; a link becomes its text and its address. Everything else stays as it is.
 */
export function mrkdwnOf(markdown: string): string {
  const drawnLines: string[] = []
  let inside: 'code' | 'table' | null = null
  const fence = (begin: string, next: typeof inside) => {
    drawnLines.push(`${begin}\`\`\``)
    inside = next
  }
  for (const line of markdown.split(/\r\n|\r|\n/)) {
    const [marks = ''] = /^(?: {0,3}> ?)*/.exec(line) ?? []
    const rest = line.slice(marks.length)
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
  const [, title] = /^ {0,3}#{1,6} (.*)$/s.exec(line) ?? []
  if (title !== undefined) {
    const heading = withoutClosing(title.trim())
    return heading === '' ? '' : `*${inline(heading).replaceAll('*', '')}*`
  }
  const [, indent, item] = /^( *)[-*+] (.*)$/s.exec(line) ?? []
  return item === undefined ? inline(line) : `${indent}• ${inline(item.replace(/^ +/, ''))}`
}

/** A heading may be closed by a word of nothing but its marks. */
function withoutClosing(title: string): string {
  const before = trimEnd(title, '#')
  return before.endsWith(' ') ? before.trimEnd() : title
}

/**
 * Code is taken first: nothing in it is markup. It ends with as many ticks as it began with; where those never come,
 * the ticks are text.
 */
function inline(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: ticks, index }) => ({ index, ticks: ticks.length }))
  const ahead = Map.groupBy(runs.toReversed(), ({ ticks }) => ticks)
  const pieces: string[] = []
  let done = 0
  for (const { index, ticks } of runs) {
    if (index < done) continue
    // An escaped tick is none.
    const from = text[index - 1] === '\\' ? index + 1 : index
    const same = ahead.get(index + ticks - from) ?? []
    while (same.length > 0 && same.at(-1)!.index <= index) same.pop()
    const close = same.at(-1)
    if (!close) continue
    pieces.push(stressed(text.slice(done, from)), codeOf(text.slice(index + ticks, close.index)))
    done = close.index + close.ticks
  }
  return [...pieces, stressed(text.slice(done))].join('')
}

const codeOf = (code: string): string => `\`${escaped(code.trim() || code)}\``

const stressed = (text: string): string =>
  escaped(
    text
      .replaceAll(/!?\[([^[\]]*)\]\(([^()\s]+)\)/g, (_, label, url) => (label ? `${label} (${url})` : url))
      .replaceAll(/<(https?:\/\/[^<>\s]+)>/g, '$1')
      .replaceAll(/(?<![\\*\w])\*(?![*\s])([^*]+?)(?<![\s*])\*(?![*\w])/g, '_$1_')
      .replaceAll(/\*\*(?!\s)([^*]+)(?<!\s)\*\*/g, '*$1*')
      .replaceAll(/__(?!\s)([^_]+)(?<!\s)__/g, '*$1*')
      .replaceAll(/\\([\\`*_{}[\]()#+\-.!>~|<])/g, '$1'),
  )
