import { webAddressIn } from '@signalbox/contract/address.ts'
import type { Alert } from '@signalbox/contract/signal.ts'
import { leftOutOf, type Pair } from './labels.ts'
import { line, textOf } from './text.ts'

const mostLinks = 20
const mostLabelCharacters = 200
const mostUrlCharacters = 4_000

/** The addresses a person can open, each once; one without its host belongs to `base`. */
export function linksFrom(
  pairs: Iterable<Pair>,
  base: unknown = '',
  tell: (sentence: string) => void = () => {},
): Alert['links'] {
  const links = new Map<string, string>()
  let leftOut = 0
  for (const [label, address] of pairs) {
    const url = webAddress(address, base)
    if (url === null || links.has(url)) continue
    if (links.size === mostLinks) leftOut += 1
    else links.set(url, line(label, mostLabelCharacters) || line(url, mostLabelCharacters))
  }
  if (leftOut > 0) tell(leftOutOf(leftOut, 'link', mostLinks))
  return [...links].map(([url, label]) => ({ label, url }))
}

/** Null for whatever is not http or https: a `javascript:` in a link would run in the reader's session. */
export function webAddress(address: unknown, base: unknown = ''): string | null {
  const text = textOf(address).trim()
  // A cut address leads elsewhere, so one that is too long is left out.
  if (text === '' || text.length > mostUrlCharacters) return null
  // Without a scheme it may be a host, or any text: only what begins like a path is one.
  const within = /^[/?#]/.test(text) ? textOf(base).slice(0, mostUrlCharacters) : undefined
  const url = URL.parse(text, within)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return null
  if (webAddressIn(text) && /^[!#-;=?-~]+$/.test(text)) return text
  // A name before the host makes an address look like another's, and not every reader takes a backslash for a slash.
  url.username = ''
  url.password = ''
  return url.href.length > mostUrlCharacters ? null : url.href
}
