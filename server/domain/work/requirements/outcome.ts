import { maxQuestions } from '@signalbox/contract/requirement.ts'
import type { Answered, Split } from '../../ports/splitter.ts'
import type { ProposedStory } from '../../proposed-story.ts'

export interface Outcome {
  /** Asked once, and never more than three. */
  questions: string[]
  drafts: ProposedStory[]
  notes: string[]
}

/**
 * What follows from a split, whichever splitter made it. People are asked questions once; those of a second round
 * become notes. A split with neither questions nor drafts yields the requirement itself as one draft, so that it is not
 * lost.
 */
export function outcomeOf(split: Split, requirement: { text: string; answers: Answered[] }): Outcome {
  const asked = 'questions' in split ? split.questions.slice(0, maxQuestions) : []
  if (asked.length > 0 && requirement.answers.length === 0) return { questions: asked, drafts: [], notes: [] }
  const { drafts, notes } = 'drafts' in split ? split : { drafts: [], notes: [] }
  return {
    questions: [],
    drafts: drafts.length > 0 ? drafts : [asItStands(requirement)],
    notes: [...notes, ...asked.map((question) => `Still open: ${question}`)],
  }
}

function asItStands({ text, answers }: { text: string; answers: Answered[] }): ProposedStory {
  const said = answers.map(({ question, answer }) => `${question}\n${answer}`)
  return {
    title: text.replace(/\s+/g, ' ').slice(0, 100).toWellFormed().trim(),
    description: [text, ...said].join('\n\n'),
    acceptanceCriteria: [],
    demonstrate: null,
    size: null,
    complexity: null,
    classOfService: 'standard',
  }
}
