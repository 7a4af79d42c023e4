import { asService, type Context } from '../../context.ts'
import { ToolBusy, ToolRefused } from '../../ports/connection.ts'
import type { Tracker, TrackerProject } from '../../ports/tracker.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { clearRefusalsOfScope } from '../../tools/connections/clear-refusal.ts'
import { recordRefusal } from '../../tools/connections/record-refusal.ts'
import { lookAtBlocked, withBlockers } from './blockers.ts'
import { importIssue, importIssues } from './import-issue.ts'
import { findingIssues, type MirrorServices, placeOf, reach } from './reach.ts'
import {
  type Binding,
  countMirrored,
  type HeldMirror,
  hasDeliveriesSince,
  type MirrorProgress,
  selectBindings,
  selectDueOfAllWorkspaces,
  selectKnown,
  selectOpenIssues,
  takeMirror,
  updateMirror,
} from './store.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/** Without webhooks this is how old the board may be; with them it heals what was lost. */
const pollingMs = 2 * minuteMs
const healingMs = 15 * minuteMs
/** Longer than a turn may take, calls included; who dies in between leaves it to others then. */
const holdMs = 3 * minuteMs
/** A long import shares the time with others. */
const turnMs = 20_000
const longestPauseMs = 60 * minuteMs
const most = 20

type Base = Pick<Context, 'db' | 'clock' | 'queue'>

/** Looks at every tracker whose turn it is. One that cannot be reached does not keep the others waiting. */
export async function sweepTrackers(
  base: Base,
  services: Pick<MirrorServices, 'trackers' | 'secrets'>,
  onError: (error: Error) => void = () => {},
): Promise<number> {
  const due = await selectDueOfAllWorkspaces(base.db, base.clock.now(), most)
  const swept = due.map(({ workspaceId, teamId }) =>
    sweepTeam(asService(base, workspaceId), services, teamId).catch((error) => {
      onError(error as Error)
      return false
    }),
  )
  return (await Promise.all(swept)).filter(Boolean).length
}

/**
 * Reads what has changed in a team's project since the last time, to make up for missed webhooks. The first time it
 * reads everything that is open. False: another node is doing it.
 */
export async function sweepTeam(
  ctx: Context,
  services: Pick<MirrorServices, 'trackers' | 'secrets'>,
  teamId: string,
): Promise<boolean> {
  const [binding] = await selectBindings(ctx.db, ctx.workspaceId, { teamId })
  if (!binding) return false
  const begun = ctx.clock.now()
  const held = await housekeeping(ctx.db, 'take a mirror', (tx) =>
    takeMirror(tx, ctx.workspaceId, binding, begun, later(begun, holdMs)),
  )
  if (!held) return false
  const { place, ...holder } = placeOf(binding)
  try {
    const more = await reach(ctx, services, binding, (tracker, at) => look(ctx, tracker, at, binding, held))
    const now = ctx.clock.now()
    const hears = await hasDeliveriesSince(ctx.db, ctx.workspaceId, binding.connectionId, later(now, -dayMs))
    await progress(ctx, teamId, {
      dueAt: more ? now : later(now, hears ? healingMs : pollingMs),
      heldUntil: null,
      sweptAt: now,
      failures: 0,
      lastError: null,
    })
    await clearRefusalsOfScope(ctx, holder, { scope: `${place}/read` })
    return true
  } catch (error) {
    const failures = held.failures + 1
    const now = ctx.clock.now()
    const asked = error instanceof ToolBusy ? (error.retryAfterMs ?? 0) : 0
    const pauseMs = Math.max(asked, Math.min(15_000 * 2 ** (failures - 1), longestPauseMs))
    const isTools = error instanceof ToolBusy || error instanceof ToolRefused
    await progress(ctx, teamId, {
      dueAt: later(now, pauseMs),
      heldUntil: null,
      failures,
      lastError: isTools ? error.message : 'Something went wrong on the server. It will be retried.',
    })
    // The project is gone, or hidden from us: tell admins, so they need not notice it by a board that no longer
    // changes.
    if (error instanceof ToolRefused)
      await recordRefusal(ctx, { ...holder, scope: error.extent === 'account' ? '' : `${place}/read` }, error)
    // What the tool says is shown to people; what is ours is for the log.
    if (isTools) return true
    throw error
  }
}

/** Reads pages until nothing is left, or the turn is over. True: there is more. */
async function look(
  ctx: Context,
  tracker: Tracker,
  at: TrackerProject,
  found: Binding,
  held: HeldMirror,
): Promise<boolean> {
  const began = performance.now()
  const { id: teamId } = found.team
  const comparesAt = held.comparedAt ? held.comparedAt.getTime() + dayMs : null
  const compares = comparesAt !== null && comparesAt <= ctx.clock.now().getTime()
  let { statuses } = found
  if (statuses === null || compares) {
    statuses = await tracker.statuses(at)
    await progress(ctx, teamId, { statuses })
  }
  const binding = { ...found, statuses }
  let { cursor, imported } = held
  for (let isFirst = held.importedAt === null; ; ) {
    const page = await tracker.changed(at, cursor)
    const { filed } = await importIssues(ctx, binding, await withBlockers(tracker, at, binding, page.issues))
    const isSame = page.issues.length === 0 && JSON.stringify(page.cursor) === JSON.stringify(cursor)
    cursor = page.cursor
    imported += isFirst ? filed : 0
    const now = ctx.clock.now()
    const ends = isFirst && !page.more
    // A node that was killed after filing a page has not counted it.
    if (ends) imported = await countMirrored(ctx.db, ctx.workspaceId, binding)
    if (!isSame || ends)
      await progress(ctx, teamId, {
        cursor,
        heldUntil: later(now, holdMs),
        ...(isFirst ? { imported } : {}),
        ...(isFirst && page.total !== null ? { total: page.total } : {}),
        ...(ends ? { importedAt: now, comparedAt: now } : {}),
      })
    if (ends) isFirst = false
    if (!page.more) break
    if (performance.now() - began > turnMs) return true
  }
  await lookAtBlocked(ctx, tracker, at, binding)
  if (compares) await compare(ctx, tracker, at, binding)
  return false
}

/** Finds what went without a word: an issue that is open here and not listed there is looked at. */
async function compare(ctx: Context, tracker: Tracker, at: TrackerProject, binding: Binding): Promise<void> {
  const listed = new Set<string>()
  for (let cursor: unknown = null; ; ) {
    const page = await tracker.openIds(at, cursor)
    for (const id of page.ids) listed.add(id)
    cursor = page.cursor
    if (cursor === null) break
  }
  const missing = (await selectOpenIssues(ctx.db, ctx.workspaceId, binding)).filter((id) => !listed.has(id))
  const known = new Map(
    (await selectKnown(ctx.db, ctx.workspaceId, binding, missing)).map((one) => [one.issueId, one.storyId]),
  )
  const find = findingIssues(tracker, at)
  for (const id of missing) {
    const storyId = known.get(id)
    if (storyId) await importIssue(ctx, binding, storyId, await find(id))
  }
  await progress(ctx, binding.team.id, { comparedAt: ctx.clock.now() })
}

const progress = (ctx: Context, teamId: string, made: MirrorProgress) =>
  housekeeping(ctx.db, 'note how far a mirror has come', (tx) =>
    updateMirror(tx, ctx.workspaceId, teamId, made),
  )

const later = (from: Date, ms: number) => new Date(from.getTime() + ms)
