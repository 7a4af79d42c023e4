import { DomainError } from '../errors.ts'
import type { ProposedStory } from '../proposed-story.ts'

export interface Answered {
  question: string
  answer: string
}

/** Questions, when the requirement is too vague to draft from; otherwise drafts, and what could not be done. */
export type Split = { questions: string[] } | { drafts: ProposedStory[]; notes: string[] }

/** Turns what a person wants, in their own words, into draft stories. */
export interface Splitter {
  /** Kept with what it drafted. */
  readonly name: string
  /** Answers are given only the second time; no one is asked again after that, so it should draft. */
  split(
    requirement: { text: string; answers: Answered[] },
    team: { name: string; description: string | null },
  ): Promise<Split>
}

/** A splitter could not do its work. The message says why and what helps. */
export class SplitFailed extends DomainError {
  constructor(message: string) {
    super('service_unavailable', message)
  }
}
