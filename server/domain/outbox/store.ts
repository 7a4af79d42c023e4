import { sql } from 'kysely'
import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import type { Context } from '../context.ts'
import type { DueEffect, EffectKind, NewEffect, ordererOf } from './effect.ts'

/**
 * False when the same wish was written before. Such a one is seen and not waited for: whoever does it now may wait for
 * what we hold. Two that are written at once still meet at the key.
 */
export async function insertEffect(
  tx: Tx,
  workspaceId: string,
  effect: NewEffect & { id: string; at: Date; orderer: ReturnType<typeof ordererOf> },
): Promise<boolean> {
  const { id, runId, kind, key, data, at, orderer } = effect
  const { numAffectedRows } = await sql`
    insert into effects (id, workspace_id, run_id, kind, key, data, ordered_by, ordered_through, due_at, created_at)
    select ${id}, ${workspaceId}, ${runId}::uuid, ${kind}, ${key}, ${JSON.stringify(data)}::jsonb,
      ${orderer?.personId}::uuid, ${orderer?.channel}, ${at}, ${at}
    where not exists (select from effects where workspace_id = ${workspaceId} and key = ${key})
    on conflict do nothing
  `.execute(tx)
  return numAffectedRows === 1n
}

/** With in whose name it is done: null where the service does it of its own accord. */
type TakenEffect = DueEffect & { ordered: Pick<Context, 'actor' | 'channel'> | null }

/** Takes an effect that is due, until `until`: if whoever took it dies, it is due again then. */
export async function takeDue(
  tx: Tx,
  workspaceId: string,
  id: string,
  now: Date,
  until: Date,
): Promise<TakenEffect | undefined> {
  const { rows } = await sql<TakenEffect>`
    update effects e set attempts = attempts + 1, due_at = ${until}
    where workspace_id = ${workspaceId} and id = ${id} and due_at <= ${now}
    returning id, workspace_id as "workspaceId", run_id as "runId", kind, key, data, attempts,
      parked_by as "parkedBy", (
      select json_build_object('channel', e.ordered_through, 'actor', json_build_object('type', 'human',
        'userId', p.id, 'name', p.name, 'role', coalesce(m.role, 'member')))
      from people p
      left join memberships m on m.workspace_id = e.workspace_id and m.person_id = p.id
      where p.id = e.ordered_by
    ) as ordered
  `.execute(tx)
  return rows[0]
}

/** False when it is no longer wanted, or someone else has taken it since. `held`: until when we had it. */
export async function renewHold(
  tx: Tx,
  workspaceId: string,
  id: string,
  held: Date,
  until: Date,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update effects set due_at = ${until}
    where workspace_id = ${workspaceId} and id = ${id} and due_at = ${held}
  `.execute(tx)
  return numAffectedRows === 1n
}

/** False as above. */
export async function markDone(
  tx: Tx,
  workspaceId: string,
  id: string,
  held: Date,
  at: Date,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update effects set due_at = null, done_at = ${at}, last_error = null, parked_by = null
    where workspace_id = ${workspaceId} and id = ${id} and due_at = ${held}
  `.execute(tx)
  return numAffectedRows === 1n
}

/**
 * Too early is no failure: what was tried so far does not count against it, unless it only waits in line. False as
 * above.
 */
export async function postpone(
  tx: Tx,
  workspaceId: string,
  id: string,
  held: Date,
  until: Date,
  isInLine: boolean,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update effects set due_at = ${until},
      attempts = case when ${isInLine} then attempts - 1 else 0 end,
      last_error = case when ${isInLine} then last_error end
    where workspace_id = ${workspaceId} and id = ${id} and due_at = ${held}
  `.execute(tx)
  return numAffectedRows === 1n
}

export async function noteFailure(
  tx: Tx,
  workspaceId: string,
  id: string,
  held: Date,
  until: Date,
  error: string,
): Promise<void> {
  await sql`
    update effects set due_at = ${until}, last_error = ${error}
    where workspace_id = ${workspaceId} and id = ${id} and due_at = ${held}
  `.execute(tx)
}

/** Adds to what whoever does it has to know: another may have to go on with it. */
export async function addData(tx: Tx, workspaceId: string, id: string, data: object): Promise<void> {
  await sql`
    update effects set data = data || ${JSON.stringify(data)}::jsonb
    where workspace_id = ${workspaceId} and id = ${id}
  `.execute(tx)
}

export async function withdrawOfRun(tx: Tx, workspaceId: string, runId: string): Promise<void> {
  await sql`
    update effects set due_at = null
    where workspace_id = ${workspaceId} and run_id = ${runId} and due_at is not null
  `.execute(tx)
}

export async function reviveNewest(
  tx: Tx,
  workspaceId: string,
  runId: string,
  kind: EffectKind,
  at: Date,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    update effects set due_at = ${at}, done_at = null, attempts = 0, last_error = null, parked_by = null
    where id = (
      select id from effects
      where workspace_id = ${workspaceId} and run_id = ${runId} and kind = ${kind}
      order by id desc
      limit 1
    )
    returning id
  `.execute(tx)
  return rows[0]?.id
}

