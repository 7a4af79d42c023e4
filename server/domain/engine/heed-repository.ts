import { heedRefusals } from '../connections/heed-refusals.ts'
import type { Context } from '../context.ts'
import type { DueEffect, EffectKind } from '../outbox/effect.ts'
import type { Performer } from '../outbox/perform.ts'
import type { TeamRepository } from '../ports/git-host.ts'
import { repositoryOf, teamRepository } from '../repositories/of-team.ts'
import { saysWhy } from './merge.ts'
import { selectMergeRequest } from './run-store.ts'

/**
 * Lets what is to be done at a git host wait where the repository, or the whole account, refuses it: until an admin has
 * mended that. A run says meanwhile what it waits for.
 */
export const heedRepository =
  <K extends EffectKind>(perform: Performer<K>): Performer<K> =>
  async (ctx, effect) => {
    const repository = await repositoryFor(ctx, effect)
    if (!repository?.connectionId) return perform(ctx, effect)
    const { connectionId, remoteId, name } = repository
    const place = `repository/${remoteId ?? name}`
    const performed = await heedRefusals(ctx, effect, { connectionId, place }, () => perform(ctx, effect))
    if ('parkedBy' in performed && effect.runId) await saysWhy(ctx, effect, performed.reason)
    return performed
  }

async function repositoryFor(ctx: Context, { runId, data }: DueEffect): Promise<TeamRepository | null> {
  if ('team' in data && typeof data.team === 'string') return repositoryOf(ctx.db, ctx.workspaceId, data.team)
  const run = runId ? await selectMergeRequest(ctx.db, ctx.workspaceId, runId) : null
  return run ? teamRepository(ctx.db, ctx.workspaceId, run.teamId) : null
}
