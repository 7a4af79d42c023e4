import type { Alert } from '@signalbox/contract/signal.ts'
import type { Pair } from './labels.ts'
import { line, textOf } from './text.ts'

const mostLinks = 20
const mostLabelCharacters = 200
const mostUrlCharacters = 4_000

/** The addresses a person can open, each once; one without its host belongs to `base`. */
export function linksFrom(pairs: Iterable<Pair>, base: unknown = ''): Alert['links'] {
  const links = new Map<string, string>()
  for (const [label, address] of pairs) {
    if (links.size === mostLinks) break
    const url = webAddress(address, base)
    if (url !== null && !links.has(url))
      links.set(url, line(label, mostLabelCharacters) || line(url, mostLabelCharacters))
  }
  return [...links].map(([url, label]) => ({ label, url }))
}

/** Null for whatever is not http or https: a `javascript:` in a link would run in the reader's session. */
export function webAddress(address: unknown, base: unknown = ''): string | null {
  const text = textOf(address).trim()
  // A cut address leads elsewhere, so one that is too long is left out.
  if (text === '' || text.length > mostUrlCharacters) return null
  const url = URL.parse(text) ?? URL.parse(text, textOf(base).slice(0, mostUrlCharacters))
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return null
  if (url.username === '' && url.password === '' && /^https?:\/\/[!#-;=?-~]+$/i.test(text)) return text
  // A name before the host makes an address look like another's.
  url.username = ''
  url.password = ''
  return url.href.length > mostUrlCharacters ? null : url.href
}
