import type { SingleTracker } from '../../ports/single-tracker.ts'
import { housekeeping } from '../../record/audit/change.ts'
import type { Performer } from '../../record/outbox/perform.ts'
import { recordWritten } from '../../work/requirements/record-written.ts'
import { keepStory } from '../../work/requirements/write-story.ts'
import { followIssue } from '../../work/stories/follow-issue.ts'
import { lockStoryById } from '../../work/stories/lock.ts'
import { blockOf } from './block.ts'
import { trackerOf } from './import-issue.ts'
import { type MirrorServices, reachFor } from './reach.ts'
import { digestOf, fieldsOfIssue, fieldsOfStory } from './sides.ts'
import { insertMirrored, selectBindings, selectMirroredForUpdate, updateMirrored } from './store.ts'

/**
 * Makes the issue for an approved story: in the project that its team is bound to; otherwise in the tracker that this
 * process has, or only here. That it is about to be made is written down first, so that the mirror knows it by then.
 */
export const writeStory =
  (services: MirrorServices, single: SingleTracker | null): Performer<'write_story'> =>
  async (ctx, effect) => {
    const { storyId } = effect.data
    const kept = await keepStory(ctx, effect, single)
    if ('performed' in kept) return kept.performed
    const { story } = kept
    const [binding] = await selectBindings(ctx.db, ctx.workspaceId, { teamId: story.team.id })
    if (!binding) return kept.withoutProject()
    return reachFor(ctx, services, effect, binding, async (tracker, at) => {
      const statuses = binding.statuses ?? (await tracker.statuses(at))
      const token = tracker.token(effect.key)
      const locked = await housekeeping(ctx.db, 'note that an issue is about to be created', async (tx) => {
        const held = await lockStoryById(ctx, tx, storyId)
        if (held)
          await insertMirrored(
            tx,
            ctx.workspaceId,
            binding,
            [
              {
                storyId,
                issueId: null,
                wish: token,
                base: fieldsOfStory(held),
                issueUpdatedAt: null,
                digest: null,
                inStepSince: null,
              },
            ],
            ctx.clock.now(),
          )
        return held
      })
      if (!locked) return { settle: async () => [] }
      const issue = await tracker.create(at, {
        token,
        title: locked.title,
        description: locked.description,
        block: blockOf(locked),
        look: effect.attempts > 1,
      })
      return {
        lock: kept.lock,
        settle: async (tx) => {
          const entry = await recordWritten(ctx, tx, { ...story, id: storyId }, trackerOf(binding, issue))
          await selectMirroredForUpdate(tx, ctx.workspaceId, storyId)
          await updateMirrored(tx, ctx.workspaceId, storyId, {
            issueId: issue.id,
            base: fieldsOfIssue(issue, { ...binding, statuses }),
            issueUpdatedAt: issue.updatedAt,
            digest: digestOf(issue),
            checkedAt: ctx.clock.now(),
          })
          await followIssue(ctx, tx, storyId)
          return [
            entry,
            {
              event: 'tracker_written',
              team: story.team.slug,
              entity: { type: 'story', id: story.key, name: story.title },
              details: { wrote: 'created', issue: issue.key, classOfService: locked.classOfService },
            },
          ]
        },
      }
    })
  }
