import type { Tx } from '../../infra/db/db.ts'
import { type Entry, housekeeping } from '../audit/change.ts'
import type { Context } from '../context.ts'
import type { DueEffect } from '../outbox/effect.ts'
import type { Performed, Performer } from '../outbox/perform.ts'
import type { GitHost, MergeRequest } from '../ports/git-host.ts'
import { teamRepository } from '../repositories/of-team.ts'
import { holdTeam } from '../teams/lock.ts'
import { setMainRed } from '../teams/main.ts'
import { advance } from './advance.ts'
import { holdRun } from './hold.ts'
import type { RunEvent } from './machine.ts'
import { updateReason } from './queue-store.ts'
import { selectHandOver, selectMergeRequest } from './run-store.ts'

/** How the git host is spoken to: opening the pull request, merging, watching the main branch afterwards, and taking a merge back. */

const holdSeconds = 60
const checkSeconds = 10

/** Asks for the pushed branch to be merged. */
export const openPullRequest =
  (gitHost: GitHost | null): Performer<'open_pull_request'> =>
  async (ctx, effect) => {
    if (!gitHost) return settled(ctx, effect, { type: 'no_git_host' })
    const run = await selectHandOver(ctx.db, ctx.workspaceId, effect.runId!)
    if (!run?.branch) return outdated
    const { teamId, title, branch, ...about } = run
    const repository = await teamRepository(ctx.db, ctx.workspaceId, teamId)
    const opened = await gitHost.openPullRequest({
      key: effect.key,
      workspaceId: ctx.workspaceId,
      ...about,
      repository,
      branch,
      title,
      body: `${about.story}, ${about.run}`,
    })
    return settled(
      ctx,
      effect,
      'refused' in opened
        ? { type: 'pull_request_refused', reason: opened.refused }
        : { type: 'pull_request_opened', pullRequest: opened.pullRequest },
    )
  }

/**
 * Merges the pull request, once main is green. What mends a red main branch is not held: an expedite story, or another
 * attempt of the run that broke it.
 */
export const mergeChange =
  (gitHost: GitHost | null): Performer<'merge'> =>
  async (ctx, effect) => {
    if (!gitHost) return settled(ctx, effect, { type: 'no_git_host' })
    const request = await requestOf(ctx, effect)
    if (!request) return settled(ctx, effect, { type: 'merge_refused', reason: 'there is no pull request' })
    if (request.mainRed && !request.mends) {
      await housekeeping(ctx.db, 'say why a run waits', (tx) =>
        updateReason(tx, ctx.workspaceId, effect.runId!, 'The main branch is red. Merges are on hold.', null),
      )
      return { notBefore: later(ctx, holdSeconds) }
    }
    const result = await gitHost.merge(request)
    return settled(
      ctx,
      effect,
      result.merged
        ? { type: 'merged', commit: result.commit }
        : { type: 'merge_refused', reason: result.reason },
    )
  }

/** Looks whether the main branch is still green with the merge in it. */
export const watchMain =
  (gitHost: GitHost | null): Performer<'check_main'> =>
  async (ctx, effect) => {
    if (!gitHost) return settled(ctx, effect, { type: 'no_git_host' })
    const request = await requestOf(ctx, effect)
    if (!request) return outdated
    const main = await gitHost.checkMain(request)
    if (main.state === 'by_runner') return settled(ctx, effect, { type: 'main_check_wanted' })
    if (main.state === 'pending') return { notBefore: later(ctx, checkSeconds) }
    if (main.state === 'green') {
      const mended = request.mainRed ? { teamId: request.teamId, red: false } : undefined
      return settled(ctx, effect, { type: 'main_green' }, mended)
    }
    return settled(
      ctx,
      effect,
      { type: 'main_red', findings: main.findings },
      { teamId: request.teamId, red: true },
    )
  }

/** Opens the pull request that takes a merge back. */
export const openRevert =
  (gitHost: GitHost | null): Performer<'open_revert'> =>
  async (ctx, effect) => {
    if (!gitHost) return settled(ctx, effect, { type: 'no_git_host' })
    const request = await requestOf(ctx, effect)
    if (!request) return outdated
    const opened = await gitHost.openRevert(request)
    // What broke the main branch is still in it.
    if ('refused' in opened) return settled(ctx, effect, { type: 'revert_refused', reason: opened.refused })
    return settled(
      ctx,
      effect,
      { type: 'revert_opened', pullRequest: opened.pullRequest },
      { teamId: request.teamId, red: false },
    )
  }

const outdated: Performed = { settle: async () => [] }

async function requestOf(
  ctx: Context,
  effect: DueEffect,
): Promise<(MergeRequest & { mainRed: boolean; mends: boolean; teamId: string }) | null> {
  const row = await selectMergeRequest(ctx.db, ctx.workspaceId, effect.runId!)
  if (!row?.pullRequest) return null
  const repository = await teamRepository(ctx.db, ctx.workspaceId, row.teamId)
  const { workspaceId } = ctx
  return { ...row, pullRequest: row.pullRequest, key: effect.key, workspaceId, repository }
}

/** Takes the run on, and notes on the team what was learnt of its main branch. */
function settled(
  ctx: Context,
  effect: DueEffect,
  event: RunEvent,
  main?: { teamId: string; red: boolean },
): Performed {
  const hold = (tx: Tx) => holdRun(tx, ctx.workspaceId, { id: effect.runId! })
  return {
    hold: async (tx) => {
      // The team before the run: whoever holds both takes them in this order.
      if (main) await holdTeam(tx, ctx.workspaceId, main.teamId)
      await hold(tx)
    },
    settle: async (tx): Promise<Entry[]> => {
      if (main) await setMainRed(ctx, tx, main.teamId, main.red)
      const run = await hold(tx)
      return (await advance(ctx, tx, run, event))?.entries ?? []
    },
  }
}

const later = (ctx: Context, seconds: number) => new Date(ctx.clock.now().getTime() + seconds * 1000)
