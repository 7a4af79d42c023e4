import type { AcceptanceCriterion } from '@signalbox/contract/story.ts'
import type { Stories } from '../../infra/db/tables.ts'
import type { ProposedStory } from '../proposed-story.ts'

/** What readiness looks at. */
export interface Assessed {
  title: string
  description: string
  acceptanceCriteria: Pick<AcceptanceCriterion, 'text'>[]
  demonstrate: string | null
  size: Stories['size']
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

/** Written into a story by whoever does not know yet; taken out when it is answered. */
const openQuestion = /\?\?|\bTBD\b|\bTODO\b|\[ \] *open question/i

/** Words that nobody can test. */
const vague = /\b(fast|quick(ly)?|nice(ly)?|easy|easily|good|better|user[- ]friendly|appropriate(ly)?|etc)\b/i

const words = (text: string) => text.trim().split(/\s+/).filter(Boolean).length

/** The rules, whose points add up to 100. A story is taken up only when all are met. */
export const rules: Rule[] = [
  { points: 10, isMet: ({ title }) => words(title) >= 3, missing: 'a title of at least three words' },
  {
    points: 15,
    isMet: ({ description }) => words(description) >= 12,
    missing: 'a description of the problem or the goal, and why, in a sentence or two',
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
      acceptanceCriteria.every(({ text }) => words(text) >= 4 && !vague.test(text)),
    missing:
      'testable criteria: each a sentence with an observable result, without words like "fast" or "easy"',
  },
  {
    points: 25,
    isMet: ({ demonstrate }) => demonstrate !== null && words(demonstrate) >= 5,
    missing: 'a Demonstrate step: how a person can see that it works',
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

/** Whether a story that is not filed yet would be ready as it stands. */
export const isReadyAsProposed = ({ acceptanceCriteria, ...story }: ProposedStory): boolean =>
  readinessOf({ ...story, acceptanceCriteria: acceptanceCriteria.map((text) => ({ text })) }).score === 100

export function readinessOf(story: Assessed): Readiness {
  const unmet = rules.filter((rule) => !rule.isMet(story))
  return {
    score: 100 - unmet.reduce((points, rule) => points + rule.points, 0),
    missing: unmet.map((rule) => rule.missing),
  }
}
