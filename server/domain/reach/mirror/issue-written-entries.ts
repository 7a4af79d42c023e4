import type { Entry } from '../../record/audit/change.ts'
import type { LockedStory } from '../../work/stories/lock.ts'
import type { Field } from './three-way-merge.ts'

/** What the log says of fields that were written to an issue. */
export function issueWrittenEntries(
  { key, title, team }: Pick<LockedStory, 'key' | 'title' | 'team'>,
  issue: string,
  fields: Field[],
  column: string,
): Entry[] {
  const entity = { type: 'story', id: key, name: title } as const
  const texts = fields.filter((field) => field !== 'column')
  return [
    ...(texts.length > 0
      ? [
          {
            event: 'tracker_written' as const,
            team,
            entity,
            details: { wrote: 'edited' as const, issue, fields: texts },
          },
        ]
      : []),
    ...(fields.includes('column')
      ? [
          {
            event: 'tracker_written' as const,
            team,
            entity,
            details: { wrote: 'status' as const, issue, after: column },
          },
        ]
      : []),
  ]
}
