import type { StoryPage } from '@signalbox/contract/app/stories.ts'

/** A story or a draft, as far as it is edited. */
export type Editable = Pick<
  StoryPage,
  | 'key'
  | 'title'
  | 'description'
  | 'acceptanceCriteria'
  | 'demonstrate'
  | 'testPlan'
  | 'size'
  | 'complexity'
  | 'classOfService'
  | 'tracker'
  | 'updatedAt'
> &
  Partial<Pick<StoryPage, 'mirror'>>

/** What of it a person edits. */
export interface Edited {
  title: string
  description: string
  acceptanceCriteria: string[]
  demonstrate: string
  testPlan: string
  size: StoryPage['size']
  complexity: StoryPage['complexity']
  classOfService: StoryPage['classOfService']
}
export type Part = keyof Edited

export const partNames: Record<Part, string> = {
  title: 'title',
  description: 'description',
  acceptanceCriteria: 'acceptance criteria',
  demonstrate: 'Demonstrate',
  testPlan: 'test plan',
  size: 'size',
  complexity: 'complexity',
  classOfService: 'class of service',
}

export const editedOf = (story: Editable): Edited => ({
  title: story.title,
  description: story.description,
  acceptanceCriteria: story.acceptanceCriteria.map(({ text }) => text),
  demonstrate: story.demonstrate ?? '',
  testPlan: story.testPlan ?? '',
  size: story.size,
  complexity: story.complexity,
  classOfService: story.classOfService,
})

/** As it would be stored: empty criteria and white space around them do not count. */
const normal = (edited: Edited): Edited => ({
  ...edited,
  title: edited.title.trim().replace(/\s+/g, ' '),
  description: edited.description.trim(),
  acceptanceCriteria: edited.acceptanceCriteria.map((text) => text.trim()).filter(Boolean),
  demonstrate: edited.demonstrate.trim(),
  testPlan: edited.testPlan.trim(),
})

/** The parts that differ, as they are sent. */
export function changesBetween(before: Edited, after: Edited): Partial<Edited> {
  const [old, now] = [normal(before), normal(after)]
  const parts = (Object.keys(partNames) as Part[]).filter(
    (part) => JSON.stringify(old[part]) !== JSON.stringify(now[part]),
  )
  return Object.fromEntries(parts.map((part) => [part, now[part]]))
}

/** What I changed on top of what someone else changed since, and the parts that both did. */
export function merge(base: Edited, mine: Edited, theirs: Edited): { edited: Edited; both: Part[] } {
  const [changed, changedToo] = [changesBetween(base, mine), changesBetween(base, theirs)]
  const own = Object.keys(changed) as Part[]
  const edited = { ...theirs, ...Object.fromEntries(own.map((part) => [part, mine[part]])) }
  return { edited, both: own.filter((part) => Object.hasOwn(changedToo, part)) }
}

/** The lines of a list that was pasted: its bullets, numbers and boxes are not part of them. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/, '').trim())
    .filter((line) => line !== '')
