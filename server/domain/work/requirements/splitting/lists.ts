import { trimEnd } from '@signalbox/contract/trim-end.ts'
import { hasWords } from '../../stories/words.ts'
import { aboutTheWhole, plain, type Token, userStory } from './token.ts'

const fewestWordsOfASentence = 4
const fewestWordsOfAStory = 6

/** Announces several things that are wanted, so that each entry of the list is one of them. */
const announcesStories =
  /\b(?:following|stories|features|requirements|requests|wishes|improvements|tasks|tickets|issues|things)\b[^.]{0,40}:?$/i

const blocks: Token['is'][] = ['criterion', 'demonstrate', 'test plan', 'size']

const isSentence = (text: string): boolean => hasWords(text, fewestWordsOfASentence)

/** Whether a list is made of sentences, so that each entry makes sense on its own. */
export const isListOfSentences = (entries: Token[]): boolean =>
  entries.length > 0 && entries.filter(({ text }) => isSentence(text)).length * 2 > entries.length

/** Whether each entry is a story: it says so, has a block of its own, or nothing before the list is one. */
export function areStories(tokens: Token[], entries: Token[]): boolean {
  if (entries.some(({ text }) => userStory.test(plain(text)))) return true
  const [first, last] = [tokens.indexOf(entries[0]!), tokens.indexOf(entries.at(-1)!)]
  if (tokens.slice(first, last).some(({ is }) => blocks.includes(is))) return true
  return !tokens.slice(0, first).some(isStory)
}

/** A heading, or enough of a sentence, that is not about what follows it. */
function isStory({ is, text }: Token): boolean {
  if (is !== 'heading' && is !== 'text') return false
  const said = plain(text)
  if (aboutTheWhole.test(trimEnd(said, ' :')) || announcesStories.test(said)) return false
  return is === 'heading' || userStory.test(said) || hasWords(said, fewestWordsOfAStory)
}

/**
 * The lists of a story are its criteria, unless it has a block of them, or the list is one of fragments, or of notes.
 * The first token is not looked at where it is the entry that the story itself is.
 */
export function withListedCriteria(section: Token[], isEntry: boolean): Token[] {
  if (section.some(({ is }) => is === 'criterion')) return section
  const [own, rest] = isEntry ? [section.slice(0, 1), section.slice(1)] : [[], section]
  return [
    ...own,
    ...listsOf(rest).flatMap(({ before, list }) => (isOfCriteria(before, list) ? listed(list) : list)),
  ]
}

interface List {
  /** The line that leads to it. */
  before: Token | undefined
  list: Token[]
}

/** The lists in a section, and what is between them, in order. */
function listsOf(tokens: Token[]): List[] {
  const lists: List[] = []
  let said: Token | undefined
  let goesOn = false
  for (const [index, token] of tokens.entries()) {
    const isBelow = token.is === 'text' && token.indent > 0 && tokens[index - 1]?.is !== 'blank'
    const belongs: boolean = token.is === 'item' || (goesOn && (token.is === 'blank' || isBelow))
    if (belongs && goesOn) lists.at(-1)!.list.push(token)
    else lists.push({ before: said, list: [token] })
    goesOn = belongs
    if (!belongs && token.is !== 'blank') said = token
  }
  return lists
}

const isOfCriteria = (before: Token | undefined, list: Token[]): boolean =>
  list[0]!.is === 'item' &&
  isListOfSentences(topOf(list)) &&
  !(before && aboutTheWhole.test(trimEnd(plain(before.text), ' :')))

function topOf(list: Token[]): Token[] {
  const items = list.filter(({ is }) => is === 'item')
  const least = Math.min(...items.map(({ indent }) => indent))
  return items.filter(({ indent }) => indent <= least + 1)
}

/** One criterion for each entry; what is set in below it belongs to it. */
function listed(list: Token[]): Token[] {
  const top = new Set(topOf(list))
  const criteria: Token[] = []
  for (const token of list.filter(({ is }) => is !== 'blank')) {
    const last = criteria.at(-1)
    if (top.has(token) || !last) criteria.push({ ...token, is: 'criterion' })
    else criteria[criteria.length - 1] = { ...last, text: `${last.text} ${token.text}` }
  }
  return criteria
}
