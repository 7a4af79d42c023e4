import type { StoryListed } from '@signalbox/contract/story.ts'

export interface NewIssue {
  /** Names the wish: asked twice with the same key, one issue is made. */
  key: string
  team: string
  title: string
  /** Markdown: description, acceptance criteria and the Demonstrate block. */
  body: string
}

/**
 * One tracker for all teams that are bound to none, which only takes what it is given. The demo has one, and tests; an
 * installation has none: its teams are bound to projects through connections, or keep their stories here.
 */
export interface SingleTracker {
  createIssue(issue: NewIssue): Promise<NonNullable<StoryListed['tracker']>>
  /** Adds a comment, once for each key. */
  comment(issue: NonNullable<StoryListed['tracker']>, comment: { key: string; text: string }): Promise<void>
}
