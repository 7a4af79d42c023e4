import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import type { Holder, RefusalReason } from '../../ports/connection.ts'
import type { PagerKind } from '../../ports/pager.ts'
import type * as Sql from './refusal-store.types.ts'

/** A refusal that has not been mended, or behind which things still wait. */
export type WaitedFor = Sql.SelectWaitedFor['row']

const ofHolder = '[[and r.connection_id = :connectionId]] [[and r.source_id = :sourceId]]'
const columns = 'r.id, r.scope, r.message, r.probe_at as "probeAt", r.mended_at as "mendedAt"'

/** Those of a connection or a source that keep something with these scopes waiting, the widest first. */
export const selectWaitedFor = reads.many<Sql.SelectWaitedFor, Nothing, Holder>(
  'workspaceId, { connectionId, sourceId }, scopes',
)(`
  select ${columns} from tool_refusals r
  where r.workspace_id = :workspaceId ${ofHolder} and r.scope = any(:scopes) and (
    r.mended_at is null or exists (
      select from effects e where e.workspace_id = r.workspace_id and e.parked_by = r.id and e.due_at is not null
    )
  )
  order by r.scope, r.id`)

/** Those that are not mended, held. */
export const lockOpen = writes.many<
  Sql.LockOpen,
  { id: string; scope: string; reason: RefusalReason; isWaitedFor: boolean },
  Holder
>('workspaceId, { connectionId, sourceId }')(`
  select r.id, r.scope, r.reason, exists (
    select from effects e where e.workspace_id = r.workspace_id and e.parked_by = r.id and e.due_at is not null
  ) as "isWaitedFor"
  from tool_refusals r
  where r.workspace_id = :workspaceId ${ofHolder} and r.mended_at is null
  order by r.id
  for no key update of r`)

export const isOpen = reads.exists<Sql.IsOpen, Nothing, Holder & { reason?: RefusalReason }>(
  'workspaceId, { connectionId, sourceId }, ...which',
)(`
  select from tool_refusals r
  where r.workspace_id = :workspaceId ${ofHolder} and r.mended_at is null
    [[and r.scope = :scope]] [[and r.reason = :reason]]
  limit 1`)

/** The one that is open, with what was refused now; undefined: none is. It is put off further each time it was tried. */
export const updateOpen = writes.one<Sql.UpdateOpen, Nothing, Holder & { reason: RefusalReason }>(
  'workspaceId, { connectionId, sourceId, scope, reason, message, at }',
)(`
  update tool_refusals r set reason = :reason, message = :message, last_at = :at,
    times = r.times + case when r.probe_at <= :at then 1 else 0 end,
    probe_at = case when r.probe_at <= :at
      then :at::timestamptz + least(power(2, least(r.times, 10)) * 60, 900) * interval '1 second'
      else r.probe_at end
  where r.workspace_id = :workspaceId ${ofHolder} and r.scope = :scope and r.mended_at is null
  returning ${columns}`)

/** Reopens a refusal that was mended a moment ago, so that no one is told twice about trouble that comes and goes. */
export const reopen = writes.one<Sql.Reopen, Nothing, Holder & { reason: RefusalReason }>(
  'workspaceId, { connectionId, sourceId, scope, reason, message, at }, since',
)(`
  update tool_refusals r set reason = :reason, message = :message, last_at = :at, mended_at = null,
    times = r.times + 1, probe_at = :at::timestamptz + interval '1 minute'
  where r.workspace_id = :workspaceId and r.id = (
    select r.id from tool_refusals r
    where r.workspace_id = :workspaceId ${ofHolder} and r.scope = :scope and r.mended_at >= :since
    order by r.id desc
    limit 1
  )
  returning ${columns}`)

export const insertRefusal = writes.only<Sql.InsertRefusal, Nothing, Holder & { reason: RefusalReason }>(
  'workspaceId, { id, connectionId, sourceId, scope, reason, message, at }',
)(`
  insert into tool_refusals as r
    (id, workspace_id, connection_id, source_id, scope, reason, message, first_at, last_at, probe_at)
  values (:id, :workspaceId, :connectionId?, :sourceId?, :scope, :reason, :message, :at, :at,
    :at::timestamptz + interval '1 minute')
  returning ${columns}`)

export const isRefusalOfScope = reads.exists<Sql.IsRefusalOfScope>('workspaceId, id, scope')(`
  select from tool_refusals where workspace_id = :workspaceId and id = :id and scope = :scope limit 1`)

/** False: it was mended before. */
export const markMended = writes.wroteOne<Sql.MarkMended>('workspaceId, id, at')(`
  update tool_refusals set mended_at = :at
  where workspace_id = :workspaceId and id = :id and mended_at is null`)

/** Which connection or source it is of, and what that is called. */
export const selectNamed = reads.one<Sql.SelectNamed>('workspaceId, id')(`
  select r.connection_id as "connectionId", r.source_id as "sourceId", coalesce(c.name, s.name) as "name!", r.scope
  from tool_refusals r
  left join connections c on c.id = r.connection_id
  left join sources s on s.workspace_id = r.workspace_id and s.id = r.source_id
  where r.workspace_id = :workspaceId and r.id = :id`)

/** A source that has credentials, held, with the first service it feeds. */
export const selectPagingSourceForUpdate = writes.one<
  Sql.SelectPagingSourceForUpdate,
  { id: string; name: string; kind: PagerKind; service: string | null }
>('workspaceId, id')(`
  select s.id, s.name, s.kind, (
    select f.service_id from source_services f
    where f.workspace_id = s.workspace_id and f.source_id = s.id
    order by f.service_id
    limit 1
  ) as service
  from sources s
  where s.workspace_id = :workspaceId and s.id = :id and s.deleted_at is null and s.credentials is not null
    and s.kind in ('pagerduty', 'opsgenie')
  for no key update of s`)

export const deleteRefusalsBefore = writes.count<Sql.DeleteRefusalsBefore>('workspaceId, before, most')(`
  delete from tool_refusals where id in (
    select r.id from tool_refusals r
    where r.workspace_id = :workspaceId and r.mended_at < :before
      and not exists (select from effects e where e.parked_by = r.id)
    order by r.id
    limit #most
  )`)
