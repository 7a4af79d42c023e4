import type { Decision, DecisionEffect, DecisionOption } from '@signalbox/contract/decision.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import { sql } from 'kysely'
import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import type { Asked } from '../decisions/facts.ts'

/** A decision as whoever answers it needs it. */
export interface Answerable {
  id: string
  key: string
  kind: Decision['kind']
  status: Decision['status']
  title: string
  authority: Decision['authority']
  options: Omit<DecisionOption, 'recommended'>[]
  facts: unknown
  team: { id: string; slug: string }
  story: { id: string; key: string } | null
  runId: string | null
  runKey: string | null
  proposalId: string | null
  expiresAt: Date | null
}

const answerable = statement<Answerable>(`
  select d.id, d.key, d.kind, d.status, d.title, d.authority, d.options, d.facts,
    json_build_object('id', t.id, 'slug', t.slug) as team,
    case when s.id is not null then json_build_object('id', s.id, 'key', s.key) end as story,
    d.run_id as "runId", r.key as "runKey", d.proposal_id as "proposalId", d.expires_at as "expiresAt"
  from decisions d
  join teams t on t.workspace_id = d.workspace_id and t.id = d.team_id
  left join stories s on s.workspace_id = d.workspace_id and s.id = d.story_id
  left join runs r on r.workspace_id = d.workspace_id and r.id = d.run_id
  where d.workspace_id = :workspaceId and d.key = :key`)

export async function selectAnswerable(
  db: Db | Tx,
  workspaceId: string,
  key: string,
): Promise<Answerable | undefined> {
  return (await read(db, answerable, { workspaceId, key }))[0]
}

/** The first answer wins: whoever comes second finds no pending row, and gets nothing back. */
export async function markResolved(
  tx: Tx,
  id: string,
  answer: { optionId: string; note: string | null; by: string | null; via: string; at: Date },
): Promise<Json<Decision> | undefined> {
  const { rows } = await sql<{ wire: Json<Decision> }>`
    update decisions set status = 'resolved', resolution_option = ${answer.optionId},
      resolution_note = ${answer.note}, resolved_by = ${answer.by}, resolved_via = ${answer.via},
      resolved_at = ${answer.at}
    where id = ${id} and status = 'pending' and (expires_at is null or expires_at > ${answer.at})
    returning wire
  `.execute(tx)
  return rows[0]?.wire
}

/** What the answer led to, in the order in which it happened. */
export async function insertEffects(
  tx: Tx,
  workspaceId: string,
  decisionId: string,
  effects: DecisionEffect[],
): Promise<void> {
  await tx
    .insertInto('decision_effects')
    .values(
      effects.map(({ type, status, target }, index) => ({
        workspace_id: workspaceId,
        decision_id: decisionId,
        position: index + 1,
        type,
        status,
        target_type: target.type,
        target_id: target.id,
      })),
    )
    .execute()
}

/** False when it was answered, or closed, before. */
export async function markExpired(tx: Tx, id: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('decisions')
    .set({ status: 'expired' })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

const expired = statement<{ workspaceId: string; key: string }>(`
  select workspace_id as "workspaceId", key from decisions
  where status = 'pending' and expires_at <= :now
  order by expires_at
  limit #rows`)

export async function selectExpired(db: Db, now: Date, rows: number) {
  return read(db, expired, { now, rows })
}

export async function closePending(
  tx: Tx,
  workspaceId: string,
  status: 'cancelled' | 'superseded',
  runId: string,
  kind?: Decision['kind'],
) {
  return tx
    .updateTable('decisions')
    .set({ status })
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .where('status', '=', 'pending')
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind!))
    .returning(['key', 'title', 'kind'])
    .execute()
}

export async function closeOfProposal(tx: Tx, workspaceId: string, proposalId: string) {
  return tx
    .updateTable('decisions')
    .set({ status: 'cancelled' })
    .where('workspace_id', '=', workspaceId)
    .where('proposal_id', '=', proposalId)
    .where('status', '=', 'pending')
    .returning(['key', 'title', 'kind'])
    .execute()
}

export async function closeOfTeam(tx: Tx, workspaceId: string, teamId: string) {
  return tx
    .updateTable('decisions')
    .set({ status: 'cancelled' })
    .where('workspace_id', '=', workspaceId)
    .where('team_id', '=', teamId)
    .where('status', '=', 'pending')
    .returning(['key', 'title', 'kind'])
    .execute()
}

export interface NewDecision {
  id: string
  workspaceId: string
  key: string
  teamId: string
  storyId: string | null
  runId: string | null
  proposalId: string | null
  incidentId: string | null
  kind: Decision['kind']
  authority: Decision['authority']
  title: string
  body: string
  options: Omit<DecisionOption, 'recommended'>[]
  recommendation: string
  facts: Asked['facts']
  createdAt: Date
  expiresAt: Date
}

export async function insertDecision(tx: Tx, decision: NewDecision): Promise<void> {
  await tx
    .insertInto('decisions')
    .values({
      id: decision.id,
      workspace_id: decision.workspaceId,
      key: decision.key,
      team_id: decision.teamId,
      story_id: decision.storyId,
      run_id: decision.runId,
      proposal_id: decision.proposalId,
      incident_id: decision.incidentId,
      kind: decision.kind,
      authority: decision.authority,
      title: decision.title,
      body: decision.body,
      status: 'pending',
      options: JSON.stringify(decision.options),
      recommendation: decision.recommendation,
      facts: JSON.stringify(decision.facts),
      created_at: decision.createdAt,
      expires_at: decision.expiresAt,
    })
    .execute()
}
