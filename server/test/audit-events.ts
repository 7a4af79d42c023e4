import type { AuditEntry } from '@signalbox/contract/audit.ts'
import type { Db } from '../infra/db/db.ts'

/** What a workspace's log holds, in its order. */
export async function auditEvents(db: Db, workspaceId: string): Promise<AuditEntry[]> {
  const rows = await db
    .selectFrom('audit_entries')
    .select('entry')
    .where('workspace_id', '=', workspaceId)
    .orderBy('id')
    .execute()
  return rows.map(({ entry }) => JSON.parse(entry as unknown as string) as AuditEntry)
}
