import { type AuditFilter, type exportFormats, maxExportEntries } from '@signalbox/contract/audit.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { requireRole } from '../../roles.ts'
import { archivedBefore } from './archived-before.ts'
import { change } from './change.ts'
import { csvHeader, csvLine } from './csv.ts'
import { exportDigest } from './export-digest.ts'
import { entryFilter } from './filter.ts'
import { insertExport, selectIds, selectPiece } from './store.ts'

export type ExportFormat = (typeof exportFormats)[number]

export interface AuditExport {
  id: string
  /** Slug of the workspace, for the file's name. */
  workspace: string
  count: number
  truncated: boolean
  /** Entries from before then may have matched too, and are in files; null: none are. */
  archivedBefore: Date | null
  /** The file, piece by piece. */
  content: AsyncIterable<string>
}

const entriesPerPiece = 1_000

/**
 * Exports up to 5,000 entries, newest first, and records that it did. Which ones is read first and recorded then, and the
 * file is read afterwards: the log never changes, so neither a slow filter nor a slow download holds a transaction.
 */
export async function exportAudit(
  ctx: Context,
  filter: AuditFilter,
  format: ExportFormat,
): Promise<AuditExport> {
  requireRole(ctx, 'admin', 'export the audit log')
  const entries = entryFilter(filter)
  const id = newId(ctx.clock.now())

  // One more than fits tells that more match.
  const matching = await selectIds(ctx.db, ctx.workspaceId, entries, maxExportEntries + 1)
  const exported = matching.slice(0, maxExportEntries)
  const [count, truncated] = [exported.length, matching.length > exported.length]

  const workspace = await change(ctx, async (tx) => {
    return {
      value: await insertExport(tx, ctx.workspaceId, id, exported),
      audit: {
        event: 'audit_exported',
        entity: { type: 'audit_export', id },
        details: {
          format,
          from: filter.from ?? null,
          to: filter.to ?? null,
          filters: filter,
          count,
          digest: exportDigest(exported),
          truncated,
        },
      },
    }
  })
  return {
    id,
    workspace,
    count,
    truncated,
    archivedBefore: await archivedBefore(ctx.db, ctx.workspaceId, entries),
    content: format === 'csv' ? csv(ctx, id, count) : json(ctx, id, count),
  }
}

async function* json(ctx: Context, exportId: string, count: number): AsyncGenerator<string> {
  let separator = '[\n'
  for (const piece of pieces(exportId, count)) {
    yield separator + (await selectPiece(ctx.db, ctx.workspaceId, piece)).join(',\n')
    separator = ',\n'
  }
  yield count === 0 ? '[]\n' : '\n]\n'
}

async function* csv(ctx: Context, exportId: string, count: number): AsyncGenerator<string> {
  yield csvHeader
  for (const piece of pieces(exportId, count)) {
    const entries = await selectPiece(ctx.db, ctx.workspaceId, piece)
    yield entries.map((entry) => csvLine(fromJson(entry))).join('')
  }
}

function* pieces(exportId: string, count: number) {
  for (let first = 1; first <= count; first += entriesPerPiece) {
    yield { exportId, first, last: Math.min(first + entriesPerPiece - 1, count) }
  }
}
