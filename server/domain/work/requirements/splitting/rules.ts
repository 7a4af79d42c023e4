import { maxQuestions } from '@signalbox/contract/requirement.ts'
import { sizes } from '@signalbox/contract/story.ts'
import type { Answered, Split, Splitter } from '../../../ports/splitter.ts'
import { type Outline, outlineOf, type Part, type SplitBy } from './outline.ts'
import { openQuestions } from './vagueness.ts'

type Draft = Extract<Split, { drafts: unknown }>['drafts'][number]

const mostDrafts = 20
const mostCriteria = 30
const longestCriterion = 1_000
/** Of a Demonstrate block or a test plan. */
const longestSteps = 10_000

/**
 * Splits by how the text is laid out. It understands nothing: what is not written is left out, and readiness then shows
 * what is missing.
 */
export const rules: Splitter = {
  name: 'rules',
  async split({ text, answers }) {
    const outline = outlineOf(text)
    // People who have written criteria know what they want to see; the rest can be edited in the drafts.
    const isClear = outline.parts.some(({ criteria, demonstrate }) => criteria.length > 0 || demonstrate)
    const open = isClear ? [] : openQuestions(text, answers)
    if (open.length > 0 && answers.length === 0) return { questions: open.slice(0, maxQuestions) }
    const parts = outline.parts.slice(0, mostDrafts)
    return {
      drafts: parts.map((part) => draftOf(part, outline.context, answers)),
      notes: [...notesOn(outline), ...open.map((question) => `Still open: ${question}`)],
    }
  },
}

function draftOf(part: Part, context: string, answers: Answered[]): Draft {
  const kept = part.criteria.filter(fits).slice(0, mostCriteria)
  const leftOver = part.criteria.filter((text) => !kept.includes(text))
  const isLong = (steps: string | null) => steps !== null && steps.length > longestSteps
  const [long, longPlan] = [isLong(part.demonstrate), isLong(part.testPlan)]
  return {
    title: part.title,
    description: [
      part.body,
      ...leftOver,
      long ? part.demonstrate : '',
      longPlan ? part.testPlan : '',
      context,
      ...answers.map(({ question, answer }) => `${question}\n${answer}`),
    ]
      .filter(Boolean)
      .join('\n\n'),
    acceptanceCriteria: kept,
    demonstrate: long ? null : part.demonstrate,
    ...(part.testPlan && !longPlan ? { testPlan: part.testPlan } : {}),
    size: sizes.find((size) => size === part.size) ?? null,
    complexity: null,
    classOfService: 'standard',
  }
}

const fits = (criterion: string) => criterion.length <= longestCriterion

const splitBy: Record<SplitBy, string> = {
  headings: 'Each heading became a draft.',
  list: 'Each list item became a draft.',
  sentences: 'Each “As a …” sentence became a draft.',
  nothing:
    'The text became one draft. For several, write a heading or an “As a …, I want …” sentence for each.',
}

/** What was done by rule, and what was not done at all. */
function notesOn({ by, parts, keptList }: Outline): string[] {
  const count = (isMissing: (part: Part) => boolean) => parts.slice(0, mostDrafts).filter(isMissing).length
  const without = {
    criteria: count(({ criteria }) => criteria.length === 0),
    demonstrate: count(({ demonstrate }) => demonstrate === null),
    size: count(({ size }) => size === null),
  }
  return [
    splitBy[by],
    keptList && 'The list stayed in one draft, because its items are too short to be stories.',
    parts.length > mostDrafts &&
      `${parts.length - mostDrafts} more parts were left out, because ${mostDrafts} drafts is the limit. Submit them separately: ${namesOf(parts.slice(mostDrafts))}.`,
    parts.some(({ criteria }) => criteria.length > mostCriteria || !criteria.every(fits)) &&
      `A draft takes ${mostCriteria} criteria of ${longestCriterion} characters; the rest is in its description.`,
    without.criteria > 0 &&
      `No acceptance criteria were written for ${drafts(without.criteria)}; add them before you approve.`,
    without.demonstrate > 0 && `No Demonstrate block was written for ${drafts(without.demonstrate)}.`,
    without.size > 0 && `The size of ${drafts(without.size)} was not estimated.`,
    parts.length > 1 && 'Drafts were not checked for overlaps or dependencies.',
  ].filter((note) => note !== false)
}

const drafts = (count: number) => (count === 1 ? '1 draft' : `${count} drafts`)

const mostNames = 10
const namesOf = (parts: Part[]) =>
  parts
    .slice(0, mostNames)
    .map(({ title }) => title)
    .join('; ') + (parts.length > mostNames ? '; …' : '')
