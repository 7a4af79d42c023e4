import { affected, type Tx } from '../../../infra/db/db.ts'
import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import { statement } from '../../../infra/db/statement.ts'
import type { Context } from '../../context.ts'
import type { DueEffect, EffectKind, NewEffect, ordererOf } from './effect.ts'
import type * as Sql from './store.types.ts'

const insertEffectSql = statement<Sql.InsertEffect>(`
  insert into effects (id, workspace_id, run_id, kind, key, data, ordered_by, ordered_through, due_at, created_at)
  select :id, :workspaceId, :runId?::uuid, :kind, :key, :data::jsonb,
    :personId?::uuid, :channel?, :at, :at
  where not exists (select from effects where workspace_id = :workspaceId and key = :key)
  on conflict do nothing`)

/**
 * False if the key already exists. An existing row is checked without waiting for its lock, because the node performing
 * it may be waiting for a lock of ours. The unique key still catches two inserts at the same time.
 */
export async function insertEffect(
  tx: Tx,
  workspaceId: string,
  effect: NewEffect & { id: string; at: Date; orderer: ReturnType<typeof ordererOf> },
): Promise<boolean> {
  const { id, runId, kind, key, data, at, orderer } = effect
  return (
    (await affected(tx, insertEffectSql, {
      workspaceId,
      id,
      runId,
      kind,
      key,
      data: JSON.stringify(data),
      personId: orderer?.personId,
      channel: orderer?.channel,
      at,
    })) === 1
  )
}

/** With in whose name it is done: null where the service does it on its own. */
type TakenEffect = DueEffect & { ordered: Pick<Context, 'actor' | 'channel'> | null }

/** Takes an effect that is due, until `until`. If the node dies, the effect is due again then. */
export const takeDue = writes.one<Sql.TakeDue, TakenEffect>('workspaceId, id, now, until')(`
  update effects e set attempts = attempts + 1, due_at = :until
  where workspace_id = :workspaceId and id = :id and due_at <= :now
  returning id, workspace_id as "workspaceId", run_id as "runId", kind, key, data, attempts,
    parked_by as "parkedBy", (
    select json_build_object('channel', e.ordered_through, 'actor', json_build_object('type', 'human',
      'userId', p.id, 'name', p.name, 'role', coalesce(m.role, 'member')))
    from people p
    left join memberships m on m.workspace_id = e.workspace_id and m.person_id = p.id
    where p.id = e.ordered_by
  ) as ordered`)

/** False when it is no longer wanted, or someone else has taken it since. `held`: until when we had it. */
export const renewLease = writes.wroteOne<Sql.RenewLease>('workspaceId, id, held, until')(`
  update effects set due_at = :until
  where workspace_id = :workspaceId and id = :id and due_at = :held`)

/** False as above. */
export const markDone = writes.wroteOne<Sql.MarkDone>('workspaceId, id, held, at')(`
  update effects set due_at = null, done_at = :at, last_error = null, parked_by = null
  where workspace_id = :workspaceId and id = :id and due_at = :held`)

/**
 * Too early is no failure: what was tried so far does not count against it, unless it only waits in line. False as
 * above.
 */
export const postpone = writes.wroteOne<Sql.Postpone>('workspaceId, id, held, until, isInLine')(`
  update effects set due_at = :until,
    attempts = case when :isInLine then attempts - 1 else 0 end,
    last_error = case when :isInLine then last_error end
  where workspace_id = :workspaceId and id = :id and due_at = :held`)

export const noteFailure = writes.run<Sql.NoteFailure>('workspaceId, id, held, until, error')(`
  update effects set due_at = :until, last_error = :error
  where workspace_id = :workspaceId and id = :id and due_at = :held`)

/** Adds to an effect's data, for another node that may have to continue it. */
export const addData = writes.run<Sql.AddData, Nothing, { data: object }>('workspaceId, id, data')(`
  update effects set data = data || :{data}::jsonb
  where workspace_id = :workspaceId and id = :id`)

export const withdrawOfRun = writes.run<Sql.WithdrawOfRun>('workspaceId, runId')(`
  update effects set due_at = null
  where workspace_id = :workspaceId and run_id = :runId and due_at is not null`)

export const reviveNewest = writes.value<Sql.ReviveNewest, Nothing, { kind: EffectKind }>(
  'workspaceId, runId, kind, at',
)(`
  update effects set due_at = :at, done_at = null, attempts = 0, last_error = null, parked_by = null
  where id = (
    select id from effects
    where workspace_id = :workspaceId and run_id = :runId and kind = :kind
    order by id desc
    limit 1
  )
  returning id`)

