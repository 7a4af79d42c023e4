import { toolNames } from '@signalbox/contract/connection-kinds.ts'
import type { Secrets } from '../../../infra/secrets.ts'
import type { Context } from '../../context.ts'
import { type Reached, ToolBusy, ToolRefused } from '../../ports/connection.ts'
import type { Issue, Tracker, TrackerProject, Trackers } from '../../ports/tracker.ts'
import { housekeeping } from '../../record/audit/change.ts'
import type { DueEffect } from '../../record/outbox/effect.ts'
import type { Performed } from '../../record/outbox/perform.ts'
import { openConnection } from '../../tools/connections/open.ts'
import { parkWhenRefused } from '../../tools/connections/park-when-refused.ts'
import { type Binding, selectBlockRef, selectPause, updateBlockRef, upsertPause } from './store.ts'

export interface MirrorServices {
  trackers: Trackers
  secrets: Pick<Secrets, 'decrypt'>
  /** Known once the server listens. */
  publicUrl: () => string
}

/**
 * Works with the tracker that a team is bound to. When a tool asks us to back off, the first caller to be told records
 * it, and no one calls the tool until then.
 */
export async function reach<T>(
  ctx: Context,
  { trackers, secrets }: Pick<MirrorServices, 'trackers' | 'secrets'>,
  binding: Binding,
  work: (tracker: Tracker, at: TrackerProject) => Promise<T>,
): Promise<T> {
  const { connectionId, kind, project, label } = binding
  const now = ctx.clock.now()
  const until = await selectPause(ctx.db, ctx.workspaceId, connectionId, now)
  if (until) {
    const waitMs = until.getTime() - now.getTime()
    throw new ToolBusy(`${toolNames[kind]} asked us to wait until ${clockTime(until)}.`, waitMs, now)
  }
  if (kind === 'slack') throw new Error('Slack is not a tracker.')
  const connection = await openConnection({ db: ctx.db, secrets }, ctx.workspaceId, connectionId)
  try {
    return await work(trackers[kind], { connection, project, label, blocks: keptBlocks(ctx, binding) })
  } catch (error) {
    if (error instanceof ToolBusy && error.retryAt) {
      const { retryAt } = error
      await housekeeping(ctx.db, 'note until when a tool is left alone', (tx) =>
        upsertPause(tx, ctx.workspaceId, connectionId, retryAt),
      )
    }
    throw error
  }
}

/** Kept with the story: another node, or this one after a restart, need not look through all comments again. */
const keptBlocks = (
  { db, workspaceId }: Context,
  { connectionId, project }: Binding,
): NonNullable<TrackerProject['blocks']> => ({
  find: (issueId) => selectBlockRef(db, workspaceId, { connectionId, projectId: project.id, issueId }),
  keep: (issueId, comment) =>
    housekeeping(db, 'keep which comment of an issue is ours', (tx) =>
      updateBlockRef(tx, workspaceId, { connectionId, projectId: project.id, issueId }, comment),
    ),
})

const clockTime = (at: Date) => `${at.toISOString().slice(11, 16)} UTC`

/** The same for what is to be done there: what the project or the whole tool refuses waits until it is mended. */
export const reachFor = (
  ctx: Context,
  services: Pick<MirrorServices, 'trackers' | 'secrets'>,
  effect: DueEffect,
  binding: Binding,
  work: (tracker: Tracker, at: TrackerProject) => Promise<Performed>,
): Promise<Performed> =>
  parkWhenRefused(ctx, effect, placeOf(binding), () =>
    reach(ctx, services, binding, async (tracker, at) => {
      try {
        return await work(tracker, at)
      } catch (error) {
        const isMissing = error instanceof ToolRefused && error.reason === 'not_found'
        if (isMissing && error.extent === 'thing') await requireProject(tracker, at)
        throw error
      }
    }),
  )

/**
 * Finds issues of a project as they are now; null: it was deleted. Tools also say that nothing is there about a project
 * that they hide from us, whose issues have not gone: that is thrown as a refusal of the whole project.
 */
export function findingIssues(tracker: Tracker, at: TrackerProject): (id: string) => Promise<Issue | null> {
  let seen: Promise<void> | null = null
  return async (id) => {
    const found = await tracker.fetch(at, id)
    if (found) return found
    seen ??= requireProject(tracker, at)
    await seen
    return null
  }
}

/** Its statuses and its issues: some tools show one of them without the other, or an empty list instead of a refusal. */
async function requireProject(tracker: Tracker, at: TrackerProject): Promise<void> {
  try {
    await tracker.statuses(at)
    await tracker.openIds(at, null)
  } catch (error) {
    if (!(error instanceof ToolRefused) || error.extent === 'account') throw error
    const { reason, message, status, answer } = error
    const tool = toolNames[at.connection.kind]
    throw new ToolRefused(
      reason,
      reason === 'not_found'
        ? `${tool} has no project ${at.project.key}, or hides it from this connection. Give its account access.`
        : message,
      { status, answer, extent: 'place' },
    )
  }
}

/** What of the connection a binding uses. */
export const placeOf = ({ connectionId, project }: Binding): Reached => ({
  connectionId,
  place: `project/${project.id}`,
})
