import { reads, writes } from '../../../infra/db/queries.ts'
import type * as Sql from './store.types.ts'

/** How it goes with each place that checkpoints were ever sent to. */
export const selectAnchorsOfInstance = reads.many<Sql.SelectAnchorsOfInstance>()(`
  select target, tried_at as "triedAt", sent_at as "sentAt", failing_since as "failingSince", error
  from audit_anchors order by target`)

/** The newest checkpoint of each log, where the target does not have it yet. */
export const selectNewOfAllWorkspaces = reads.many<
  Sql.SelectNewOfAllWorkspaces,
  { workspaceId: string; workspace: string; size: number; timestamp: Buffer | null }
>('target, most')(`
  select w.id as "workspaceId", w.slug as workspace, newest.size::float8 as "size!", newest.note,
    newest.sealed_at as "sealedAt", t.response as "timestamp"
  from workspaces w
  cross join lateral (
    select size, note, sealed_at from audit_checkpoints c where c.workspace_id = w.id order by size desc limit 1
  ) as newest
  left join audit_anchored a on a.workspace_id = w.id and a.target = :target
  left join audit_timestamps t on t.workspace_id = w.id and t.size = newest.size
  where newest.size > coalesce(a.size, 0)
  order by w.id limit #most`)

export const upsertAnchored = writes.run<Sql.UpsertAnchored>('workspaceId, target, size')(`
  insert into audit_anchored (workspace_id, target, size) values (:workspaceId, :target, :size)
  on conflict (workspace_id, target) do update set size = excluded.size`)

export const insertTimestamp = writes.run<Sql.InsertTimestamp>('workspaceId, { size, note }, response, at')(`
  insert into audit_timestamps (workspace_id, size, note, response, stamped_at)
  values (:workspaceId, :size, :note, :response, :at) on conflict do nothing`)

export const upsertSentOfInstance = writes.run<Sql.UpsertSentOfInstance>('target, at')(`
  insert into audit_anchors (target, tried_at, sent_at) values (:target, :at, :at)
  on conflict (target) do update set tried_at = :at, sent_at = :at, failing_since = null, error = null`)

export const upsertFailureOfInstance = writes.run<Sql.UpsertFailureOfInstance>('target, at, error')(`
  insert into audit_anchors as a (target, tried_at, failing_since, error) values (:target, :at, :at, :error)
  on conflict (target) do update
  set tried_at = :at, failing_since = coalesce(a.failing_since, :at), error = :error`)
