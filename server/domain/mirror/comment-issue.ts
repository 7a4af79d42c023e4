import type { Performer } from '../outbox/perform.ts'
import type { SingleTracker } from '../ports/single-tracker.ts'
import { type MirrorServices, reach } from './reach.ts'
import { selectMirrored } from './store.ts'
import { boundTo } from './write-issue.ts'

/** Writes under the story's issue what a person said who sent it back. */
export const commentIssue =
  (services: MirrorServices, single: SingleTracker | null): Performer<'comment_issue'> =>
  async (ctx, effect) => {
    const { issue, text, story, team, run } = effect.data
    const mirrored = await selectMirrored(ctx.db, ctx.workspaceId, { key: story })
    const binding = mirrored && (await boundTo(ctx, mirrored))
    const issueId = mirrored?.issueId
    if (binding && issueId) {
      await reach(ctx, services, binding, (tracker, at) =>
        tracker.comment(at, issueId, {
          token: tracker.token(effect.key),
          text,
          ref: null,
          look: effect.attempts > 1,
        }),
      )
    } else await single?.comment(issue, { key: effect.key, text })
    const isWritten = Boolean(binding && issueId) || single !== null
    return {
      settle: async () => [
        {
          event: 'tracker_written',
          result: isWritten ? 'success' : 'failure',
          team,
          runKey: run,
          entity: { type: 'story', id: story },
          details: {
            issue: issue.key,
            wrote: 'comment',
            ...(isWritten ? {} : { reason: 'No tracker is connected.' }),
          },
        },
      ],
    }
  }
