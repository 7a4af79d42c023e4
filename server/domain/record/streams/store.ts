import type { AuditEntry } from '@signalbox/contract/audit.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import { reads, writes } from '../../../infra/db/queries.ts'
import type * as Sql from './store.types.ts'

/** Of several nodes one sends, for as long as it says so; another goes on when it has been silent. */
export const leaseStreamOfInstance = writes.wroteOne<Sql.LeaseStreamOfInstance>('node, seconds')(`
  insert into audit_stream as s (node, node_until) values (:node, now() + make_interval(secs => :seconds))
  on conflict (only_row) do update set node = excluded.node, node_until = excluded.node_until
  where s.node = excluded.node or s.node_until <= now()`)

/** Another node need not wait for one that has stopped. */
export const releaseStreamOfInstance = writes.run<Sql.ReleaseStreamOfInstance>('node')(
  'update audit_stream set node_until = now() where node = :node and node_until > now()',
)

/** What is sealed and not sent yet, and where it begins. A workspace that was deleted has its last entries sent too. */
const waiting = `
  select w.id, w.slug, coalesce(p.position, 0) as position, newest.size
  from workspaces w
  left join audit_stream_positions p on p.workspace_id = w.id
  cross join lateral (
    select size from audit_checkpoints c where c.workspace_id = w.id order by size desc limit 1
  ) as newest
  where newest.size > coalesce(p.position, 0)
`

export const selectWaitingOfAllWorkspaces = reads.many<
  Sql.SelectWaitingOfAllWorkspaces,
  { workspaceId: string; workspace: string; position: number; size: number }
>('most')(`
  select id as "workspaceId", slug as workspace, position::float8 as "position!", size::float8 as "size!"
  from (${waiting}) as waiting
  order by id limit #most`)

export const selectNextEntries = reads.many<
  Sql.SelectNextEntries,
  { position: number; json: Json<AuditEntry> }
>('workspaceId, from, most')(`
  select l.position::float8 as "position!", e.entry as json
  from audit_leaves l
  join audit_entries e on e.workspace_id = l.workspace_id and e.id = l.entry_id
  where l.workspace_id = :workspaceId and l.position >= :from
  order by l.position limit #most`)

export const upsertPosition = writes.run<Sql.UpsertPosition>('workspaceId, position')(`
  insert into audit_stream_positions (workspace_id, position) values (:workspaceId, :position)
  on conflict (workspace_id) do update set position = excluded.position`)

export const updateSentOfInstance = writes.run<Sql.UpdateSentOfInstance>('at')(
  'update audit_stream set sent_at = :at, failing_since = null, error = null',
)

export const updateFailureOfInstance = writes.run<Sql.UpdateFailureOfInstance>('at, error')(
  'update audit_stream set failing_since = coalesce(failing_since, :at), error = :error',
)

/** How far behind it is. Each workspace reports its first entry alone, so that a long backlog costs nothing. */
export const selectLagOfAllWorkspaces = reads.only<
  Sql.SelectLagOfAllWorkspaces,
  { waiting: number; oldestId: string | null; error: string | null }
>()(`
  select coalesce(sum(waiting.size - waiting.position), 0)::float8 as "waiting!",
    min(l.entry_id::text) as "oldestId", (select error from audit_stream) as error
  from (${waiting}) as waiting
  left join audit_leaves l on l.workspace_id = waiting.id and l.position = waiting.position`)
