import type { GitHost } from '../../ports/git-host.ts'
import type { Performed, Performer } from '../../record/outbox/perform.ts'
import { repositoryWith } from '../../work/repositories/of-team.ts'
import { recordStep } from '../../work/timeline/append.ts'

/** Opens the pull request that reverts the merge an incident points to, once a person has approved it. */
export const revertMerge =
  (gitHost: GitHost | null): Performer<'revert_merge'> =>
  async (ctx, effect) => {
    const { incident, ...request } = effect.data
    const notOpened = (reason: string): Performed => {
      const { commit } = request
      const text = `${reason} Revert commit ${commit.slice(0, 12)} manually.`
      return {
        settle: async (tx) =>
          (await recordStep(ctx, tx, incident, text, { change: 'revert_not_opened', commit, reason })).map(
            (entry) => ({ ...entry, result: 'failure' }),
          ),
      }
    }
    if (!gitHost) return notOpened('No git host is connected.')
    const { workspaceId } = ctx
    const teamRepository = await repositoryWith(ctx.db, workspaceId, request.team, request.repository)
    const opened = await gitHost.revertCommit({ ...request, key: effect.key, workspaceId, teamRepository })
    if ('pending' in opened) throw new Error(opened.pending)
    if ('refused' in opened) return notOpened(opened.refused)
    const { pullRequest } = opened
    return {
      settle: (tx) =>
        recordStep(
          ctx,
          tx,
          incident,
          `Pull request #${pullRequest.number} reverts the suspected merge: ${pullRequest.url}`,
          { change: 'revert_opened', pullRequest, commit: request.commit },
        ),
    }
  }
