import { isDeepStrictEqual } from 'node:util'
import { toolNames } from '@signalbox/contract/connection-kinds.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { stopRunsOfStory } from '../../engine/lifecycle/stop-runs-of-story.ts'
import type { Issue, Left } from '../../ports/tracker.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { isOpen } from '../../work/runs/phase.ts'
import { applyIssue } from '../../work/stories/apply-issue.ts'
import { blockStory, waitForBlockers } from '../../work/stories/block.ts'
import { fileMirrored } from '../../work/stories/file-mirrored.ts'
import { followIssue } from '../../work/stories/follow-issue.ts'
import { type LockedStory, lockStoryById } from '../../work/stories/lock.ts'
import { placeOf } from './columns.ts'
import { issueWrittenEntries } from './issue-written-entries.ts'
import { digestOf, fieldsOfIssue, fieldsOfStory } from './sides.ts'
import {
  type Binding,
  insertMirrored,
  lockProject,
  type Mirrored,
  selectKnown,
  selectMirrored,
  selectMirroredForUpdate,
  selectWishes,
  selectWork,
  updateMirrored,
  type Work,
} from './store.ts'
import { type Field, type Merged, merge } from './three-way-merge.ts'

export interface Imported {
  filed: number
  changed: number
}

/** Takes in what a tracker says about issues: whichever way it was learned, however often, in whatever order. */
export async function importIssues(ctx: Context, binding: Binding, issues: Issue[]): Promise<Imported> {
  const ids = issues.map(({ id }) => id)
  const known = new Map(
    (await selectKnown(ctx.db, ctx.workspaceId, binding, ids)).map((one) => [one.issueId, one]),
  )
  let changed = 0
  for (const issue of issues) {
    const one = known.get(issue.id)
    // The story of another team: two are bound to the same project.
    if (!one || one.teamId !== binding.team.id) continue
    const isSame = one.updatedAt.getTime() === issue.updatedAt.getTime() && one.digest === digestOf(issue)
    if (isSame && !one.isWriting) continue
    if (await importIssue(ctx, binding, one.storyId, issue)) changed += 1
  }
  const unknown = issues.filter(({ id }) => !known.has(id))
  return { filed: await fileNew(ctx, binding, unknown), changed }
}

/** Files stories for issues that are none yet. What is closed or done when it is first seen is no work. */
async function fileNew(ctx: Context, binding: Binding, issues: Issue[]): Promise<number> {
  const wanted = issues.filter(
    (issue) =>
      issue.left === null && issue.fits && placeOf(issue, binding.statuses ?? [], binding.mapping) !== 'done',
  )
  if (wanted.length === 0) return 0
  return change(ctx, async (tx) => {
    await lockProject(tx, ctx.workspaceId, binding)
    const ids = wanted.map(({ id }) => id)
    const found = await selectKnown(tx, ctx.workspaceId, binding, ids)
    const known = new Set(found.map(({ issueId }) => issueId))
    const wishes = wanted.map(({ wish }) => wish).filter((wish) => wish !== null)
    const ours = await selectWishes(tx, ctx.workspaceId, wishes)
    const unknown = [...new Map(wanted.map((one) => [one.id, one])).values()]
      // An issue that we are creating is recorded by the code that creates it.
      .filter(({ id, wish }) => !known.has(id) && !(wish !== null && ours.has(wish)))
    const audit = unknown.length > 0 ? await fileAll(ctx, tx, binding, unknown) : []
    if (audit.length > 0)
      await ctx.queue.send(tx, { task: 'team', workspaceId: ctx.workspaceId, id: binding.team.id })
    return { value: audit.length, audit }
  })
}

async function fileAll(ctx: Context, tx: Tx, binding: Binding, issues: Issue[]): Promise<Entry[]> {
  const at = ctx.clock.now()
  const said = issues.map((issue) => fieldsOfIssue(issue, binding))
  const stories = said.map((one, index) => ({ ...one, tracker: trackerOf(binding, issues[index]!) }))
  const filed = await fileMirrored(ctx, tx, binding.team, stories)
  const rows = issues.map((issue, index) => ({
    storyId: filed[index]!.id,
    issueId: issue.id,
    wish: null,
    base: said[index]!,
    issueUpdatedAt: issue.updatedAt,
    digest: digestOf(issue),
    inStepSince: at,
  }))
  await insertMirrored(tx, ctx.workspaceId, binding, rows, at)
  const unread = filed.filter((_, index) => !Array.isArray(issues[index]!.blockedBy))
  if (unread.length > 0)
    await waitForBlockers(
      ctx,
      tx,
      unread.map(({ id }) => id),
    )
  for (const [index, { blockedBy }] of issues.entries())
    if (Array.isArray(blockedBy) && blockedBy.length > 0)
      await blockStory(ctx, tx, { id: filed[index]!.id, teamId: binding.team.id }, blockedBy)
  return issues.map((issue, index) => ({
    event: 'story_changed',
    team: binding.team.slug,
    entity: { type: 'story', id: filed[index]!.key, name: said[index]!.title },
    details: { change: 'mirrored', trackerKey: issue.key, column: said[index]!.column },
  }))
}

