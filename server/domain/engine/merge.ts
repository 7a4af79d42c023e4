import type { MergeRead } from '@signalbox/contract/merge-read.ts'
import type { Tx } from '../../infra/db/db.ts'
import { type Entry, housekeeping } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { addEffect, noteBefore } from '../outbox/add.ts'
import type { DueEffect } from '../outbox/effect.ts'
import type { Performed, Performer } from '../outbox/perform.ts'
import { ToolBusy } from '../ports/connection.ts'
import type { GitHost, MainRequest, MergeRequest } from '../ports/git-host.ts'
import { teamRepository } from '../repositories/of-team.ts'
import { holdTeam } from '../teams/lock.ts'
import { advance } from './advance.ts'
import { holdRun } from './hold.ts'
import type { RunEvent } from './machine.ts'
import { failingOn, mainBefore } from './main-before.ts'
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
    const { teamId, title, branch, base, onBase, ...about } = run
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
    const failed = onBase?.failed ?? []
    const main = failed.length > 0 ? await redAt(ctx, gitHost, { ...about, repository }, base, failed) : null
    return settled(
      ctx,
      effect,
      { type: 'pull_request_opened', pullRequest },
      {
        ...(main ? { main: { teamId, now: main } } : {}),
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

/** What the gates found on the commit that the work began from, where that is what the main branch is. */
async function redAt(
  { workspaceId }: Context,
  gitHost: GitHost,
  about: Omit<MainRequest, 'workspaceId'>,
  base: string | null,
  failed: readonly string[],
): Promise<MainState | null> {
  const now = await gitHost.readMain({ ...about, workspaceId })
  return now?.state === 'unchecked' && now.commit === base
    ? { state: 'red', commit: now.commit, findings: failingOn(failed) }
    : null
}

/** Merges the pull request, once main is known to be green and everything that could speak against it was read. */
export const mergeChange =
  (gitHost: GitHost | null): Performer<'merge'> =>
  async (ctx, effect) => {
    if (!gitHost) return settled(ctx, effect, { type: 'no_git_host' })
    const request = await requestOf(ctx, effect)
    if (!request) return settled(ctx, effect, { type: 'merge_refused', reason: 'there is no pull request' })
    try {
      return await mergeIfAllowed(ctx, gitHost, effect, request)
    } catch (error) {
      // What could not be read is waited for, and said: it is tried again like anything that failed.
      if (error instanceof ToolBusy) await saysWhy(ctx, effect, `${error.message} Trying again.`)
      throw error
    }
  }

async function mergeIfAllowed(
  ctx: Context,
  gitHost: GitHost,
  effect: DueEffect<'merge'>,
  request: Requested,
): Promise<Performed> {
  const { read: readBefore = null } = effect.data
  const main = await mainBefore(ctx, gitHost, request)
  // What was let through before may be made by now, whatever main has become since: then it only has to be seen.
  const isMade = readBefore !== null && (await gitHost.readPullRequest(request))?.state === 'merged'
  if (!isMade && 'held' in main) return waiting(ctx, effect, main.held, holdSeconds)
  if (!isMade && 'lookAt' in main)
    return settled(ctx, effect, { type: 'main_look_wanted', commit: main.lookAt })
  let read: MergeRead | null = readBefore
  const result = await gitHost.merge(request, async (facts) => {
    if (!('read' in main)) throw new Error('Nothing is merged into a main branch that nobody knows.')
    read = { ...facts, main: main.read }
    await noteBefore(ctx, effect, { read })
  })
  if (!result.merged && result.isPending) return waiting(ctx, effect, result.reason)
  return settled(
    ctx,
    effect,
    result.merged
      ? { type: 'merged', commit: result.commit, facts: result.facts, mismatch: result.mismatch, read }
      : {
          type: 'merge_refused',
          reason: result.reason,
          ...(result.isOutdated ? { isOutdated: true } : {}),
        },
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
    const { findings, isOlder } = main
    // What was red before is nobody's merge.
    const merge = { run: request.run, pullRequest: request.pullRequest.number }
    const commit = request.merged ?? 'unknown'
    const now = { state: 'red', commit, findings, ...(isOlder ? {} : { merge }) } as const
    const about = { main: { teamId: request.teamId, now } }
    return settled(ctx, effect, { type: 'main_red', findings, ...(isOlder ? { isOlder } : {}) }, about)
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
  await saysWhy(ctx, effect, reason)
  return { notBefore: later(ctx, seconds) }
}

/** Says at the run what it waits for. */
export const saysWhy = (ctx: Context, effect: DueEffect, reason: string): Promise<unknown> =>
  housekeeping(ctx.db, 'say why a run waits', (tx) =>
    updateReason(tx, ctx.workspaceId, effect.runId!, reason, null),
  )

const outdated: Performed = { settle: async () => [] }

type Requested = MergeRequest & Pick<Row, 'mainRed' | 'mends' | 'teamId' | 'merged' | 'onBase' | 'mainSeen'>

async function requestOf(ctx: Context, effect: DueEffect): Promise<Requested | null> {
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
