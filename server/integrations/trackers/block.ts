import { trimEnd } from '@signalbox/contract/trim-end.ts'

/**
 * The part of an issue's body that is ours, between markers. Tools that show HTML comments as nothing get those; the
 * others get a heading and a last line, which people can read and should leave alone.
 */
const begin = '<!-- signalbox:story -->'
const end = '<!-- /signalbox:story -->'
const visibleBegin = '## Signalbox story'
const visibleEnd = '*End of the Signalbox story*'

export type Markers = 'hidden' | 'visible'

const pairs: Record<Markers, [string, string]> = {
  hidden: [begin, end],
  visible: [visibleBegin, visibleEnd],
}

const wishMarker = /<!-- signalbox:wish (sb-[0-9a-f]{16}) -->/

export interface Parts {
  description: string
  block: string | null
  /** Who asked for the issue, if a marker says so. Anyone can write one: the author decides whether it counts. */
  wish: string | null
}

/** Takes a body apart. Without an end the block goes on to the end of the text. */
export function partsOf(body: string, markers: Markers = 'hidden'): Parts {
  const text = body.replaceAll('\r\n', '\n')
  const [first = '', wish = null, ...rest] = text.split(wishMarker)
  const pieces = [first, ...rest.filter((_, at) => at % 2 === 0)]
  const plain = pieces.map((piece, at) => (at < pieces.length - 1 ? trimEnd(piece, '\n') : piece)).join('')
  const [from, to] = pairs[markers]
  const at = plain.indexOf(from)
  if (at < 0) return { description: plain.trim(), block: null, wish }
  const until = plain.indexOf(to, at)
  const block = plain.slice(at + from.length, until < 0 ? undefined : until).trim()
  const after = until < 0 ? '' : plain.slice(until + to.length)
  return { description: `${plain.slice(0, at).trimEnd()}\n\n${after.trim()}`.trim(), block, wish }
}

/** The same put together. */
export function bodyOf({ description, block, wish }: Parts, markers: Markers = 'hidden'): string {
  const [from, to] = pairs[markers]
  return [
    description,
    block === null ? '' : `${from}\n\n${block}\n\n${to}`,
    wish === null ? '' : `<!-- signalbox:wish ${wish} -->`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

export const commentMarker = (token: string) => `<!-- signalbox:wish ${token} -->`
