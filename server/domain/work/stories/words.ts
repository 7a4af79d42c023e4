const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

/** Korean joins particles, and German whole nouns, to a word that English writes as two. */
const joined = /^(?:\p{Script=Hangul}{3,}|\p{L}{15,})$/u

/** More than enough to find the few words that are asked for; a long text takes long to segment. */
const mostToRead = 2_000

/** Whether a text has at least so many words, in any language: Japanese, Chinese and Thai put no spaces between them. */
export function hasWords(text: string, least: number): boolean {
  let found = 0
  for (const { segment, isWordLike } of segmenter.segment(text.trim().slice(0, mostToRead))) {
    if (isWordLike) found += joined.test(segment) ? 2 : 1
    if (found >= least) return true
  }
  return found >= least
}
