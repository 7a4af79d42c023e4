import type { StoryListed } from '@signalbox/contract/story.ts'

/** A story that is not filed yet. */
export interface ProposedStory {
  title: string
  description: string
  acceptanceCriteria: string[]
  demonstrate: string | null
  /** How it is going to be tested, Markdown. */
  testPlan?: string | null
  size: StoryListed['size']
  complexity: StoryListed['complexity']
  classOfService: StoryListed['classOfService']
}
