import type { Decision, DecisionEffect, DecisionOption } from '@signalbox/contract/decision.ts'
import type { Presence } from '@signalbox/contract/presence.ts'
import { fromJson, type Json } from '@signalbox/contract/shapes.ts'
import { sql } from 'kysely'
import { type Db, read, type Tx, unwaited } from '../../infra/db/db.ts'
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
  /** The name of whoever has answered. */
  resolvedBy: string | null
  /** As readers see it. */
  wire: Json<Decision>
}

const answerable = statement<Answerable>(`
  select d.id, d.key, d.kind, d.status, d.title, d.authority, d.options, d.facts,
    json_build_object('id', t.id, 'slug', t.slug) as team,
    case when s.id is not null then json_build_object('id', s.id, 'key', s.key) end as story,
    d.run_id as "runId", r.key as "runKey", d.proposal_id as "proposalId", d.expires_at as "expiresAt",
    p.name as "resolvedBy", d.wire
  from decisions d
  join teams t on t.workspace_id = d.workspace_id and t.id = d.team_id
  left join stories s on s.workspace_id = d.workspace_id and s.id = d.story_id
  left join runs r on r.workspace_id = d.workspace_id and r.id = d.run_id
  left join people p on p.id = d.resolved_by
  where d.workspace_id = :workspaceId and d.key = :key`)

export async function selectAnswerable(
  db: Db | Tx,
  workspaceId: string,
  key: string,
): Promise<Answerable | undefined> {
  return (await read(db, answerable, { workspaceId, key }))[0]
}

/**
 * The first answer wins: whoever comes second finds no pending row, and gets nothing back. What readers see is rendered
 * here, from what they saw before; has that changed meanwhile, by another title of the story, the database renders it.
 */
export async function markResolved(
  tx: Tx,
  workspaceId: string,
  { id, wire }: Pick<Answerable, 'id' | 'wire'>,
  answer: {
    optionId: string
    note: string | null
    by: string | null
    via: string
    presence: Presence | null
    at: Date
  },
): Promise<Json<Decision> | undefined> {
  const resolved: Decision = {
    ...fromJson(wire),
    status: 'resolved',
    resolution: { optionId: answer.optionId, note: answer.note },
    // The table takes no other channels.
    resolvedVia: answer.via as Decision['resolvedVia'],
    resolvedAt: answer.at.toISOString(),
  }
  const { rows } = await sql<{ wire: Json<Decision> }>`
    update decisions set status = 'resolved', resolution_option = ${answer.optionId},
      resolution_note = ${answer.note}, resolved_by = ${answer.by}, resolved_via = ${answer.via},
      resolved_presence = ${answer.presence}, resolved_at = ${answer.at}, wire = case wire when ${wire} then ${JSON.stringify(resolved)} else wire end
    where workspace_id = ${workspaceId} and id = ${id} and status = 'pending'
      and (expires_at is null or expires_at > ${answer.at})
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
  await sql`
    insert into decision_effects (workspace_id, decision_id, position, type, status, target_type, target_id)
    select ${workspaceId}, ${decisionId}, position, effect ->> 'type', effect ->> 'status',
      effect -> 'target' ->> 'type', effect -> 'target' ->> 'id'
    from json_array_elements(${JSON.stringify(effects)}::json) with ordinality as listed (effect, position)
  `.execute(unwaited(tx))
}

/** False when it was answered, or closed, before. */
export async function markExpired(tx: Tx, workspaceId: string, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update decisions set status = 'expired'
    where workspace_id = ${workspaceId} and id = ${id} and status = 'pending'
  `.execute(tx)
  return numAffectedRows === 1n
}

const expired = statement<{ workspaceId: string; key: string }>(`
  select workspace_id as "workspaceId", key from decisions
  where status = 'pending' and expires_at <= :now
  order by expires_at
  limit #rows`)

export async function selectExpiredOfAllWorkspaces(db: Db, now: Date, rows: number) {
  return read(db, expired, { now, rows })
}

export type Closed = Pick<Decision, 'key' | 'title' | 'kind'>

export async function closePending(
  tx: Tx,
  workspaceId: string,
  status: 'cancelled' | 'superseded',
  runId: string,
  kind?: Decision['kind'],
): Promise<Closed[]> {
  const { rows } = await sql<Closed>`
    update decisions set status = ${status}
    where workspace_id = ${workspaceId} and run_id = ${runId} and status = 'pending'
      ${kind ? sql`and kind = ${kind}` : sql``}
    returning key, title, kind
  `.execute(tx)
  return rows
}

export async function closeOfProposal(tx: Tx, workspaceId: string, proposalId: string): Promise<Closed[]> {
  const { rows } = await sql<Closed>`
    update decisions set status = 'cancelled'
    where workspace_id = ${workspaceId} and proposal_id = ${proposalId} and status = 'pending'
    returning key, title, kind
  `.execute(tx)
  return rows
}

export async function closeOfTeam(tx: Tx, workspaceId: string, teamId: string): Promise<Closed[]> {
  const { rows } = await sql<Closed>`
    update decisions set status = 'cancelled'
    where workspace_id = ${workspaceId} and team_id = ${teamId} and status = 'pending'
    returning key, title, kind
  `.execute(tx)
  return rows
}

const asked = statement<{ key: string }>(`
  select key from decisions
  where workspace_id = :workspaceId and story_id = :storyId and kind = 'clarification'
    and facts #>> '{asker,request}' = :request and status in ('pending', 'resolved')
  order by id desc
  limit 1`)

/** The same question, asked before: it waits, or has its answer. */
export async function selectAsked(
  tx: Tx,
  workspaceId: string,
  storyId: string,
  request: string,
): Promise<string | undefined> {
  return (await read(tx, asked, { workspaceId, storyId, request }))[0]?.key
}

export interface NewDecision {
  id: string
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

export async function insertDecision(tx: Tx, workspaceId: string, decision: NewDecision): Promise<void> {
  const { id, key, teamId, storyId, runId, proposalId, incidentId, createdAt, expiresAt } = decision
  await sql`
    insert into decisions (id, workspace_id, key, team_id, story_id, run_id, proposal_id, incident_id, kind,
      authority, title, body, status, options, recommendation, facts, created_at, expires_at)
    values (${id}, ${workspaceId}, ${key}, ${teamId}, ${storyId}, ${runId}, ${proposalId}, ${incidentId},
      ${decision.kind}, ${decision.authority}, ${decision.title}, ${decision.body}, 'pending',
      ${JSON.stringify(decision.options)}, ${decision.recommendation}, ${JSON.stringify(decision.facts)},
      ${createdAt}, ${expiresAt})
  `.execute(tx)
}
