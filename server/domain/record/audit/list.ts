import type { AuditEntry, AuditFilter } from '@signalbox/contract/audit.ts'
import type { Context } from '../../context.ts'
import type { Page, PageRequest } from '../../page.ts'
import { requireRole } from '../../roles.ts'
import { entryFilter } from './filter.ts'
import { selectEntries } from './store.ts'

/** Audit entries, newest first. */
export async function listAudit(
  ctx: Context,
  filter: AuditFilter,
  page: PageRequest,
): Promise<Page<AuditEntry>> {
  requireRole(ctx, 'admin', 'read the audit log')
  return selectEntries(ctx.db, ctx.workspaceId, entryFilter(filter), page)
}