export const trackerOf = ({ kind }: Binding, { key, url }: Issue) => ({ platform: kind, key, url })

/**
 * Takes in one issue; null: it no longer exists. An older version than the one seen last changes nothing. With
 * `isWriting`, the caller is about to write to the issue, so no other write is requested.
 */
export async function importIssue(
  ctx: Context,
  binding: Binding,
  storyId: string,
  issue: Issue | null,
  { isWriting = false } = {},
): Promise<boolean> {
  const seen = await selectMirrored(ctx.db, ctx.workspaceId, { storyId })
  if (!seen || isOlder(seen, issue)) return false
  const left = leftOf(issue)
  const work = await selectWork(ctx.db, ctx.workspaceId, storyId)
  const place = issue && placeOf(issue, binding.statuses ?? [], binding.mapping)
  if (work && ends(seen, work, left, place === 'done') && work.whenIssueLeaves === 'stop')
    await stopRunsOfStory(ctx, seen.key)
  return change(ctx, async (tx) => {
    const story = await lockStoryById(ctx, tx, storyId)
    const mirrored = story && (await selectMirroredForUpdate(tx, ctx.workspaceId, storyId))
    if (!story || !mirrored || isOlder(mirrored, issue)) return { value: false, audit: [] }
    const now = await selectWork(tx, ctx.workspaceId, storyId)
    const isWorkedOn = now !== undefined && isOpen(now.phase)
    const held = { story, mirrored, isWorkedOn }
    const audit = left
      ? await leave(ctx, tx, binding, held, { issue, left })
      : await agree(ctx, tx, binding, held, issue!, isWriting)
    return { value: audit.length > 0, audit }
  })
}

interface Held {
  story: LockedStory
  mirrored: Mirrored
  isWorkedOn: boolean
}

const isOlder = ({ issueUpdatedAt }: Pick<Mirrored, 'issueUpdatedAt'>, issue: Issue | null): boolean =>
  issue !== null && issueUpdatedAt !== null && issue.updatedAt < issueUpdatedAt

const leftOf = (issue: Issue | null): Left | null =>
  issue === null ? 'deleted' : (issue.left ?? (issue.fits ? null : 'moved'))

/** Whether the issue ends what a run is at. One that is being merged closes its issue, which is no reason to stop it. */
function ends(mirrored: Mirrored, { phase }: Work, left: Left | null, isDone: boolean): boolean {
  if (!isOpen(phase) || mirrored.leftBecause !== null) return false
  if (left) return true
  const isMerging = ['merging', 'watching', 'reverting'].includes(phase)
  return isDone && mirrored.base.column !== 'done' && !isMerging
}

const leftWords: Record<Left, string> = {
  closed: 'was closed without being done',
  moved: 'no longer belongs to this project',
  deleted: 'was deleted, or is hidden from us now',
}

async function leave(
  ctx: Context,
  tx: Tx,
  binding: Binding,
  { story, mirrored, isWorkedOn }: Held,
  { issue, left }: { issue: Issue | null; left: Left },
): Promise<Entry[]> {
  // A closed issue still says what its story is called and is about. One that was moved belongs to a project that the
  // team is not bound to.
  const merged =
    issue && left === 'closed' ? mergeWords(binding, { story, mirrored, isWorkedOn }, issue) : null
  const seen = {
    ...(issue ? { issueUpdatedAt: issue.updatedAt, digest: digestOf(issue) } : {}),
    ...(merged ? { base: merged.base, conflicts: conflictsOf(mirrored, merged) } : {}),
    checkedAt: ctx.clock.now(),
  }
  if (mirrored.leftBecause === left) {
    await updateMirrored(tx, ctx.workspaceId, story.id, seen)
    const taken = merged?.story ?? {}
    if (!issue || Object.keys(taken).length === 0) return []
    return [takenEntry(story, issue, await applyIssue(ctx, tx, story, taken), taken.title)]
  }
  const key = story.tracker?.key ?? issue?.key ?? 'The issue'
  const notice = `${key} ${leftWords[left]} in ${toolNames[binding.kind]}.`
  await updateMirrored(tx, ctx.workspaceId, story.id, {
    ...seen,
    leftBecause: left,
    notice: isWorkedOn ? `${notice} The run that works on it finishes, as the policy says.` : notice,
    writing: [],
    inStepSince: null,
  })
  const returns = !isWorkedOn && story.column !== 'done'
  const taken = {
    ...merged?.story,
    ...(returns ? { column: 'backlog' as const, returnedNote: notice } : {}),
  }
  const changes = Object.keys(taken).length > 0 ? await applyIssue(ctx, tx, story, taken) : []
  return [
    {
      event: 'story_changed',
      team: story.team,
      entity: { type: 'story', id: story.key, name: merged?.story.title ?? story.title },
      details: { change: 'issue_left', because: left, trackerKey: key, changes },
    },
  ]
}

