import { isDeepStrictEqual } from 'node:util'
import { toolNames } from '@signalbox/contract/connection-kinds.ts'
import { asService, type Context } from '../../context.ts'
import type { Issue, IssueChanges, Tracker, TrackerProject } from '../../ports/tracker.ts'
import { type Entry, housekeeping } from '../../record/audit/change.ts'
import type { Performed, Performer } from '../../record/outbox/perform.ts'
import { isOpen } from '../../work/runs/phase.ts'
import { lockStoryById } from '../../work/stories/lock.ts'
import { blockOf } from './block.ts'
import { askedAfter } from './blockers.ts'
import { statusFor } from './columns.ts'
import { importIssue } from './import-issue.ts'
import { issueWrittenEntries } from './issue-written-entries.ts'
import { milestonesOf } from './milestones.ts'
import { findingIssues, type MirrorServices, reachFor } from './reach.ts'
import { digestOf, fieldsOfStory } from './sides.ts'
import {
  type Binding,
  type Mirrored,
  selectBindings,
  selectMirrored,
  selectMirroredForUpdate,
  selectWork,
  updateMirrored,
} from './store.ts'
import { type Field, filled, inBlock, type MirroredFields } from './three-way-merge.ts'

const nothing: Performed = { settle: async () => [] }

/**
 * Writes to an issue what its story says and the issue does not: after looking at it, so that nothing is overwritten
 * that people changed there. Done again after a crash, it finds there what it has written, and writes nothing twice.
 */
export const writeIssue =
  (services: MirrorServices): Performer<'write_issue'> =>
  async (ctx, effect) => {
    const { storyId } = effect.data
    const seen = await selectMirrored(ctx.db, ctx.workspaceId, { storyId })
    const issueId = seen?.issueId
    const binding = seen && (await boundTo(ctx, seen))
    if (!issueId || !binding?.statuses) return nothing
    return reachFor(ctx, services, effect, binding, async (tracker, at) => {
      const found = await findingIssues(tracker, at)(issueId)
      const issue = found && (await askedAfter(tracker, at, found))
      await importIssue(asService(ctx, ctx.workspaceId), binding, storyId, issue, { isWriting: true })
      if (!issue || issue.left || !issue.fits) return nothing
      const plan = await planWriting(ctx, binding, storyId, services.publicUrl())
      if (!plan) return nothing
      const done = await carryOut(tracker, at, issue, plan, effect.attempts > 1)
      return { settle: (tx) => settle(ctx, tx, storyId, plan, done) }
    })
  }

/** The binding a story came through; undefined: the team is bound to something else by now. */
export async function boundTo(
  ctx: Context,
  { teamId, connectionId, projectId }: { teamId: string; connectionId: string; projectId: string },
): Promise<Binding | undefined> {
  const [binding] = await selectBindings(ctx.db, ctx.workspaceId, { teamId, connectionId })
  return binding?.project.id === projectId ? binding : undefined
}

interface Plan {
  issueKey: string
  /** What the story said when this was planned. */
  said: MirroredFields
  fields: Exclude<Field, 'column'>[]
  changes: IssueChanges
  move: { to: string; name: string; others: string[] } | null
  comment: { run: string; ref: string | null; text: string; key: string } | null
  link: { url: string; title: string } | null
  notice: string | null
}

interface Done {
  issue: Issue
  fields: Field[]
  comment: Mirrored['comment']
  notice: string | null
}

