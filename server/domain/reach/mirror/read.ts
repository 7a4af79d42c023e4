import type { MirrorPage, StoryMirror } from '@signalbox/contract/app/mirror.ts'
import type { Context } from '../../context.ts'
import { columnOf } from './columns.ts'
import { hasDeliveriesSince, selectMirrorRow, selectStoryMirror } from './store.ts'

const dayMs = 24 * 3_600_000

/** How a team's mirror fares; null: its stories are kept here. */
export async function readMirror(ctx: Context, slug: string): Promise<MirrorPage | null> {
  const row = await selectMirrorRow(ctx.db, ctx.workspaceId, slug)
  if (!row) return null
  const { statuses, mapping, connectionId, tool, ...rest } = row
  if (tool === 'slack') return null
  const since = new Date(ctx.clock.now().getTime() - dayMs)
  return {
    ...rest,
    tool,
    webhooks: await hasDeliveriesSince(ctx.db, ctx.workspaceId, connectionId, since),
    isConfirmed: Object.keys(mapping).length > 0,
    statuses: (statuses ?? []).map((status) => ({
      id: status.id,
      name: status.name,
      column: columnOf(status, mapping),
    })),
  }
}

/** The state of a story's mirrored issue; null: it mirrors none. */
export async function readStoryMirror(ctx: Context, key: string): Promise<StoryMirror | null> {
  const row = await selectStoryMirror(ctx.db, ctx.workspaceId, key)
  if (!row || row.tool === 'slack') return null
  const { isBound, trouble, conflicts, tool, inStepSince, ...rest } = row
  return {
    ...rest,
    tool,
    inStepSince: row.isWriting ? null : inStepSince,
    // A tool that is no longer called has no trouble to report.
    trouble: isBound ? trouble : null,
    isBound,
    conflicts: conflicts.map(({ field, ours, theirs }) => ({
      field,
      ours: asText(ours),
      theirs: asText(theirs),
    })),
  }
}

const asText = (value: unknown): string =>
  Array.isArray(value) ? value.map((one) => `- ${one}`).join('\n') : value === null ? '' : `${value}`
