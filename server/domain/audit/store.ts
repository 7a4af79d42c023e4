import type { AuditEntry } from '@signalbox/contract/audit.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import { type PageRequest, type Rendered, rowsFor } from '../page.ts'
import type { EntryFilter } from './filter.ts'

const matching = `
  where workspace_id = :workspaceId
    [[and team = :team]]
    [[and actor_type = :actor]]
    [[and event = :event]]
    [[and run_key = :run]]
    [[and id >= :fromId]]
    [[and id < :beforeId]]
    [[and id < :after]]
  order by id desc
  limit #rows
`
const page = statement<Rendered<AuditEntry>>(`select id, entry as json from audit_entries ${matching}`)

const ids = statement<{ id: string }>(`select id from audit_entries ${matching}`)

// The outer bounds let the planner leave out the months that none of the ids is in.
const byId = statement<{ entry: Json<AuditEntry> }>(`
  select entry
  from audit_entries
  where workspace_id = :workspaceId and id = any (:ids::uuid[]) and id >= :oldest and id <= :newest
  order by id desc`)

export async function selectEntries(
  db: Db,
  workspaceId: string,
  filter: EntryFilter,
  { after, ...request }: PageRequest,
): Promise<Rendered<AuditEntry>[]> {
  return read(db, page, { workspaceId, ...filter, after, rows: rowsFor(request) })
}

export async function selectEntryIds(
  tx: Tx,
  workspaceId: string,
  filter: EntryFilter,
  rows: number,
): Promise<string[]> {
  return (await read(tx, ids, { workspaceId, ...filter, rows })).map((row) => row.id)
}

/** Newest first; `ids` must be too. */
export async function selectEntriesById(
  db: Db,
  workspaceId: string,
  ids: string[],
): Promise<Json<AuditEntry>[]> {
  const rows = await read(db, byId, { workspaceId, ids, oldest: ids.at(-1), newest: ids[0] })
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