/** Without the column: where the story of a closed issue stands is not the tracker's to say. */
function mergeWords(binding: Binding, { story, mirrored, isWorkedOn }: Held, issue: Issue): Merged {
  const { column } = mirrored.base
  return merge(mirrored.base, fieldsOfStory(story), { ...fieldsOfIssue(issue, binding), column }, isWorkedOn)
}

/** A new one replaces the one before of the same field. */
const conflictsOf = (mirrored: Mirrored, merged: Merged) => [
  ...mirrored.conflicts.filter(({ field }) => !merged.conflicts.some((one) => one.field === field)),
  ...merged.conflicts,
]

async function agree(
  ctx: Context,
  tx: Tx,
  binding: Binding,
  { story, mirrored, isWorkedOn }: Held,
  issue: Issue,
  isWriting: boolean,
): Promise<Entry[]> {
  const at = ctx.clock.now()
  const ours = fieldsOfStory(story)
  const theirs = fieldsOfIssue(issue, binding)
  const isBack = mirrored.leftBecause !== null
  // What has come back is wherever the tracker has it now.
  const before = isBack ? { ...mirrored.base, column: ours.column } : mirrored.base
  const merged = merge(before, ours, theirs, isWorkedOn)
  const { issueId: _, ...tracker } = { issueId: issue.id, ...trackerOf(binding, issue) }
  const isRenamed = !isDeepStrictEqual(story.tracker, tracker)
  const taken = {
    ...merged.story,
    ...(isRenamed ? { tracker } : {}),
    ...(isBack ? { returnedNote: null } : {}),
  }
  const blocked = Array.isArray(issue.blockedBy)
    ? await blockStory(ctx, tx, { id: story.id, teamId: binding.team.id }, issue.blockedBy)
    : []
  if (!Array.isArray(issue.blockedBy)) await waitForBlockers(ctx, tx, [story.id])
  const changes = [
    ...(Object.keys(taken).length > 0 ? await applyIssue(ctx, tx, story, taken) : []),
    ...blocked,
  ]
  const arrived = mirrored.writing.filter((field) => !merged.ahead.includes(field))
  const conflicts = conflictsOf(mirrored, merged)
  const isMapped = placeOf(issue, binding.statuses ?? [], binding.mapping) !== null
  const notice = isMapped
    ? isBack || merged.ahead.length === 0
      ? null
      : mirrored.notice
    : `The status that ${issue.key} has in ${toolNames[binding.kind]} is not mapped to a column.`
  await updateMirrored(tx, ctx.workspaceId, story.id, {
    base: merged.base,
    issueUpdatedAt: issue.updatedAt,
    digest: digestOf(issue),
    writing: mirrored.writing.filter((field) => merged.ahead.includes(field)),
    conflicts,
    notice,
    leftBecause: null,
    inStepSince: merged.ahead.length > 0 || conflicts.length > 0 ? null : (mirrored.inStepSince ?? at),
    checkedAt: at,
  })
  if (merged.ahead.length > 0 && !isWriting) await followIssue(ctx, tx, story.id)
  return [
    ...(changes.length > 0 ? [takenEntry(story, issue, changes, merged.story.title)] : []),
    ...issueWrittenEntries(story, issue.key, arrived as Field[], theirs.column),
  ]
}

function takenEntry(
  story: LockedStory,
  issue: Issue,
  changes: { field: string; before: unknown; after: unknown }[],
  title = story.title,
): Entry {
  return {
    event: 'story_changed',
    team: story.team,
    entity: { type: 'story', id: story.key, name: title },
    details: { change: 'mirrored', trackerKey: issue.key, changes },
  }
}
