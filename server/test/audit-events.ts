import assert from 'node:assert/strict'
import type { AuditEntry } from '@signalbox/contract/audit.ts'
import { detailsOf } from '../domain/record/audit/details.ts'
import type { Db } from '../infra/db/db.ts'
import { tables } from './tables.ts'

/** What a workspace's log holds, in its order. Each entry says what its event says. */
export async function auditEvents(db: Db, workspaceId: string): Promise<AuditEntry[]> {
  const rows = await tables(db)
    .selectFrom('audit_entries')
    .select('entry')
    .where('workspace_id', '=', workspaceId)
    .orderBy('id')
    .execute()
  const entries = rows.map(({ entry }) => JSON.parse(entry as unknown as string) as AuditEntry)
  for (const entry of entries) assert.ok(detailsOf(entry, entry.event), JSON.stringify(entry))
  return entries
}
