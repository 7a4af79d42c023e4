import type { AuditEntry } from '@signalbox/contract/audit.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import { sql } from 'kysely'
import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { type PageRequest, type Rendered, rowsFor } from '../page.ts'
import type { EntryFilter } from './filter.ts'

/** One text per combination of filters, so that each has a plan of its own. */
const matching = (workspaceId: string, filter: EntryFilter) => sql`
  workspace_id = ${workspaceId}
  ${filter.team ? sql`and team = ${filter.team}` : sql``}
  ${filter.actor ? sql`and actor_type = ${filter.actor}` : sql``}
  ${filter.event ? sql`and event = ${filter.event}` : sql``}
  ${filter.run ? sql`and run_key = ${filter.run}` : sql``}
  ${filter.fromId ? sql`and id >= ${filter.fromId}` : sql``}
  ${filter.beforeId ? sql`and id < ${filter.beforeId}` : sql``}
`

export async function selectEntries(
  db: Db,
  workspaceId: string,
  filter: EntryFilter,
  page: PageRequest,
): Promise<Rendered<AuditEntry>[]> {
  return read(
    db,
    sql<Rendered<AuditEntry>>`
      select id, entry as json
      from audit_entries
      where ${matching(workspaceId, filter)} ${page.after ? sql`and id < ${page.after}` : sql``}
      order by id desc
      limit ${rowsFor(page)}
    `,
  )
}

export async function selectEntryIds(
  tx: Tx,
  workspaceId: string,
  filter: EntryFilter,
  limit: number,
): Promise<string[]> {
  const rows = await read(
    tx,
    sql<{ id: string }>`
      select id
      from audit_entries
      where ${matching(workspaceId, filter)}
      order by id desc
      limit ${limit}
    `,
  )
  return rows.map((row) => row.id)
}

export async function selectEntriesById(
  db: Db,
  workspaceId: string,
  ids: string[],
): Promise<Json<AuditEntry>[]> {
  const rows = await read(
    db,
    sql<{ entry: Json<AuditEntry> }>`
      select entry
      from audit_entries
      where workspace_id = ${workspaceId} and id = any (${ids}::uuid[])
        and id >= ${ids.at(-1)} and id <= ${ids[0]}
      order by id desc
    `,
  )
  return rows.map((row) => row.entry)
}

export async function insertExport(
  tx: Tx,
  workspaceId: string,
  id: string,
  entries: string[],
): Promise<void> {
  await tx.insertInto('audit_exports').values({ id, workspace_id: workspaceId, entries }).execute()
}
