import type { Performer } from '../outbox/perform.ts'
import type { GitHost, RevertRequest } from '../ports/git-host.ts'
import { recordStep } from '../timeline/append.ts'

/** What a decision about a suspected merge keeps, so that whoever takes it back finds it. */
export interface Revert extends Omit<RevertRequest, 'key'> {
  incident: string
}

/** Opens the pull request that takes back the merge which an incident points to, once a person has approved it. */
export const revertMerge =
  (gitHost: GitHost): Performer =>
  async (ctx, effect) => {
    const { incident, ...request } = effect.data as unknown as Revert
    const { pullRequest } = await gitHost.revertCommit({ ...request, key: effect.key })
    return {
      settle: (tx) =>
        recordStep(ctx, tx, incident, {
          type: 'revert_opened',
          text: `Pull request #${pullRequest.number} takes the suspected merge back: ${pullRequest.url}`,
          data: { pullRequest, commit: request.commit },
          reason: 'a revert pull request was opened',
        }),
    }
  }
