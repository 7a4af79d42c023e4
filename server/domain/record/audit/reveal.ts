import type { AuditEntry } from '@signalbox/contract/audit.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import type { Db } from '../../../infra/db/db.ts'
import { revealed } from './store.ts'

/** Entries as they are stored, with personal values where they refer to them. What was erased says so. */
export const revealEntries = (
  db: Db,
  workspaceId: string,
  stored: Json<AuditEntry>[],
): Promise<Json<AuditEntry>[]> => revealed(db, workspaceId, stored)