/** Says what is to be written, and writes down that it is about to be. Null: nothing is. */
async function planWriting(
  ctx: Context,
  binding: Binding,
  storyId: string,
  publicUrl: string,
): Promise<Plan | null> {
  return housekeeping(ctx.db, 'note what is about to be written to an issue', async (tx) => {
    const story = await lockStoryById(ctx, tx, storyId)
    const mirrored = story && (await selectMirroredForUpdate(tx, ctx.workspaceId, storyId))
    if (!story || !mirrored) return null
    const work = await selectWork(tx, ctx.workspaceId, storyId)
    const said = fieldsOfStory(story)
    const base = filled(mirrored.base)
    const ahead = (Object.keys(said) as Field[]).filter(
      (field) => !isDeepStrictEqual(said[field], base[field]),
    )
    const fields = ahead.filter((field) => field !== 'column')
    const isInBlock = fields.some((field) => (inBlock as readonly string[]).includes(field))
    // Closed over there while a run finishes: that is not undone.
    const moves = ahead.includes('column') && !(base.column === 'done' && work && isOpen(work.phase))
    const { to, others } = statusFor(said.column, binding.statuses ?? [], binding.mapping)
    const text = work ? milestonesOf(work, story.key, publicUrl) : null
    const comment =
      work && text && (mirrored.comment?.run !== work.run || mirrored.comment.text !== text)
        ? {
            run: work.run,
            ref: mirrored.comment?.run === work.run ? mirrored.comment.ref : null,
            text,
            key: `milestones/${storyId}/${work.run}`,
          }
        : null
    const plan: Plan = {
      issueKey: story.tracker?.key ?? '',
      said,
      fields,
      changes: {
        ...(fields.includes('title') ? { title: said.title } : {}),
        ...(fields.includes('description') ? { description: said.description } : {}),
        ...(isInBlock ? { block: blockOf(story) } : {}),
      },
      move: moves && to ? { to: to.id, name: to.name, others } : null,
      comment,
      link:
        comment && work?.pullRequest
          ? { url: work.pullRequest.url, title: `Pull request #${work.pullRequest.number}` }
          : null,
      notice:
        moves && !to
          ? `No status of ${binding.project.key} in ${toolNames[binding.kind]} is mapped to the story’s column.`
          : null,
    }
    const writing: Field[] = [...fields, ...(plan.move ? ['column' as const] : [])]
    if (writing.length === 0 && !comment && plan.notice === mirrored.notice) return null
    await updateMirrored(tx, ctx.workspaceId, storyId, {
      writing,
      notice: plan.notice,
      ...(writing.length > 0 ? { inStepSince: null } : {}),
    })
    return plan
  })
}

async function carryOut(
  tracker: Tracker,
  at: TrackerProject,
  found: Issue,
  plan: Plan,
  look: boolean,
): Promise<Done> {
  let issue = found
  let { notice } = plan
  const written: Field[] = []
  const { changes } = plan
  const loses =
    changes.description !== undefined &&
    tracker.mayWriteDescription !== undefined &&
    !(await tracker.mayWriteDescription(at, issue.id))
  if (loses) {
    notice = `The description of ${issue.key} has mentions, media or macros that would be lost. Change it there.`
    delete changes.description
  }
  const fields = plan.fields.filter((field) => !(loses && field === 'description'))
  if (fields.length > 0) {
    issue = await tracker.update(at, issue, changes)
    written.push(...fields)
  }
  if (plan.move) {
    const moved = await tracker.move(at, issue, plan.move.to, plan.move.others)
    if ('refused' in moved) notice = moved.refused
    else {
      issue = moved.issue
      written.push('column')
    }
  }
  let comment: Mirrored['comment'] = null
  if (plan.comment) {
    const { run, ref, text, key } = plan.comment
    const wish = { token: tracker.token(key), text, ref, look: look && ref === null }
    comment = { run, text, ref: await tracker.comment(at, issue.id, wish) }
    if (plan.link) await tracker.link?.(at, issue.id, plan.link)
  }
  return { issue, fields: written, comment, notice }
}

async function settle(
  ctx: Context,
  tx: Parameters<typeof lockStoryById>[1],
  storyId: string,
  plan: Plan,
  { issue, fields, comment, notice }: Done,
): Promise<Entry[]> {
  const story = await lockStoryById(ctx, tx, storyId)
  const mirrored = story && (await selectMirroredForUpdate(tx, ctx.workspaceId, storyId))
  if (!story || !mirrored) return []
  const base = {
    ...filled(mirrored.base),
    ...Object.fromEntries(fields.map((field) => [field, plan.said[field]])),
  }
  // An import that saw the issue since may have recorded some of the fields already.
  const unsaid = fields.filter((field) => mirrored.writing.includes(field))
  const isInStep = isDeepStrictEqual(base, fieldsOfStory(story)) && mirrored.conflicts.length === 0
  const isNewer = mirrored.issueUpdatedAt === null || issue.updatedAt >= mirrored.issueUpdatedAt
  await updateMirrored(tx, ctx.workspaceId, storyId, {
    base,
    writing: [],
    notice,
    ...(comment ? { comment } : {}),
    ...(isNewer ? { issueUpdatedAt: issue.updatedAt, digest: digestOf(issue) } : {}),
    inStepSince: isInStep ? (mirrored.inStepSince ?? ctx.clock.now()) : null,
    checkedAt: ctx.clock.now(),
  })
  return [
    ...issueWrittenEntries(story, issue.key, unsaid, plan.said.column),
    ...(comment
      ? [
          {
            event: 'tracker_written' as const,
            team: story.team,
            runKey: comment.run,
            entity: { type: 'story' as const, id: story.key, name: story.title },
            details: { wrote: 'comment' as const, issue: issue.key, summary: comment.text.split('\n')[0]! },
          },
        ]
      : []),
  ]
}
