import type { Context } from '../../context.ts'
import type { TeamRepository } from '../../ports/git-host.ts'
import type { DueEffect, EffectKind } from '../../record/outbox/effect.ts'
import type { Performer } from '../../record/outbox/perform.ts'
import { parkWhenRefused } from '../../tools/connections/park-when-refused.ts'
import { repositoryWith, teamRepository } from '../../work/repositories/of-team.ts'
import { selectMergeRequest } from '../machine/run-store.ts'
import { setWaitingReason } from './merge.ts'

/**
 * Lets what is to be done at a git host wait where the repository, or the whole account, refuses it: until an admin has
 * mended that. A run says meanwhile what it waits for.
 */
export const performAtHost =
  <K extends EffectKind>(perform: Performer<K>): Performer<K> =>
  async (ctx, effect) => {
    const repository = await repositoryFor(ctx, effect)
    if (!repository?.connectionId) return perform(ctx, effect)
    const { connectionId, remoteId, name } = repository
    const place = `repository/${remoteId ?? name}`
    const performed = await parkWhenRefused(ctx, effect, { connectionId, place }, () => perform(ctx, effect))
    if ('parkedBy' in performed && effect.runId) await setWaitingReason(ctx, effect, performed.reason)
    return performed
  }

async function repositoryFor(ctx: Context, { runId, data }: DueEffect): Promise<TeamRepository | null> {
  const { team, repository } = data as { team?: unknown; repository?: unknown }
  if (typeof team === 'string')
    return repositoryWith(ctx.db, ctx.workspaceId, team, typeof repository === 'string' ? repository : null)
  const run = runId ? await selectMergeRequest(ctx.db, ctx.workspaceId, runId) : null
  return run ? teamRepository(ctx.db, ctx.workspaceId, run.teamId, run.at) : null
}
