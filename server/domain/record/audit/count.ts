import { type AuditFilter, maxExportEntries } from '@signalbox/contract/audit.ts'
import type { Context } from '../../context.ts'
import { requireRole } from '../../roles.ts'
import { entryFilter } from './filter.ts'
import { countEntries } from './store.ts'

/**
 * How many entries match, up to the limit of an export. It tells people whether the file will hold them all, without
 * counting a log of millions.
 */
export async function countAudit(
  ctx: Context,
  filter: AuditFilter,
  newerThan?: string,
): Promise<{ count: number; more: boolean }> {
  requireRole(ctx, 'admin', 'read the audit log')
  const matching = { ...entryFilter(filter), newerThan }
  const count = await countEntries(ctx.db, ctx.workspaceId, matching, maxExportEntries + 1)
  return { count: Math.min(count, maxExportEntries), more: count > maxExportEntries }
}
