import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import type { RefusalReason } from '../../ports/connection.ts'
import type * as Sql from './refusal-store.types.ts'

/** A refusal that has not been mended, or behind which things still wait. */
export type WaitedFor = Sql.SelectWaitedFor['row']

const columns = 'r.id, r.scope, r.message, r.probe_at as "probeAt", r.mended_at as "mendedAt"'

/** Those of a connection that keep something with these scopes waiting, the widest first. */
export const selectWaitedFor = reads.many<Sql.SelectWaitedFor>('workspaceId, connectionId, scopes')(`
  select ${columns} from tool_refusals r
  where r.workspace_id = :workspaceId and r.connection_id = :connectionId and r.scope = any(:scopes) and (
    r.mended_at is null or exists (
      select from effects e where e.workspace_id = r.workspace_id and e.parked_by = r.id and e.due_at is not null
    )
  )
  order by r.scope, r.id`)

/** Those of a connection that are not mended, held. */
export const lockOpen = writes.many<
  Sql.LockOpen,
  { id: string; scope: string; reason: RefusalReason; isWaitedFor: boolean }
>('workspaceId, connectionId')(`
  select r.id, r.scope, r.reason, exists (
    select from effects e where e.workspace_id = r.workspace_id and e.parked_by = r.id and e.due_at is not null
  ) as "isWaitedFor"
  from tool_refusals r
  where r.workspace_id = :workspaceId and r.connection_id = :connectionId and r.mended_at is null
  order by r.id
  for no key update of r`)

export const isOpen = reads.exists<Sql.IsOpen, Nothing, { reason?: RefusalReason }>(
  'workspaceId, connectionId, ...which',
)(`
  select from tool_refusals
  where workspace_id = :workspaceId and connection_id = :connectionId and mended_at is null
    [[and scope = :scope]] [[and reason = :reason]]
  limit 1`)

/** The one that is open, with what was refused now; undefined: none is. It is put off further each time it was tried. */
export const updateOpen = writes.one<Sql.UpdateOpen, Nothing, { reason: RefusalReason }>(
  'workspaceId, { connectionId, scope, reason, message, at }',
)(`
  update tool_refusals r set reason = :reason, message = :message, last_at = :at,
    times = r.times + case when r.probe_at <= :at then 1 else 0 end,
    probe_at = case when r.probe_at <= :at
      then :at::timestamptz + least(power(2, least(r.times, 10)) * 60, 900) * interval '1 second'
      else r.probe_at end
  where r.workspace_id = :workspaceId and r.connection_id = :connectionId and r.scope = :scope
    and r.mended_at is null
  returning ${columns}`)

/** Reopens a refusal that was mended a moment ago, so that no one is told twice about trouble that comes and goes. */
export const reopen = writes.one<Sql.Reopen, Nothing, { reason: RefusalReason }>(
  'workspaceId, { connectionId, scope, reason, message, at }, since',
)(`
  update tool_refusals r set reason = :reason, message = :message, last_at = :at, mended_at = null,
    times = r.times + 1, probe_at = :at::timestamptz + interval '1 minute'
  where r.workspace_id = :workspaceId and r.id = (
    select id from tool_refusals
    where workspace_id = :workspaceId and connection_id = :connectionId and scope = :scope and mended_at >= :since
    order by id desc
    limit 1
  )
  returning ${columns}`)

export const insertRefusal = writes.only<Sql.InsertRefusal, Nothing, { reason: RefusalReason }>(
  'workspaceId, { id, connectionId, scope, reason, message, at }',
)(`
  insert into tool_refusals as r (id, workspace_id, connection_id, scope, reason, message, first_at, last_at, probe_at)
  values (:id, :workspaceId, :connectionId, :scope, :reason, :message, :at, :at,
    :at::timestamptz + interval '1 minute')
  returning ${columns}`)

/** False: it was mended before. */
export const markMended = writes.wroteOne<Sql.MarkMended>('workspaceId, id, at')(`
  update tool_refusals set mended_at = :at
  where workspace_id = :workspaceId and id = :id and mended_at is null`)

/** Which connection it is of, and what that is called. */
export const selectNamed = reads.one<Sql.SelectNamed>('workspaceId, id')(`
  select r.connection_id as "connectionId", c.name, r.scope
  from tool_refusals r
  join connections c on c.id = r.connection_id
  where r.workspace_id = :workspaceId and r.id = :id`)

export const deleteRefusalsBefore = writes.count<Sql.DeleteRefusalsBefore>('workspaceId, before, most')(`
  delete from tool_refusals where id in (
    select r.id from tool_refusals r
    where r.workspace_id = :workspaceId and r.mended_at < :before
      and not exists (select from effects e where e.parked_by = r.id)
    order by r.id
    limit #most
  )`)
