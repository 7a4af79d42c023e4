import { createHash } from 'node:crypto'
import type { Issue } from '../../ports/tracker.ts'
import type { LockedStory } from '../../work/stories/lock.ts'
import { readBlock } from './block.ts'
import { placeOf } from './columns.ts'
import type { Binding } from './store.ts'
import { fitted, type MirroredFields } from './three-way-merge.ts'

/** What an issue says. Without a block of ours, sections that people wrote under the same headings count. */
export function fieldsOfIssue(issue: Issue, { statuses, mapping }: Binding): MirroredFields {
  return fitted({
    title: issue.title,
    description: issue.description,
    ...readBlock(issue.block ?? issue.description),
    column: placeOf(issue, statuses ?? [], mapping) ?? 'backlog',
  })
}

/** What a story says. */
export const fieldsOfStory = (story: LockedStory): MirroredFields => ({
  title: story.title,
  description: story.description,
  acceptanceCriteria: story.acceptanceCriteria.map(({ text }) => text),
  demonstrate: story.demonstrate,
  testPlan: story.testPlan ?? null,
  size: story.size,
  complexity: story.complexity,
  classOfService: story.classOfService,
  column: story.column,
})

/** Tells two versions of an issue apart that were made within the same moment of the tool's clock. */
export const digestOf = ({ title, description, block, statuses, left, fits, key, url }: Issue): string =>
  createHash('sha256')
    .update(JSON.stringify([title, description, block, [...statuses].sort(), left, fits, key, url]))
    .digest('hex')
