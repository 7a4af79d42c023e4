import { trimEnd } from '@signalbox/contract/trim-end.ts'

/** Blocks whose lines are kept as they are. */
export type Steps = 'demonstrate' | 'test plan'

/** A line of a requirement, with what it looks like. */
export interface Token {
  is: 'heading' | 'item' | 'text' | 'blank' | 'criterion' | Steps | 'size'
  text: string
  raw: string
  level: number
  indent: number
  numbered: boolean
  /** It is in a fenced block of code, or begins or ends one. */
  isCode: boolean
}

/** Sections that are about the whole, not stories of their own. */
export const aboutTheWhole =
  /^(background|context|overview|introduction|summary|goals?|motivation|notes?|(?:out of|in) scope|scope|not included|non-goals?|problem|assumptions?|links?|references?|open questions?|steps to reproduce|how to reproduce|examples?)$/i

/** "As a customer, I want …": who, and what. */
export const userStory = /^as an? .{1,200}?\bI(?: want| need| would like|’d like|'d like| can)\b/i

/** More of a line is not read for a title or a name. */
const mostForATitle = 500

/** The beginning of a text, without list numbers, emphasis and runs of white space. */
export const plain = (text: string): string =>
  trimEnd(
    text
      .slice(0, mostForATitle)
      .replace(/\s+/g, ' ')
      .replace(/\*\*|__/g, ''),
    ' #*_',
  )
    .replace(/^[\s#*_>-]+/, '')
    .replace(/^\d{1,3}[.)]\s+/, '')
