import { hasCommand } from '@signalbox/contract/shell-lines.ts'
import type { AcceptanceCriterion } from '@signalbox/contract/story.ts'
import type { ProposedStory } from '../../proposed-story.ts'
import { hasWords } from './words.ts'

/** What readiness looks at. */
export interface Assessed {
  title: string
  description: string
  acceptanceCriteria: Pick<AcceptanceCriterion, 'text'>[]
  demonstrate: string | null
  size: ProposedStory['size']
}

export interface Readiness {
  /** 100 means ready. */
  score: number
  /** What is missing, as a person would be told. */
  missing: string[]
}

interface Rule {
  points: number
  isMet: (story: Assessed) => boolean
  missing: string
}

/** Left in a story as a placeholder for something unknown; removed when it is answered. */
const openQuestion = /\?\?|\bTBD\b|\bTODO\b|\[ \] *open question/i

/** Words that cannot be tested. */
const vague = /\b(fast|quick(ly)?|nice(ly)?|easy|easily|good|better|user[- ]friendly|appropriate(ly)?|etc)\b/i

/** The rules, whose points add up to 100. A story is started only when all are met. */
export const rules: Rule[] = [
  { points: 10, isMet: ({ title }) => hasWords(title, 3), missing: 'a title of at least three words' },
  {
    points: 15,
    isMet: ({ description }) => hasWords(description, 12),
    missing: 'a description of at least twelve words: the problem or the goal, and why',
  },
  {
    points: 15,
    isMet: ({ acceptanceCriteria }) => acceptanceCriteria.length >= 2,
    missing: 'at least two acceptance criteria',
  },
  {
    points: 15,
    isMet: ({ acceptanceCriteria }) =>
      acceptanceCriteria.length > 0 &&
      acceptanceCriteria.every(({ text }) => hasWords(text, 4) && !vague.test(text)),
    missing:
      'testable criteria: each at least four words with an observable result, without words like "fast" or "easy"',
  },
  {
    points: 25,
    isMet: ({ demonstrate }) => demonstrate !== null && (hasCommand(demonstrate) || hasWords(demonstrate, 5)),
    missing: 'a Demonstrate step: a command, or at least five words on how a person can see that it works',
  },
  { points: 10, isMet: ({ size }) => size !== null, missing: 'a size' },
  {
    points: 10,
    isMet: ({ title, description, acceptanceCriteria }) =>
      ![title, description, ...acceptanceCriteria.map(({ text }) => text)].some((text) =>
        openQuestion.test(text),
      ),
    missing: 'no open points: the text still has TBD, TODO or ??',
  },
]

/** Whether a story that is not filed yet would be ready without changes. */
export const isReadyAsProposed = ({ acceptanceCriteria, ...story }: ProposedStory): boolean =>
  readinessOf({ ...story, acceptanceCriteria: acceptanceCriteria.map((text) => ({ text })) }).score === 100

export function readinessOf(story: Assessed): Readiness {
  const unmet = rules.filter((rule) => !rule.isMet(story))
  return {
    score: 100 - unmet.reduce((points, rule) => points + rule.points, 0),
    missing: unmet.map((rule) => rule.missing),
  }
}
