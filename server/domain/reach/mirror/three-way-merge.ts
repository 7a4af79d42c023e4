import { isDeepStrictEqual } from 'node:util'
import { maxCriteria, storyLengths } from '@signalbox/contract/limits.ts'
import type { StoryListed } from '@signalbox/contract/story.ts'
import type { ProposedStory } from '../../proposed-story.ts'

/** What both an issue and its story say. */
export interface MirroredFields extends ProposedStory {
  testPlan: string | null
  column: StoryListed['column']['role']
}

export type Field = keyof MirroredFields

/** The last state both sides agreed on. Ones recorded before trackers had test plans lack the test plan. */
export type Base = Omit<MirroredFields, 'testPlan'> & Partial<Pick<MirroredFields, 'testPlan'>>

export const inBlock = [
  'acceptanceCriteria',
  'demonstrate',
  'testPlan',
  'size',
  'complexity',
  'classOfService',
] as const
const fields: readonly Field[] = ['title', 'description', ...inBlock, 'column']

export interface Conflict {
  field: Exclude<Field, 'column'>
  ours: unknown
  theirs: unknown
}

export interface Merged {
  /** What both sides said last, as far as they agree. */
  base: MirroredFields
  /** What of the story changes. */
  story: Partial<MirroredFields>
  conflicts: Conflict[]
  /** Where the story says something that the issue does not. */
  ahead: Field[]
}

/**
 * Merges two sides that last agreed on `known`. A change on one side only counts. Where both changed, the tracker's is
 * kept and ours is shown; for a column, ours counts while a run works on the story. A test plan that was never written
 * to the tracker counts as no one's edit: ours is written there, and theirs is taken if there is none here.
 */
export function merge(known: Base, ours: MirroredFields, said: MirroredFields, isWorkedOn: boolean): Merged {
  const base = known.testPlan === undefined ? { ...known, testPlan: ours.testPlan && said.testPlan } : known
  const theirs = asMeant(said, [ours, base as MirroredFields])
  const merged: Merged = { base: { ...(base as MirroredFields) }, story: {}, conflicts: [], ahead: [] }
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
export const fitted = (said: MirroredFields): MirroredFields => ({
  ...said,
  title: cut(said.title.replace(/\s+/g, ' '), storyLengths.title) || 'Untitled',
  description: cut(said.description, storyLengths.description),
  acceptanceCriteria: said.acceptanceCriteria
    .map((text) => cut(text, storyLengths.criterion))
    .filter(Boolean)
    .slice(0, maxCriteria),
  demonstrate: (said.demonstrate && cut(said.demonstrate, storyLengths.demonstrate)) || null,
  testPlan: (said.testPlan && cut(said.testPlan, storyLengths.testPlan)) || null,
})

/** What is written down, with what was not known when it was. */
export const filled = (base: Base): MirroredFields => ({ ...base, testPlan: base.testPlan ?? null })

/**
 * Tools write Markdown in a hand of their own: other bullets, other numbers, other emphasis. What they made of our
 * block is no edit of a person, who changes words.
 */
function asMeant(said: MirroredFields, written: MirroredFields[]): MirroredFields {
  const meant = { ...said }
  for (const { demonstrate, testPlan, acceptanceCriteria: criteria } of written) {
    if (isWordedAs(demonstrate, said.demonstrate)) meant.demonstrate = demonstrate
    if (isWordedAs(testPlan, said.testPlan)) meant.testPlan = testPlan
    if (criteria.length === said.acceptanceCriteria.length)
      meant.acceptanceCriteria = meant.acceptanceCriteria.map((text, index) =>
        isWordedAs(criteria[index]!, text) ? criteria[index]! : text,
      )
  }
  return meant
}

const isWordedAs = (one: string | null, other: string | null): boolean =>
  wordsOf(one ?? '') === wordsOf(other ?? '')

const wordsOf = (text: string): string =>
  text
    .split('\n')
    .map((line) =>
      line
        .replace(/^\s*(?:[-*+]|\d+[.)])\s+/, '- ')
        .replace(/\\([\\`*_{}[\]()#+.!|>~-])/g, '$1')
        .replace(/(?<![\p{L}\p{N}*_])[*_]{1,3}|[*_]{1,3}(?![\p{L}\p{N}*_])/gu, '')
        .trim(),
    )
    .filter(Boolean)
    .join('\n')

const cut = (text: string, most: number) =>
  text.replaceAll('\0', '').toWellFormed().trim().slice(0, most).toWellFormed().trim()
