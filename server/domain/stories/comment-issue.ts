import type { Performer } from '../outbox/perform.ts'
import type { Tracker } from '../ports/tracker.ts'

/** Writes under the story's issue what a person said who sent it back. */
export const commentIssue =
  (tracker: Tracker): Performer =>
  async (_, effect) => {
    const { issue, text, story, team, run } = effect.data as {
      issue: Parameters<Tracker['comment']>[0]
      text: string
      story: string
      team: string
      run: string
    }
    await tracker.comment(issue, { key: effect.key, text })
    return {
      settle: async () => [
        {
          event: 'tracker_written',
          team,
          runKey: run,
          entity: { type: 'story', id: story },
          details: { issue: issue.key, wrote: 'comment' },
        },
      ],
    }
  }
