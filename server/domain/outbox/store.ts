import { sql } from 'kysely'
import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import type { DueEffect, EffectKind, Wanted } from './effect.ts'

/** Null when the same wish was written before. */
export async function insertEffect(
  tx: Tx,
  effect: Wanted & { id: string; workspaceId: string; at: Date },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('effects')
    .values({
      id: effect.id,
      workspace_id: effect.workspaceId,
      run_id: effect.runId ?? null,
      kind: effect.kind,
      key: effect.key,
      data: JSON.stringify(effect.data),
      due_at: effect.at,
      created_at: effect.at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Takes an effect that is due, until `until`: if whoever took it dies, it is due again then. */
export async function takeDue(tx: Tx, id: string, now: Date, until: Date): Promise<DueEffect | undefined> {
  const { rows } = await sql<DueEffect>`
    update effects set attempts = attempts + 1, due_at = ${until}
    where id = ${id} and due_at <= ${now}
    returning id, workspace_id as "workspaceId", run_id as "runId", kind, key, data, attempts
  `.execute(tx)
  return rows[0]
}

/** False when it is no longer wanted, or someone else was quicker. */
export async function markDone(tx: Tx, id: string, at: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('effects')
    .set({ due_at: null, done_at: at, last_error: null })
    .where('id', '=', id)
    .where('due_at', 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Too early is no failure: what was tried so far does not count against it. */
export async function postpone(tx: Tx, id: string, until: Date): Promise<void> {
  await tx
    .updateTable('effects')
    .set({ due_at: until, attempts: 0, last_error: null })
    .where('id', '=', id)
    .where('due_at', 'is not', null)
    .execute()
}

export async function noteFailure(tx: Tx, id: string, until: Date, error: string): Promise<void> {
  await tx
    .updateTable('effects')
    .set({ due_at: until, last_error: error })
    .where('id', '=', id)
    .where('due_at', 'is not', null)
    .execute()
}

export async function withdrawOfRun(tx: Tx, runId: string): Promise<void> {
  await tx
    .updateTable('effects')
    .set({ due_at: null })
    .where('run_id', '=', runId)
    .where('due_at', 'is not', null)
    .execute()
}

export async function reviveNewest(
  tx: Tx,
  runId: string,
  kind: EffectKind,
  at: Date,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    update effects set due_at = ${at}, done_at = null, attempts = 0, last_error = null
    where id = (select id from effects where run_id = ${runId} and kind = ${kind} order by id desc limit 1)
    returning id
  `.execute(tx)
  return rows[0]?.id
}

const due = statement<{ id: string; workspaceId: string }>(`
  select id, workspace_id as "workspaceId" from effects
  where due_at <= :now
  order by due_at
  limit #rows`)

export async function selectDue(db: Db, now: Date, rows: number) {
  return read(db, due, { now, rows })
}

export async function isPendingForRun(tx: Tx, runId: string): Promise<boolean> {
  const found = await tx
    .selectFrom('effects')
    .select('id')
    .where('run_id', '=', runId)
    .where('due_at', 'is not', null)
    .executeTakeFirst()
  return found !== undefined
}

/** Only those that were put off: one that somebody is at is left to them. */
export async function hastenMerges(tx: Tx, workspaceId: string, teamId: string, at: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update effects e set due_at = ${at}
    from runs r
    where r.id = e.run_id and r.workspace_id = ${workspaceId} and r.team_id = ${teamId}
      and e.kind = 'merge' and e.due_at > ${at} and e.attempts = 0
    returning e.id
  `.execute(tx)
  return rows.map((row) => row.id)
}
