import type { Context } from '../../context.ts'
import type { Issue, Tracker, TrackerProject } from '../../ports/tracker.ts'
import { blockedStories } from '../../work/stories/block.ts'
import { placeOf } from './columns.ts'
import { importIssue } from './import-issue.ts'
import { type Binding, selectMirrored } from './store.ts'

/**
 * Asks which open issues block what could be started, where the issues themselves do not say: before they are taken in,
 * so that nothing is started in between.
 */
export async function withBlockers(
  tracker: Tracker,
  at: TrackerProject,
  { statuses, mapping }: Binding,
  issues: readonly Issue[],
): Promise<Issue[]> {
  const told: Issue[] = []
  for (const issue of issues) {
    const isWork = issue.left === null && issue.fits && tracker.blockers !== undefined
    const isReady = placeOf(issue, statuses ?? [], mapping) === 'ready'
    const asks = isWork && (issue.blockedBy === 'some' || (issue.blockedBy === null && isReady))
    told.push(asks ? { ...issue, blockedBy: await tracker.blockers!(at, issue.id) } : issue)
  }
  return told
}

/** Looks again at what is blocked: that a blocker was closed changes nothing about the issue that it blocked. */
export async function lookAtBlocked(
  ctx: Context,
  tracker: Tracker,
  at: TrackerProject,
  binding: Binding,
): Promise<void> {
  for (const storyId of await blockedStories(ctx, binding.team.id)) {
    const mirrored = await selectMirrored(ctx.db, ctx.workspaceId, { storyId })
    if (!mirrored?.issueId || mirrored.projectId !== binding.project.id) continue
    const issue = await tracker.fetch(at, mirrored.issueId)
    if (!issue) continue
    await importIssue(ctx, binding, storyId, await askedAfter(tracker, at, issue))
  }
}

/** The issue with its blockers, in any status: its story may be about to be started here. */
export async function askedAfter(tracker: Tracker, at: TrackerProject, issue: Issue): Promise<Issue> {
  if (Array.isArray(issue.blockedBy) || issue.left !== null || !tracker.blockers) return issue
  return { ...issue, blockedBy: await tracker.blockers(at, issue.id) }
}
