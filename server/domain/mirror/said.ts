import { isDeepStrictEqual } from 'node:util'
import { maxCriteria, storyLengths } from '@signalbox/contract/limits.ts'
import type { StoryListed } from '@signalbox/contract/story.ts'
import type { ProposedStory } from '../proposed-story.ts'

/** What both an issue and its story say. */
export interface Said extends ProposedStory {
  column: StoryListed['column']['role']
}

export type Field = keyof Said

export const inBlock = ['acceptanceCriteria', 'demonstrate', 'size', 'complexity', 'classOfService'] as const
const fields: readonly Field[] = ['title', 'description', ...inBlock, 'column']

export interface Conflict {
  field: Exclude<Field, 'column'>
  ours: unknown
  theirs: unknown
}

export interface Merged {
  /** What both sides said last, as far as they agree. */
  base: Said
  /** What of the story changes. */
  story: Partial<Said>
  conflicts: Conflict[]
  /** Where the story says something that the issue does not. */
  ahead: Field[]
}

/**
 * Puts two sides together that have said the same before. What only one side changed counts. Of what both did, the
 * tracker's is kept, and ours is shown; of a column, ours counts while a run works on the story.
 */
export function merge(base: Said, ours: Said, theirs: Said, isWorkedOn: boolean): Merged {
  const merged: Merged = { base: { ...base }, story: {}, conflicts: [], ahead: [] }
  const agree = (field: Field) => Object.assign(merged.base, { [field]: theirs[field] })
  for (const field of fields) {
    const [before, here, there] = [base[field], ours[field], theirs[field]]
    if (isDeepStrictEqual(here, there)) {
      agree(field)
      continue
    }
    if (isDeepStrictEqual(before, there)) {
      merged.ahead.push(field)
      continue
    }
    agree(field)
    if (field === 'column' && isWorkedOn) {
      merged.ahead.push(field)
      continue
    }
    Object.assign(merged.story, { [field]: there })
    if (field !== 'column' && !isDeepStrictEqual(before, here))
      merged.conflicts.push({ field, ours: here, theirs: there })
  }
  return merged
}

/** What came from outside, cut to what a story takes. A tracker takes more than we do. */
export const fitted = (said: Said): Said => ({
  ...said,
  title: cut(said.title.replace(/\s+/g, ' '), storyLengths.title) || 'Untitled',
  description: cut(said.description, storyLengths.description),
  acceptanceCriteria: said.acceptanceCriteria
    .map((text) => cut(text, storyLengths.criterion))
    .filter(Boolean)
    .slice(0, maxCriteria),
  demonstrate: (said.demonstrate && cut(said.demonstrate, storyLengths.demonstrate)) || null,
})

const cut = (text: string, most: number) =>
  text.replaceAll('\0', '').toWellFormed().trim().slice(0, most).toWellFormed().trim()
