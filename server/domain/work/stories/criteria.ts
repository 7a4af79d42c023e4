import type { AcceptanceCriterion } from '@signalbox/contract/story.ts'

/**
 * Criteria for these texts. One whose text is unchanged keeps its id and what was found about it; any other text is a
 * new criterion, with a number that none of the story's has, and nothing is known about it yet.
 */
export function numbered(texts: string[], before: AcceptanceCriterion[] = []): AcceptanceCriterion[] {
  const left = [...before]
  let last = Math.max(0, ...before.map(({ id }) => Number(/^ac-(\d+)$/.exec(id)?.[1] ?? 0)))
  return texts.map((text) => {
    const index = left.findIndex((criterion) => criterion.text === text)
    if (index >= 0) return left.splice(index, 1)[0]!
    last += 1
    return { id: `ac-${last}`, text, status: 'unverified', verifiedAt: null }
  })
}
