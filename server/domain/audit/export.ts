import {
  type AuditEntry,
  type AuditFilter,
  type exportFormats,
  maxExportEntries,
} from '@signalbox/contract/audit.ts'
import { fromJson, type Json } from '@signalbox/contract/shapes.ts'
import { newId } from '../../infra/ids.ts'
import type { Context } from '../context.ts'
import { requireRole } from '../workspaces/roles.ts'
import { change } from './change.ts'
import { csvHeader, csvLine } from './csv.ts'
import { exportDigest } from './export-digest.ts'
import { entryFilter } from './filter.ts'
import { insertExport, selectEntriesById, selectEntryIds } from './store.ts'

export type ExportFormat = (typeof exportFormats)[number]

export interface AuditExport {
  id: string
  count: number
  truncated: boolean
  /** The file, piece by piece. */
  content: AsyncIterable<string>
}

const entriesPerPiece = 500

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

  const { ids, truncated } = await change(ctx, async (tx) => {
    const found = await selectEntryIds(tx, ctx.workspaceId, entries, maxExportEntries + 1)
    const ids = found.slice(0, maxExportEntries)
    const truncated = found.length > maxExportEntries
    await insertExport(tx, ctx.workspaceId, id, ids)
    return {
      value: { ids, truncated },
      audit: {
        event: 'audit_exported',
        entity: { type: 'audit_export', id },
        details: {
          format,
          from: filter.from ?? null,
          to: filter.to ?? null,
          filters: filter,
          count: ids.length,
          digest: exportDigest(ids),
          truncated,
        },
      },
    }
  })
  return { id, count: ids.length, truncated, content: format === 'csv' ? csv(ctx, ids) : json(ctx, ids) }
}

async function* json(ctx: Context, ids: string[]): AsyncGenerator<string> {
  let separator = '[\n'
  for await (const entries of pieces(ctx, ids)) {
    yield separator + entries.join(',\n')
    separator = ',\n'
  }
  yield ids.length === 0 ? '[]\n' : '\n]\n'
}

async function* csv(ctx: Context, ids: string[]): AsyncGenerator<string> {
  yield csvHeader
  for await (const entries of pieces(ctx, ids)) {
    yield entries.map((entry) => csvLine(fromJson(entry))).join('')
  }
}

async function* pieces(ctx: Context, ids: string[]): AsyncGenerator<Json<AuditEntry>[]> {
  for (let start = 0; start < ids.length; start += entriesPerPiece) {
    yield await selectEntriesById(ctx.db, ctx.workspaceId, ids.slice(start, start + entriesPerPiece))
  }
}
