import type { Performer } from '../outbox/perform.ts'
import type { Tracker } from '../ports/tracker.ts'

/** Writes under the story's issue what a person said who sent it back. */
export const commentIssue =
  (tracker: Tracker | null): Performer<'comment_issue'> =>
  async (_, effect) => {
    const { issue, text, story, team, run } = effect.data
    await tracker?.comment(issue, { key: effect.key, text })
    return {
      settle: async () => [
        {
          event: 'tracker_written',
          result: tracker ? 'success' : 'failure',
          team,
          runKey: run,
          entity: { type: 'story', id: story },
          details: {
            issue: issue.key,
            wrote: 'comment',
            ...(tracker ? {} : { reason: 'No tracker is connected.' }),
          },
        },
      ],
    }
  }
