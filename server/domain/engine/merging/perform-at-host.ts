import type { Context } from '../../context.ts'
import { placeOf, type TeamRepository } from '../../ports/git-host.ts'
import type { DueEffect, EffectKind } from '../../record/outbox/effect.ts'
import { leaveQueue } from '../../record/outbox/park.ts'
import type { Performer } from '../../record/outbox/perform.ts'
import { parkWhenRefused } from '../../tools/connections/park-when-refused.ts'
import { repositoryWith, teamRepositories, teamRepository } from '../../work/repositories/of-team.ts'
import { selectMergeRequest } from '../machine/run-store.ts'
import { setWaitingReason } from './merge.ts'

/**
 * Lets what is to be done at a git host wait where a repository, or the whole account, refuses it: until an admin has
 * mended that. Until then a run says what it waits for.
 */
export const performAtHost =
  <K extends EffectKind>(perform: Performer<K>): Performer<K> =>
  async (ctx, effect) => {
    const places = (await repositoriesFor(ctx, effect)).flatMap((one) => placeOf(one) ?? [])
    const [first, ...others] = places
    if (!first) return perform(ctx, effect)
    const performed = await parkWhenRefused(ctx, effect, [first, ...others], () => perform(ctx, effect))
    if ('parkedBy' in performed && effect.runId) await setWaitingReason(ctx, effect, performed.reason)
    // It was let in, and waits for checks or reviewers: that may take days, and those behind it need not wait for them.
    if ('notBefore' in performed) await leaveQueue(ctx, effect)
    return performed
  }

/** Where it is done: in one repository, or in each that its run changes. */
async function repositoriesFor(
  { db, workspaceId }: Context,
  { kind, runId, data }: DueEffect,
): Promise<readonly TeamRepository[]> {
  const { team, repository } = data as { team?: unknown; repository?: unknown }
  const some = (one: TeamRepository | null) => (one ? [one] : [])
  if (typeof team === 'string')
    return some(
      await repositoryWith(db, workspaceId, team, typeof repository === 'string' ? repository : null),
    )
  const run = runId ? await selectMergeRequest(db, workspaceId, runId) : null
  if (!run) return []
  const isBegun = run.parts.some(({ merged }) => merged !== null)
  // Once one of them is merged, each of the others is merged on its own.
  if (run.parts.length === 0 || (kind === 'merge' && isBegun))
    return some(await teamRepository(db, workspaceId, run.teamId, run.at))
  const names = run.parts
    .filter(({ work, derived, pullRequest }) => work ?? derived ?? pullRequest)
    .map(({ name }) => name)
  return (await teamRepositories(db, workspaceId, run.teamId)).filter(({ name }) => names.includes(name))
}
