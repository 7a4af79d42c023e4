import type { StoryListed } from '@signalbox/contract/story.ts'

export interface NewIssue {
  /** Names the wish: asked twice with the same key, one issue is made. */
  key: string
  team: string
  title: string
  /** Markdown: description, acceptance criteria, the Demonstrate block and the test plan. */
  body: string
}

/** The customer's tracker, which stays the source of truth for a story's title and description. */
export interface Tracker {
  createIssue(issue: NewIssue): Promise<NonNullable<StoryListed['tracker']>>
  /** Adds a comment, once for each key. */
  comment(issue: NonNullable<StoryListed['tracker']>, comment: { key: string; text: string }): Promise<void>
}
