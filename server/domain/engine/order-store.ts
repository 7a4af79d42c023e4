import { sql } from 'kysely'
import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import type { WorkOrder } from '../ports/work.ts'
import type { Place } from '../runs/place.ts'
import type { Memory } from './machine.ts'
import { runSource } from './run-store.ts'

/** Which attempt an order belonged to, however long ago it was given out. */
export async function selectOrderedAttempt(
  tx: Tx,
  runId: string,
  fence: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ attempt: number }>`
    select (data ->> 'attempt')::int as attempt from effects
    where workspace_id = (select workspace_id from runs where id = ${runId}) and key = ${orderKey(runId, fence)}
  `.execute(tx)
  return rows[0]?.attempt
}

export const orderKey = (runId: string, fence: number) => `hand_out/${runId}/${fence}`

type OrderRow = Pick<WorkOrder, 'fence' | 'run' | 'attempt' | 'stage' | 'executor' | 'team' | 'story'> & {
  place: Place
  teamId: string
  policyVersion: number
  budgetCents: number
  costMicros: number
  memory: Partial<Memory>
}

const order = statement<OrderRow>(`
  select r.fence, r.key as run, r.attempts as attempt, a.stage, a.executor, t.slug as team, r.place,
    t.id as "teamId", coalesce(r.policy_version, t.policy_version) as "policyVersion",
    r.budget_cents as "budgetCents", r.memory,
    (select sum(cost_micros)::bigint from attempts where workspace_id = r.workspace_id and run_id = r.id) as "costMicros",
    json_build_object('key', s.key, 'title', s.title, 'size', s.size, 'complexity', s.complexity,
      'description', s.description, 'acceptanceCriteria', s.acceptance_criteria, 'demonstrate', s.demonstrate
    ) as story
  from ${runSource}
  where r.workspace_id = :workspaceId and r.id = :id`)

export async function selectOrder(db: Db, workspaceId: string, id: string): Promise<OrderRow | undefined> {
  return (await read(db, order, { workspaceId, id }))[0]
}
