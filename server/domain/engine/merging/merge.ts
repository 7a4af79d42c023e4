import type { MergeRead } from '@signalbox/contract/merge-read.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { ToolBusy } from '../../ports/connection.ts'
import type { GitHost, MainRequest, MergeRequest, PullRequest } from '../../ports/git-host.ts'
import { type Entry, housekeeping } from '../../record/audit/change.ts'
import { addEffect, noteBefore } from '../../record/outbox/add.ts'
import type { DueEffect } from '../../record/outbox/effect.ts'
import type { Performed, Performer } from '../../record/outbox/perform.ts'
import { teamRepositories, teamRepository } from '../../work/repositories/of-team.ts'
import { lockTeamById } from '../../work/teams/lock.ts'
import { advance } from '../lifecycle/advance.ts'
import { type MainState, noteMain } from '../lifecycle/report-main.ts'
import { lockRun } from '../machine/lock.ts'
import { blank, type Memory, type RunEvent } from '../machine/machine.ts'
import { abandonedParts, changedParts, largestPart, type Part } from '../machine/parts.ts'
import { requestOfPart, selectMergeRequest, selectPullRequestFacts } from '../machine/run-store.ts'
import { updateReason } from '../orders/queue-store.ts'
import { mainIfAllowed } from './look-at-main.ts'
import { failingOn, mainBefore } from './main-before.ts'

/** How the git host is spoken to: opening the pull request, merging, watching the main branch afterwards, and taking a merge back. */

const holdSeconds = 60
/** While the host has it: its queue, its checks, its reviewers. */
const askAgainSeconds = 30
const checkSeconds = 10

