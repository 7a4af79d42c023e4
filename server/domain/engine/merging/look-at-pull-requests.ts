import type { Tx } from '../../../infra/db/db.ts'
import { asService, type Context } from '../../context.ts'
import type { GitHost, PullRequestNow } from '../../ports/git-host.ts'
import { change, type Entry, housekeeping } from '../../record/audit/change.ts'
import { teamRepository } from '../../work/repositories/of-team.ts'
import { isOpen } from '../../work/runs/phase.ts'
import { moveStory } from '../../work/stories/move.ts'
import { advance } from '../lifecycle/advance.ts'
import { type LockedRun, lockRun } from '../machine/lock.ts'
import { nextToMerge, partsOf, switchToPart } from '../machine/parts.ts'
import {
  appendEvent,
  endPullRequestLooks,
  requestOfPart,
  selectMergeRequest,
  selectRunsOfPullRequest,
  takePullRequestLooksOfAllWorkspaces,
  updateMemory,
} from '../machine/run-store.ts'

/** While someone may answer about it here, and while only people over there will. */
const openEveryMs = 5 * 60_000
const endedEveryMs = 30 * 60_000
/** Of runs that have ended: people who leave a pull request for longer are not waited for. */
const endedForMs = 14 * 86_400_000
const most = 100

/** Asks for the state of the pull request of each run, for hosts whose webhook does not reach us. */
export async function lookAtPullRequests(
  base: Pick<Context, 'db' | 'clock' | 'queue'>,
  gitHost: Pick<GitHost, 'readPullRequest'>,
  onError: (error: Error) => void,
): Promise<void> {
  const now = base.clock.now()
  const ago = (ms: number) => new Date(now.getTime() - ms)
  const due = await housekeeping(base.db, 'take the look at pull requests', (tx) =>
    takePullRequestLooksOfAllWorkspaces(tx, now, {
      ...{ open: ago(openEveryMs), ended: ago(endedEveryMs), endedAfter: ago(endedForMs), most },
    }),
  )
  for (const { workspaceId, id } of due)
    await lookAtPullRequest(asService(base, workspaceId), gitHost, id).catch(onError)
}

/** The same for one that a webhook has named. Says what was done about it, for the log of deliveries. */
export async function lookAtNamedPullRequest(
  ctx: Context,
  gitHost: Pick<GitHost, 'readPullRequest'>,
  team: string,
  named: { repository: string; number: number },
): Promise<string[]> {
  const said: string[] = []
  for (const id of await selectRunsOfPullRequest(ctx.db, ctx.workspaceId, team, named))
    said.push(...(await lookAtPullRequest(ctx, gitHost, id)))
  return said
}

/**
 * A waiting pull request that can't be merged any more goes back to work automatically, once. A person who merges or
 * closes it at the host has answered: a run that waited goes on to look at the main branch, or is over, and its
 * question is withdrawn.
 */
async function lookAtPullRequest(
  ctx: Context,
  gitHost: Pick<GitHost, 'readPullRequest'>,
  id: string,
): Promise<string[]> {
  const run = await selectMergeRequest(ctx.db, ctx.workspaceId, id)
  if (!run) return []
  const changed = run.parts.filter(({ work, merged }) => work !== null && merged === null)
  const rows = run.parts.length === 0 ? [run] : changed.map((part) => requestOfPart(run, part))
  const said: string[] = []
  for (const row of rows) said.push(...(await lookAtOne(ctx, gitHost, id, row)))
  return said
}

type Row = NonNullable<Awaited<ReturnType<typeof selectMergeRequest>>>