export const selectDueOfAllWorkspaces = reads.many<Sql.SelectDueOfAllWorkspaces>('now, rows')(`
  select id, workspace_id as "workspaceId" from effects
  where due_at <= :now
  order by due_at
  limit #rows`)

export const isPendingForRun = reads.exists<Sql.IsPendingForRun>('workspaceId, runId')(`
  select from effects where workspace_id = :workspaceId and run_id = :runId and due_at is not null limit 1`)

export const isUntaken = reads.exists<Sql.IsUntaken>('workspaceId, prefix')(`
  select from effects
  where workspace_id = :workspaceId and key like :prefix || '%' and due_at is not null and attempts = 0
  limit 1`)

/** Only those that were put off: one that a node is working on is left to it. */
export const hastenMerges = writes.column<Sql.HastenMerges>('workspaceId, teamId, at')(`
  update effects e set due_at = :at
  from runs r
  where r.id = e.run_id and r.workspace_id = :workspaceId and r.team_id = :teamId
    and e.kind = 'merge' and e.due_at > :at and e.attempts = 0 and e.parked_by is null
  returning e.id`)

/** It waits for a refusal to be mended, behind those that came before it. False as above. */
export const updateParked = writes.wroteOne<Sql.UpdateParked>('workspaceId, id, held, { parkedBy, reason }')(`
  update effects set due_at = 'infinity', parked_by = :parkedBy, last_error = :reason
  where workspace_id = :workspaceId and id = :id and due_at = :held`)

/**
 * Makes the first of the effects parked by a refusal due. Undefined: none is parked, or it is due already. One that is
 * being tried right now is left alone.
 */
export const wakeFirstParked = writes.value<Sql.WakeFirstParked>('workspaceId, refusal, at')(`
  with first as (
    select id from effects
    where workspace_id = :workspaceId and parked_by = :refusal and due_at is not null
    order by id
    limit 1
  ), free as (
    select e.id from effects e
    join first on first.id = e.id
    where e.due_at > :at::timestamptz + interval '1 minute'
    for update of e skip locked
  )
  update effects e set due_at = :at from free where e.workspace_id = :workspaceId and e.id = free.id
  returning e.id`)

/** Whether something waits for a refusal that was wanted before this. */
export const isParkedBefore = reads.exists<Sql.IsParkedBefore>('workspaceId, refusal, id')(`
  select from effects
  where workspace_id = :workspaceId and parked_by = :refusal and due_at is not null and id < :id
  limit 1`)

/** It waits for no refusal any more, whatever else becomes of it. */
export const unpark = writes.run<Sql.Unpark>('workspaceId, id')(
  `update effects set parked_by = null where workspace_id = :workspaceId and id = :id`,
)

/** What waits for a refusal is due, all of it. */
export const releaseAll = writes.column<Sql.ReleaseAll>('workspaceId, refusal, at')(`
  update effects set due_at = :at, parked_by = null
  where workspace_id = :workspaceId and parked_by = :refusal and due_at is not null
  returning id`)

/** What waits to be sent to people is not sent. One row for each. */
export const withdrawKindsOfAllWorkspaces = writes.column<Sql.WithdrawKindsOfAllWorkspaces>('kinds, reason')(`
  update effects set due_at = null, parked_by = null, last_error = :reason
  where kind = any (:kinds::text[]) and due_at is not null
  returning workspace_id`)

/** Refusals for which things wait and none of them is to be tried: the one that was has been withdrawn. */
export const selectOrphanedOfAllWorkspaces = reads.many<Sql.SelectOrphanedOfAllWorkspaces>('rows')(`
  select workspace_id as "workspaceId", parked_by as "refusal!" from effects
  where parked_by is not null and due_at is not null
  group by workspace_id, parked_by
  having min(due_at) = 'infinity'
  limit #rows`)

/** A story that could not be written to its tracker shows why, for as long as that is so. */
export const deleteEffectsBefore = writes.count<Sql.DeleteEffectsBefore>(
  'workspaceId, { before, beforeId, most }',
)(`
  delete from effects where id in (
    select e.id from effects e
    where e.workspace_id = :workspaceId and e.id < :beforeId and e.due_at is null
      and coalesce(e.done_at, e.created_at) < :before and (e.done_at is not null or e.kind <> 'write_story')
      and not exists (
        select from runs r
        where r.id = e.run_id and r.phase not in ('succeeded', 'failed', 'timed_out', 'stopped')
      )
      and not exists (
        select from incidents i
        where i.workspace_id = e.workspace_id and i.status = 'open' and i.id::text = e.data ->> 'incident'
      )
      and not exists (select from tellings t where t.effect_id = e.id)
    order by e.id
    limit #most
  )`)
