import type { StoryPage } from '@signalbox/contract/app/stories.ts'

/** What a person gives to a coding agent of their own to work on the story. */
export function promptFor(
  story: Pick<StoryPage, 'key' | 'title' | 'description' | 'acceptanceCriteria' | 'demonstrate' | 'testPlan'>,
): string {
  const criteria = story.acceptanceCriteria.map(({ text }, index) => `${index + 1}. ${text}`)
  return [
    `Work on story ${story.key}: ${story.title}`,
    story.description,
    criteria.length > 0 && `It is done when each of these holds:\n${criteria.join('\n')}`,
    story.demonstrate && `Show that it works like this:\n${story.demonstrate}`,
    story.testPlan && `Test it like this:\n${story.testPlan}`,
    `Do not change anything under .kanman/acceptance. Name ${story.key} in the commit message.`,
  ]
    .filter(Boolean)
    .join('\n\n')
}
