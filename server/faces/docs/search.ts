import type { Manual, ManualPage, ManualSection } from '@signalbox/contract/manual.ts'

export interface Found {
  page: ManualPage
  section: ManualSection
  /** The words around the first that was found. */
  excerpt: string
}

const mostFound = 30
const [excerptBefore, excerptLength] = [60, 220]

/** The words that are looked for: letters, digits and what settings and options are written with. */
export const wordsIn = (asked: string): string[] =>
  asked
    .toLowerCase()
    .split(/[^\p{L}\p{N}_-]+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .slice(0, 12)

/** Sections with every word, best first: a word in a heading counts more than one in the text. */
export function search({ pages }: Manual, asked: string): Found[] {
  const words = wordsIn(asked)
  if (words.length === 0) return []
  return pages
    .flatMap((page) =>
      page.sections.map((section) => ({ page, section, score: scoreOf(page, section, words) })),
    )
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, mostFound)
    .map(({ page, section }) => ({ page, section, excerpt: excerptOf(section.text, words) }))
}

function scoreOf(page: ManualPage, section: ManualSection, words: string[]): number {
  const [title, heading, text] = [page.title, section.heading, section.text].map((one) => one.toLowerCase())
  let score = 0
  for (const word of words) {
    // The title of a page makes its sections findable, not better than each other.
    const points =
      (heading === word ? 40 : 0) + (heading!.includes(word) ? 12 : 0) + Math.min(5, countOf(text!, word))
    if (points === 0 && !title!.includes(word)) return 0
    score += points
  }
  return score
}

const countOf = (text: string, word: string) => text.split(word).length - 1

function excerptOf(text: string, words: string[]): string {
  const lower = text.toLowerCase()
  const at = Math.min(...words.map((word) => lower.indexOf(word)).filter((found) => found >= 0), text.length)
  const from = at === text.length ? 0 : Math.max(0, at - excerptBefore)
  const begin = from === 0 ? 0 : text.indexOf(' ', from) + 1
  const piece = text.slice(begin, begin + excerptLength)
  const end = begin + excerptLength < text.length ? `${piece.slice(0, piece.lastIndexOf(' '))} …` : piece
  return begin > 0 ? `… ${end}` : end
}