/** The one pull request, or that of one of several repositories. */
async function lookAtOne(
  ctx: Context,
  gitHost: Pick<GitHost, 'readPullRequest'>,
  id: string,
  row: Row,
): Promise<string[]> {
  const { db, workspaceId } = ctx
  if (!row.pullRequest || row.merged !== null) return []
  const repository = await teamRepository(db, workspaceId, row.teamId, row.at)
  const { pullRequest } = row
  const now = await gitHost.readPullRequest({
    ...{ ...row, pullRequest, key: `pull_request/${id}`, workspaceId, repository },
  })
  if (!now || (now.state === 'open' && !now.conflicts)) return []
  return change(ctx, async (tx) => {
    const run = await lockRun(tx, workspaceId, { id })
    const of = pullRequestOf(run, row.at)
    // It may have moved on while the host was asked: another attempt has another pull request.
    if (of?.pullRequest?.number !== pullRequest.number || of.merged !== null) return { value: [], audit: [] }
    if (now.state === 'open') return goneBack(ctx, tx, run, now.conflicts!)
    const says = wordsFor(of, now)
    if (!isOpen(run.state.phase)) return endedByHand(ctx, tx, run, row, now, says)
    const inPart = run.state.memory.parts.length > 0 && row.at !== null ? { repository: row.at } : {}
    const advanced = await advance(
      ctx,
      tx,
      run,
      now.state === 'merged'
        ? { type: 'merged_elsewhere', commit: now.commit, says, ...inPart }
        : { type: 'closed_elsewhere', says },
    )
    return {
      value: advanced ? [`${run.key}: ${says}`] : [],
      audit: advanced?.entries ?? [],
    }
  })
}

/** What the run knows of the pull request that was looked at. */
function pullRequestOf({ state: { memory, pullRequest } }: LockedRun, at: string | null) {
  if (memory.parts.length > 0) return partsOf(memory).find(({ name }) => name === at)
  return { pullRequest, merged: memory.merged, branch: memory.branch }
}

/** The run ended when its pull requests were open: the story is done when the last of them is merged. */
async function endedByHand(
  ctx: Context,
  tx: Tx,
  run: LockedRun,
  { at }: Row,
  now: Exclude<PullRequestNow, { state: 'open' }>,
  says: string,
) {
  const { memory } = run.state
  const isMerged = now.state === 'merged'
  if (isMerged) {
    const noted = { ...switchToPart(memory, at ?? undefined), merged: now.commit }
    const next = nextToMerge(noted)
    await updateMemory(tx, ctx.workspaceId, run.id, switchToPart(noted, next?.name))
    if (next) return { value: [`${run.story.key}: ${says}`], audit: [] }
  }
  await endPullRequestLooks(tx, ctx.workspaceId, run.id)
  // It moves nothing, but whether and when the work was merged is asked later.
  await appendEvent(
    tx,
    ctx.workspaceId,
    { id: run.id, version: run.version + 1, isAlive: false },
    {
      at: ctx.clock.now(),
      ...(isMerged
        ? { type: 'merged_elsewhere', data: { commit: now.commit, says } }
        : { type: 'closed_elsewhere', data: { says } }),
      fence: null,
      report: null,
    },
  )
  const audit = isMerged ? await doneByHand(ctx, tx, run, says) : []
  return { value: audit.length > 0 ? [`${run.story.key}: ${says}`] : [], audit }
}

/** No one should approve what can't be merged any more. */
async function goneBack(ctx: Context, tx: Tx, run: LockedRun, reason: string) {
  const advanced = await advance(ctx, tx, run, { type: 'conflicted', reason })
  const says = advanced?.state.phase === 'queued' ? 'begins another attempt' : 'asks what to do'
  return {
    value: advanced ? [`${run.key} ${says}: ${reason}`] : [],
    audit: advanced?.entries ?? [],
  }
}

function wordsFor(
  { pullRequest, branch }: NonNullable<ReturnType<typeof pullRequestOf>>,
  now: Exclude<PullRequestNow, { state: 'open' }>,
): string {
  const which = `Pull request #${pullRequest!.number}`
  if (now.state === 'closed') return `${which} was closed at the git host without being merged.`
  return branch && branch.head !== now.head
    ? `${which} was merged at the git host, with commits that were not verified here.`
    : `${which} was merged at the git host.`
}

/** The run ended when its pull request was open, as the policy says; the story is done now. */
async function doneByHand(
  ctx: Context,
  tx: Parameters<typeof moveStory>[1],
  run: LockedRun,
  note: string,
): Promise<Entry[]> {
  const { story, team, key } = run
  const moved = await moveStory(ctx, tx, story.id, 'done', { note })
  if (moved.from === moved.to) return []
  return [
    {
      event: 'story_changed',
      ...{ team: team.slug, runKey: key },
      entity: { type: 'story', id: story.key, name: story.title },
      details: {
        change: 'moved',
        changes: [{ field: 'column', before: moved.from, after: moved.to }],
        note,
      },
    },
  ]
}
