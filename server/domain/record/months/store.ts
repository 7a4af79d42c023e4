import type { AuditEntry } from '@signalbox/contract/audit.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import { reads, readsSlowly, writes } from '../../../infra/db/queries.ts'
import type * as Sql from './store.types.ts'

/** Months that the database has, the oldest first. What was written before the log began is in none of them. */
export const selectMonthsOfInstance = reads.column<Sql.SelectMonthsOfInstance>()(`
  select replace(right(c.relname, 7), '_', '-') as "month!"
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'audit_entries'::regclass and c.relname ~ '_\\d{4}_\\d{2}$'
  order by 1`)

export const selectAllWorkspaces = reads.many<Sql.SelectAllWorkspaces>()(
  'select id, slug, name from workspaces order by id',
)

/** How many entries a month has, how many of them are sealed, where they are, and how far the log was sent. */
export const selectExtentOfMonth = readsSlowly.only<
  Sql.SelectExtentOfMonth,
  { entries: number; sealed: number; first: number | null; last: number | null; sent: number | null }
>('workspaceId, { firstId, pastId }')(`
  select count(*)::float8 as "entries!", count(l.entry_id)::float8 as "sealed!",
    min(l.position)::float8 as first, max(l.position)::float8 as last,
    (select position::float8 from audit_stream_positions where workspace_id = :workspaceId) as sent
  from audit_entries e
  left join audit_leaves l on l.entry_id = e.id and l.workspace_id = e.workspace_id
  where e.workspace_id = :workspaceId and e.id >= :firstId and e.id < :pastId`)

/** Entries of a month that say the log was set back. */
export const selectRestoresOfMonth = reads.column<Sql.SelectRestoresOfMonth, { entry: Json<AuditEntry> }>(
  'workspaceId, { firstId, pastId }',
)(`
  select entry from audit_entries
  where workspace_id = :workspaceId and event = 'workspace_restored' and id >= :firstId and id < :pastId
  order by id`)

export const insertMonth = writes.run<Sql.InsertMonth>(
  'workspaceId, { month, entries, file, note, restored, at }',
)(`
  insert into audit_months (workspace_id, month, entries, file, note, restored, archived_at)
  values (:workspaceId, :month, :entries, :file, :note, :restored::text[], :at)`)

export const dropMonthOfAllWorkspaces = writes.run<Sql.DropMonthOfAllWorkspaces>('month, entries')(
  'select drop_audit_month(:month, :entries)',
)