/** Asks for the pushed branch to be merged; in several repositories, for the branch of each. */
export const openPullRequest =
  (gitHost: GitHost | null): Performer<'open_pull_request'> =>
  async (ctx, effect) => {
    if (!gitHost) return settled(ctx, effect, { type: 'no_git_host' })
    const run = await selectPullRequestFacts(ctx.db, ctx.workspaceId, effect.runId!)
    if (!run?.branch) return outdated
    const memory = { ...blank, ...run.memory }
    if (memory.merged !== null) return outdated
    if (memory.parts.length > 0) return openTogether(ctx, gitHost, effect, run, memory)
    const { teamId, title, branch, base, onBase, memory: _, ...about } = run
    const repository = await teamRepository(ctx.db, ctx.workspaceId, teamId, memory.at)
    if (memory.race?.closes) {
      const left = await closeProposed(ctx, gitHost, effect, { ...about, repository }, memory.race.closes)
      if (left) return left
    }
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
        ...(main ? { mains: { teamId, now: [main] } } : {}),
        // Apart from the run: a person who merges on their own wants to see it, and the run has ended by then.
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
 * Of a race, the pull request of the change that was proposed and not chosen is closed before there is another, so that
 * never both can be merged. Not null: a person has merged it in the meantime, and the run is about to learn of it.
 */
async function closeProposed(
  ctx: Context,
  gitHost: GitHost,
  effect: DueEffect<'open_pull_request'>,
  about: Pick<MergeRequest, 'run' | 'team' | 'story' | 'repository'>,
  pullRequest: PullRequest,
): Promise<Performed | null> {
  const wish = { ...about, key: `${effect.key}/close`, workspaceId: ctx.workspaceId, pullRequest }
  const now = await gitHost.readPullRequest({ ...wish, head: null, verified: null })
  if (now?.state === 'merged')
    return waiting(ctx, effect, `Pull request #${pullRequest.number} was merged at the git host.`)
  await gitHost.closePullRequest({
    ...wish,
    why: `Closed by ${about.run}: a person chose the other agent’s change for ${about.story}.`,
  })
  return null
}

type HandOver = NonNullable<Awaited<ReturnType<typeof selectPullRequestFacts>>>

/** One pull request in each repository that was changed, by name; then each is told about the others. */
async function openTogether(
  ctx: Context,
  gitHost: GitHost,
  effect: DueEffect<'open_pull_request'>,
  { run, team, story, title, teamId }: HandOver,
  memory: Memory,
): Promise<Performed> {
  const { workspaceId } = ctx
  const all = await teamRepositories(ctx.db, workspaceId, teamId)
  const parts = changedParts(memory).map((part) => ({
    ...part,
    repository: all.find(({ name }) => name === part.name) ?? null,
  }))
  const each: { name: string; pullRequest: PullRequest; branch: { name: string; head: string } }[] = []
  // Twice: only then is every number known. What is open already is not opened again.
  for (const redescribes of [false, true])
    for (const { name, repository, branch } of parts) {
      const opened = await gitHost.openPullRequest({
        ...{ key: `${effect.key}/${name}`, workspaceId, run, team, story, title, repository },
        branch: branch!,
        body: bodyOf(`${story}, ${run}`, name, parts, each),
        ...(redescribes ? { redescribes } : {}),
      })
      if ('pending' in opened) return waiting(ctx, effect, `${name}: ${opened.pending}`)
      if ('refused' in opened)
        return settled(ctx, effect, { type: 'pull_request_refused', reason: `${name}: ${opened.refused}` })
      if (!redescribes) each.push({ name, pullRequest: opened.pullRequest, branch: branch! })
    }
  for (const { name, pullRequest } of abandonedParts(memory)) {
    const repository = all.find((one) => one.name === name)
    if (repository)
      await gitHost.closePullRequest({
        ...{ key: `${effect.key}/${name}/close`, workspaceId, run, team, story, repository },
        pullRequest: pullRequest!,
        why: `Closed by ${run}: after a rework, ${story} no longer changes this repository.`,
      })
  }
  const red: MainState[] = []
  for (const { name, repository, base, onBase } of parts) {
    const failed = onBase?.failed ?? []
    const main = failed.length > 0 ? await redAt(ctx, gitHost, { team, repository }, base, failed) : null
    if (main) red.push({ ...main, repository: name })
  }
  const lead = largestPart(memory)!.name
  return settled(
    ctx,
    effect,
    {
      type: 'pull_request_opened',
      pullRequest: each.find(({ name }) => name === lead)!.pullRequest,
      each: each.map(({ name, pullRequest }) => ({ name, pullRequest })),
    },
    {
      ...(red.length > 0 ? { mains: { teamId, now: red } } : {}),
      also: async (tx) => {
        for (const { name, pullRequest, branch } of each)
          await addEffect(ctx, tx, {
            kind: 'post_verdict',
            key: `post_verdict/${effect.runId}/${name}/${branch.head}`,
            data: { run, team, story, head: branch.head, pullRequest, repository: name },
          })
      },
    },
  )
}

/** Names the pull requests that belong to this one, by number as soon as they have one. */
function bodyOf(
  first: string,
  own: string,
  parts: readonly Part[],
  opened: readonly { name: string; pullRequest: PullRequest }[],
): string {
  const others = parts
    .filter(({ name }) => name !== own)
    .map(({ name, branch }) => {
      const found = opened.find((one) => one.name === name)
      return found
        ? `- ${name}#${found.pullRequest.number}: ${found.pullRequest.url}`
        : `- ${name}, branch ${branch!.name}`
    })
  return others.length === 0
    ? first
    : [
        first,
        '',
        'Part of one change in several repositories, merged together in the order of their names:',
        ...others,
      ].join('\n')
}

/** What the gates found on the commit that the work began from, where that is what the main branch is. */
async function redAt(
  { workspaceId }: Context,
  gitHost: GitHost,
  about: Omit<MainRequest, 'workspaceId'>,
  base: string | null,
  failed: readonly string[],
): Promise<MainState | null> {
  const now = await mainIfAllowed(gitHost, { ...about, workspaceId })
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
      if (error instanceof ToolBusy) await setWaitingReason(ctx, effect, `${error.message} Trying again.`)
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
  const others = request.parts.filter(({ name }) => name !== request.at)
  // Until the first of them is merged, all are held together: one that can't be merged keeps the others back.
  if (readBefore === null && others.length > 0 && request.parts.every(({ merged }) => merged === null)) {
    const held = await heldByOthers(ctx, gitHost, effect, request)
    if (held) return held
  }
  const main = await mainBefore(ctx, gitHost, request)
  // What was allowed before may be made by now, whatever the state of main is since: then it only has to be seen.
  const isMade = readBefore !== null && (await gitHost.readPullRequest(request))?.state === 'merged'
  if (!isMade && 'held' in main) return waiting(ctx, effect, main.held, holdSeconds)
  if (!isMade && 'lookAt' in main)
    return settled(ctx, effect, { type: 'main_look_wanted', commit: main.lookAt, ...lookIn(request) })
  let read: MergeRead | null = readBefore
  const result = await gitHost.merge(request, async (facts) => {
    if (!('read' in main)) throw new Error('The state of the main branch is not known.')
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

/** Thrown where a merge would be made: everything that could speak against it was read, and nothing did. */
class LetThrough extends Error {}

/** Looks at every other repository as if it were merged into now, and stops short of it. Null: nothing is in the way. */
async function heldByOthers(
  ctx: Context,
  gitHost: GitHost,
  effect: DueEffect<'merge'>,
  request: Requested,
): Promise<Performed | null> {
  const changed = request.parts.filter(({ work }) => work !== null)
  for (const part of changed.filter(({ name }) => name !== request.at)) {
    const other = await requestedOf(ctx, effect, requestOfPart(request, part))
    if (!other)
      return settled(ctx, effect, {
        type: 'merge_refused',
        reason: `there is no pull request in ${part.name}`,
      })
    const main = await mainBefore(ctx, gitHost, other)
    if ('held' in main) return waiting(ctx, effect, `${part.name}: ${main.held}`, holdSeconds)
    if ('lookAt' in main)
      return settled(ctx, effect, { type: 'main_look_wanted', commit: main.lookAt, ...lookIn(other) })
    const result = await gitHost
      .merge(other, async () => {
        throw new LetThrough()
      })
      .catch((error) => {
        if (error instanceof LetThrough) return null
        throw error
      })
    // It can be merged, or someone has merged it at the host: the look at pull requests deals with that.
    if (!result || result.merged) continue
    if (result.isPending) return waiting(ctx, effect, `${part.name}: ${result.reason}`)
    return settled(ctx, effect, {
      type: 'merge_refused',
      reason: `${part.name}: ${result.reason}`,
      ...(result.isOutdated ? { isOutdated: true } : {}),
    })
  }
  return null
}

const lookIn = ({ at, parts }: Pick<Requested, 'at' | 'parts'>) =>
  parts.length > 0 && at !== null ? { repository: at } : {}

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
      const now = [{ ...main, repository: request.at }]
      const mended = request.mainRed ? { mains: { teamId: request.teamId, now } } : {}
      return settled(ctx, effect, { type: 'main_green' }, mended)
    }
    const { findings, isOlder } = main
    // If it was red before, this merge is not to blame.
    const merge = { run: request.run, pullRequest: request.pullRequest.number }
    const commit = request.merged ?? 'unknown'
    const red = { state: 'red', commit, findings, ...(isOlder ? {} : { merge }) } as const
    const about = { mains: { teamId: request.teamId, now: [{ ...red, repository: request.at }] } }
    return settled(ctx, effect, { type: 'main_red', findings, ...(isOlder ? { isOlder } : {}) }, about)
  }

/** Opens the pull request that takes a merge back. */
export const openRevert =
  (gitHost: GitHost | null): Performer<'open_revert'> =>
  async (ctx, effect) => {
    if (!gitHost) return settled(ctx, effect, { type: 'no_git_host' })
    const request = await requestOf(ctx, effect)
    if (!request) return outdated
    if (request.parts.length > 0) return revertTogether(ctx, gitHost, effect, request)
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

/** Reverts what was merged of a change in several repositories: all of it, last first. */
async function revertTogether(
  ctx: Context,
  gitHost: GitHost,
  effect: DueEffect,
  request: Requested,
): Promise<Performed> {
  const opened: { name: string; pullRequest: PullRequest }[] = []
  for (const part of request.parts.filter(({ merged }) => merged !== null).toReversed()) {
    const other = await requestedOf(ctx, effect, requestOfPart(request, part))
    if (!other) continue
    const result = await gitHost.openRevert({ ...other, key: `${effect.key}/${part.name}` })
    if ('pending' in result) return waiting(ctx, effect, `${part.name}: ${result.pending}`)
    if ('refused' in result) {
      const before = opened.length === 0 ? '' : ` ${revertsOf(opened)}`
      return settled(ctx, effect, {
        type: 'revert_refused',
        reason: `${part.name}: ${result.refused}${before}`,
      })
    }
    opened.push({ name: part.name, pullRequest: result.pullRequest })
  }
  const [first] = opened
  if (!first) return settled(ctx, effect, { type: 'revert_refused', reason: 'nothing of it is merged.' })
  return settled(ctx, effect, {
    type: 'revert_opened',
    pullRequest: first.pullRequest,
    says: revertsOf(opened),
  })
}

const revertsOf = (opened: readonly { name: string; pullRequest: PullRequest }[]) =>
  `Reverted by ${opened.map(({ name, pullRequest }) => `${name}#${pullRequest.number}`).join(', ')}.`

type Row = NonNullable<Awaited<ReturnType<typeof selectMergeRequest>>>

/** Says why the run waits, and comes back. */
async function waiting(
  ctx: Context,
  effect: DueEffect,
  reason: string,
  seconds = askAgainSeconds,
): Promise<Performed> {
  await setWaitingReason(ctx, effect, reason)
  return { notBefore: later(ctx, seconds) }
}

/** Says at the run what it waits for. */
export const setWaitingReason = (ctx: Context, effect: DueEffect, reason: string): Promise<unknown> =>
  housekeeping(ctx.db, 'say why a run waits', (tx) =>
    updateReason(tx, ctx.workspaceId, effect.runId!, reason, null),
  )

const outdated: Performed = { settle: async () => [] }

type Requested = MergeRequest & Omit<Row, 'pullRequest'>

async function requestOf(ctx: Context, effect: DueEffect): Promise<Requested | null> {
  const row = await selectMergeRequest(ctx.db, ctx.workspaceId, effect.runId!)
  return row ? requestedOf(ctx, effect, row) : null
}

/** Null: there is no pull request. */
async function requestedOf(
  { db, workspaceId }: Context,
  effect: DueEffect,
  row: Row,
): Promise<Requested | null> {
  if (!row.pullRequest) return null
  const repository = await teamRepository(db, workspaceId, row.teamId, row.at)
  return { ...row, pullRequest: row.pullRequest, key: effect.key, workspaceId, repository }
}

/** Takes the run on, and notes on the team what was learnt of its main branches. */
function settled(
  ctx: Context,
  effect: DueEffect,
  event: RunEvent,
  { mains, also }: { mains?: { teamId: string; now: MainState[] }; also?: (tx: Tx) => Promise<unknown> } = {},
): Performed {
  const lock = (tx: Tx) => lockRun(tx, ctx.workspaceId, { id: effect.runId! })
  return {
    lock: async (tx) => {
      // Lock order: the team before the run.
      if (mains) await lockTeamById(tx, ctx.workspaceId, mains.teamId)
      await lock(tx)
    },
    settle: async (tx): Promise<Entry[]> => {
      const noted: Entry[] = []
      for (const now of mains?.now ?? []) {
        const team = await lockTeamById(tx, ctx.workspaceId, mains!.teamId)
        if (team) noted.push(...(await noteMain(ctx, tx, team, now)))
      }
      const run = await lock(tx)
      const advanced = await advance(ctx, tx, run, event)
      if (advanced) await also?.(tx)
      return [...noted, ...(advanced?.entries ?? [])]
    },
  }
}

const later = (ctx: Context, seconds: number) => new Date(ctx.clock.now().getTime() + seconds * 1000)
