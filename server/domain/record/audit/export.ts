import { type AuditFilter, type exportFormats, maxExportEntries } from '@signalbox/contract/audit.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { requireRole } from '../../roles.ts'
import { change } from './change.ts'
import { csvHeader, csvLine } from './csv.ts'
import { entryFilter } from './filter.ts'
import { hasOlder, recordExport, selectPiece, selectPieceText } from './store.ts'

export type ExportFormat = (typeof exportFormats)[number]

export interface AuditExport {
  id: string
  /** Slug of the workspace, for the file's name. */
  workspace: string
  count: number
  truncated: boolean
  /** The file, piece by piece. */
  content: AsyncIterable<string>
}

const entriesPerPiece = 1_000

/**
 * Exports up to 5,000 entries, newest first, and records that it did. The entries are fixed in the transaction that
 * records the export; the file is read afterwards, because the log never changes, so a slow download holds nothing.
 */
export async function exportAudit(
  ctx: Context,
  filter: AuditFilter,
  format: ExportFormat,
): Promise<AuditExport> {
  requireRole(ctx, 'admin', 'export the audit log')
  const entries = entryFilter(filter)
  const id = newId(ctx.clock.now())

  const { workspace, count, truncated } = await change(ctx, async (tx) => {
    const { workspace, count, oldest, digest } = await recordExport(
      tx,
      ctx.workspaceId,
      id,
      entries,
      maxExportEntries,
    )
    const truncated = count === maxExportEntries && (await hasOlder(tx, ctx.workspaceId, entries, oldest!))
    return {
      value: { workspace, count, truncated },
      audit: {
        event: 'audit_exported',
        entity: { type: 'audit_export', id },
        details: {
          format,
          from: filter.from ?? null,
          to: filter.to ?? null,
          filters: filter,
          count,
          digest,
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
    content: format === 'csv' ? csv(ctx, id, count) : json(ctx, id, count),
  }
}

async function* json(ctx: Context, exportId: string, count: number): AsyncGenerator<string> {
  let separator = '[\n'
  for (const piece of pieces(exportId, count)) {
    yield separator + (await selectPieceText(ctx.db, ctx.workspaceId, piece))
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
