import type { AuditEntry, AuditFilter } from '@signalbox/contract/audit.ts'
import type { Context } from '../../context.ts'
import type { Page, PageRequest } from '../../page.ts'
import { requireRole } from '../../roles.ts'
import { archivedBefore } from './archived-before.ts'
import { entryFilter } from './filter.ts'
import { selectEntries } from './store.ts'

export interface AuditPage extends Page<AuditEntry> {
  /** On the last page: what is older is in files. Null: there is nothing older, or it was not asked for. */
  archivedBefore: Date | null
}

/** Audit entries, newest first. */
export async function listAudit(ctx: Context, filter: AuditFilter, page: PageRequest): Promise<AuditPage> {
  requireRole(ctx, 'admin', 'read the audit log')
  const entries = entryFilter(filter)
  const found = await selectEntries(ctx.db, ctx.workspaceId, entries, page)
  const archived = found.next === null ? await archivedBefore(ctx.db, ctx.workspaceId, entries) : null
  return { ...found, archivedBefore: archived }
}
