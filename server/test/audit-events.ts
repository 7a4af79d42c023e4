import assert from 'node:assert/strict'
import type { AuditEntry } from '@signalbox/contract/audit.ts'
import { fromJson, type Json } from '@signalbox/contract/shapes.ts'
import { detailsOf } from '../domain/record/audit/details.ts'
import { revealEntries } from '../domain/record/audit/reveal.ts'
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
  const stored = rows.map(({ entry }) => entry as Json<AuditEntry>)
  const entries = (await revealEntries(db, workspaceId, stored)).map(fromJson)
  for (const entry of entries) assert.ok(detailsOf(entry, entry.event), JSON.stringify(entry))
  return entries
}
