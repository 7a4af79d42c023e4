import type { AuditEvent } from '@signalbox/contract/audit.ts'
import type { Db } from '../../infra/db/db.ts'
import { selectNewest, selectNews } from './store.ts'

export interface News {
  id: string
  event: AuditEvent
  userId: string | null
  /** Of the request that made the change; null for what the service did of its own accord. */
  requestId: string | null
}

/** What has happened in a workspace after an entry, oldest first: nothing of its content, for whoever is to look again. */
export async function newsSince(
  db: Db,
  workspaceId: string,
  after: string,
  most: number,
): Promise<readonly News[]> {
  return selectNews(db, workspaceId, after, most)
}

/** The newest entry; null where nothing has happened yet. */
export async function newestEntry(db: Db, workspaceId: string): Promise<string | null> {
  return selectNewest(db, workspaceId)
}
