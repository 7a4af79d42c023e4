import type { SingleTracker } from '../../ports/single-tracker.ts'
import type { Performed, Performer } from '../../record/outbox/perform.ts'
import { type MirrorServices, reachFor } from './reach.ts'
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
    const written = (reason: string | null): Performed => ({
      settle: async () => [
        {
          event: 'tracker_written',
          result: reason === null ? 'success' : 'failure',
          team,
          runKey: run,
          entity: { type: 'story', id: story },
          details: { issue: issue.key, wrote: 'comment', ...(reason === null ? {} : { reason }) },
        },
      ],
    })
    if (binding && issueId)
      return reachFor(ctx, services, effect, binding, async (tracker, at) => {
        const wish = { token: tracker.token(effect.key), text, ref: null, look: effect.attempts > 1 }
        await tracker.comment(at, issueId, wish)
        return written(null)
      })
    await single?.comment(issue, { key: effect.key, text })
    return written(single ? null : 'No tracker is connected.')
  }