const due = statement<{ id: string; workspaceId: string }>(`
  select id, workspace_id as "workspaceId" from effects
  where due_at <= :now
  order by due_at
  limit #rows`)

export async function selectDueOfAllWorkspaces(db: Db, now: Date, rows: number) {
  return read(db, due, { now, rows })
}

const pending = statement(`
  select from effects where workspace_id = :workspaceId and run_id = :runId and due_at is not null limit 1`)

export async function isPendingForRun(tx: Tx, workspaceId: string, runId: string): Promise<boolean> {
  return (await read(tx, pending, { workspaceId, runId })).length > 0
}

const untaken = statement(`
  select from effects
  where workspace_id = :workspaceId and key like :prefix || '%' and due_at is not null and attempts = 0
  limit 1`)

export async function isUntaken(tx: Tx, workspaceId: string, prefix: string): Promise<boolean> {
  return (await read(tx, untaken, { workspaceId, prefix })).length > 0
}

/** Only those that were put off: one that somebody is at is left to them. */
export async function hastenMerges(tx: Tx, workspaceId: string, teamId: string, at: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update effects e set due_at = ${at}
    from runs r
    where r.id = e.run_id and r.workspace_id = ${workspaceId} and r.team_id = ${teamId}
      and e.kind = 'merge' and e.due_at > ${at} and e.attempts = 0 and e.parked_by is null
    returning e.id
  `.execute(tx)
  return rows.map((row) => row.id)
}

/** It waits for a refusal to be mended, behind those that came before it. False as above. */
export async function updateParked(
  tx: Tx,
  workspaceId: string,
  id: string,
  held: Date,
  { parkedBy, reason }: { parkedBy: string; reason: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update effects set due_at = 'infinity', parked_by = ${parkedBy}, last_error = ${reason}
    where workspace_id = ${workspaceId} and id = ${id} and due_at = ${held}
  `.execute(tx)
  return numAffectedRows === 1n
}

/**
 * Gives the first of those that wait for a refusal its time. Undefined: nobody waits, or it has its time already. One that
 * is being tried right now is left to whoever is at it.
 */
export async function wakeFirstParked(
  tx: Tx,
  workspaceId: string,
  refusal: string,
  at: Date,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    with first as (
      select id from effects
      where workspace_id = ${workspaceId} and parked_by = ${refusal} and due_at is not null
      order by id
      limit 1
    ), free as (
      select e.id from effects e
      join first on first.id = e.id
      where e.due_at > ${at}::timestamptz + interval '1 minute'
      for update of e skip locked
    )
    update effects e set due_at = ${at} from free where e.workspace_id = ${workspaceId} and e.id = free.id
    returning e.id
  `.execute(tx)
  return rows[0]?.id
}

const parkedBefore = statement(`
  select from effects
  where workspace_id = :workspaceId and parked_by = :refusal and due_at is not null and id < :id
  limit 1`)

/** Whether something waits for a refusal that was wanted before this. */
export async function isParkedBefore(db: Db, workspaceId: string, refusal: string, id: string) {
  return (await read(db, parkedBefore, { workspaceId, refusal, id })).length > 0
}

/** It waits for no refusal any more, whatever else becomes of it. */
export async function unpark(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await sql`update effects set parked_by = null where workspace_id = ${workspaceId} and id = ${id}`.execute(
    tx,
  )
}

/** What waits for a refusal is due, all of it. */
export async function releaseAll(tx: Tx, workspaceId: string, refusal: string, at: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update effects set due_at = ${at}, parked_by = null
    where workspace_id = ${workspaceId} and parked_by = ${refusal} and due_at is not null
    returning id
  `.execute(tx)
  return rows.map((row) => row.id)
}

const orphans = statement<{ workspaceId: string; refusal: string }>(`
  select workspace_id as "workspaceId", parked_by as refusal from effects
  where parked_by is not null and due_at is not null
  group by workspace_id, parked_by
  having min(due_at) = 'infinity'
  limit #rows`)

/** Refusals for which things wait and none of them is to be tried: the one that was has been withdrawn. */
export async function selectOrphanedOfAllWorkspaces(db: Db, rows: number) {
  return read(db, orphans, { rows })
}
