import type { Tx } from '../../infra/db/db.ts'
import { type Entry, housekeeping } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { addEffect } from '../outbox/add.ts'
import type { DueEffect } from '../outbox/effect.ts'
import type { Performed, Performer } from '../outbox/perform.ts'
import type { GitHost, MergeRequest } from '../ports/git-host.ts'
import { teamRepository } from '../repositories/of-team.ts'
import { holdTeam } from '../teams/lock.ts'
import { advance } from './advance.ts'
import { holdRun } from './hold.ts'
import type { RunEvent } from './machine.ts'
import { updateReason } from './queue-store.ts'
import { type MainState, noteMain } from './report-main.ts'
import { selectHandOver, selectMergeRequest } from './run-store.ts'

/** How the git host is spoken to: opening the pull request, merging, watching the main branch afterwards, and taking a merge back. */

const holdSeconds = 60
/** While the host has it: its queue, its checks, its reviewers. */
const askAgainSeconds = 30
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
    if ('pending' in opened) return waiting(ctx, effect, opened.pending)
    if ('refused' in opened)
      return settled(ctx, effect, { type: 'pull_request_refused', reason: opened.refused })
    const { pullRequest } = opened
    return settled(
      ctx,
      effect,
      { type: 'pull_request_opened', pullRequest },
      {
        // Apart from the run: whoever merges for themselves wants to see it, and the run has ended by then.
        also: (tx) =>
          addEffect(ctx, tx, {
            kind: 'post_verdict',
            key: `post_verdict/${effect.runId}/${branch.head}`,
            data: { run: about.run, team: about.team, story: about.story, head: branch.head, pullRequest },
          }),
      },
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
      return waiting(ctx, effect, 'The main branch is red. Merges are on hold.', holdSeconds)
    }
    const result = await gitHost.merge(request)
    if (!result.merged && result.isPending) return waiting(ctx, effect, result.reason)
    return settled(
      ctx,
      effect,
      result.merged
        ? { type: 'merged', commit: result.commit, facts: result.facts, mismatch: result.mismatch }
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
      const mended = request.mainRed ? { main: { teamId: request.teamId, now: main } } : {}
      return settled(ctx, effect, { type: 'main_green' }, mended)
    }
    const { findings } = main
    const merge = { run: request.run, pullRequest: request.pullRequest.number }
    const now = { state: 'red', commit: request.merged ?? 'unknown', findings, merge } as const
    return settled(ctx, effect, { type: 'main_red', findings }, { main: { teamId: request.teamId, now } })
  }

/** Opens the pull request that takes a merge back. */
export const openRevert =
  (gitHost: GitHost | null): Performer<'open_revert'> =>
  async (ctx, effect) => {
    if (!gitHost) return settled(ctx, effect, { type: 'no_git_host' })
    const request = await requestOf(ctx, effect)
    if (!request) return outdated
    const opened = await gitHost.openRevert(request)
    if ('pending' in opened) return waiting(ctx, effect, opened.pending)
    // Either way what broke the main branch is still in it: merges are held until it is green.
    return settled(
      ctx,
      effect,
      'refused' in opened
        ? { type: 'revert_refused', reason: opened.refused }
        : { type: 'revert_opened', pullRequest: opened.pullRequest },
    )
  }

type Row = NonNullable<Awaited<ReturnType<typeof selectMergeRequest>>>

/** Says why the run waits, and comes back. */
async function waiting(
  ctx: Context,
  effect: DueEffect,
  reason: string,
  seconds = askAgainSeconds,
): Promise<Performed> {
  await housekeeping(ctx.db, 'say why a run waits', (tx) =>
    updateReason(tx, ctx.workspaceId, effect.runId!, reason, null),
  )
  return { notBefore: later(ctx, seconds) }
}

const outdated: Performed = { settle: async () => [] }

async function requestOf(
  ctx: Context,
  effect: DueEffect,
): Promise<(MergeRequest & Pick<Row, 'mainRed' | 'mends' | 'teamId' | 'merged'>) | null> {
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
  { main, also }: { main?: { teamId: string; now: MainState }; also?: (tx: Tx) => Promise<unknown> } = {},
): Performed {
  const hold = (tx: Tx) => holdRun(tx, ctx.workspaceId, { id: effect.runId! })
  return {
    hold: async (tx) => {
      // The team before the run: whoever holds both takes them in this order.
      if (main) await holdTeam(tx, ctx.workspaceId, main.teamId)
      await hold(tx)
    },
    settle: async (tx): Promise<Entry[]> => {
      const team = main && (await holdTeam(tx, ctx.workspaceId, main.teamId))
      const run = await hold(tx)
      const noted = team ? await noteMain(ctx, tx, team, main.now) : []
      const advanced = await advance(ctx, tx, run, event)
      if (advanced) await also?.(tx)
      return [...noted, ...(advanced?.entries ?? [])]
    },
  }
}

const later = (ctx: Context, seconds: number) => new Date(ctx.clock.now().getTime() + seconds * 1000)
