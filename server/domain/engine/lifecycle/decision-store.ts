import type { Decision, DecisionEffect, DecisionOption } from '@signalbox/contract/decision.ts'
import type { Presence } from '@signalbox/contract/presence.ts'
import { fromJson, type Json } from '@signalbox/contract/shapes.ts'
import { pipelined, type Tx, write } from '../../../infra/db/db.ts'
import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import { handedIn, statement } from '../../../infra/db/statement.ts'
import type { Asked } from '../../work/decisions/facts.ts'
import type * as Sql from './decision-store.types.ts'

/** A decision, with what is needed to answer it. */
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
  /** The name of the one who answered. */
  resolvedBy: string | null
  /** As readers see it. */
  wire: Json<Decision>
}

export const selectAnswerable = reads.one<Sql.SelectAnswerable, Answerable>('workspaceId, key')(`
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

const markResolvedSql = statement<Sql.MarkResolved, { wire: Json<Decision> }>(`
  update decisions set status = 'resolved', resolution_option = :optionId,
    resolution_note = :note?, resolved_by = :by?, resolved_via = :via,
    resolved_presence = :presence?, resolved_at = :at, wire = case wire when :wire then :resolved else wire end
  where workspace_id = :workspaceId and id = :id and status = 'pending'
    and (expires_at is null or expires_at > :at)
  returning wire`)

/**
 * The first answer wins: the second finds no pending row, and gets nothing back. What readers see is rendered here,
 * from what they saw before; if that has changed since, by another title of the story, the database renders it.
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
  return (
    await write(
      tx,
      markResolvedSql,
      handedIn({ ...answer, workspaceId, wire, resolved: JSON.stringify(resolved), id }),
    )
  )[0]?.wire
}

const insertEffectsSql = statement<Sql.InsertEffects>(`
  insert into decision_effects (workspace_id, decision_id, position, type, status, target_type, target_id)
  select :workspaceId, :decisionId, position, effect ->> 'type', effect ->> 'status',
    effect -> 'target' ->> 'type', effect -> 'target' ->> 'id'
  from json_array_elements(:effects::json) with ordinality as listed (effect, position)`)

/** What the answer led to, in the order in which it happened. */
export async function insertEffects(
  tx: Tx,
  workspaceId: string,
  decisionId: string,
  effects: DecisionEffect[],
): Promise<void> {
  await write(pipelined(tx), insertEffectsSql, { workspaceId, decisionId, effects: JSON.stringify(effects) })
}

/** False when it was answered, or closed, before. */
export const markExpired = writes.wroteOne<Sql.MarkExpired>('workspaceId, id')(`
  update decisions set status = 'expired'
  where workspace_id = :workspaceId and id = :id and status = 'pending'`)

export const selectExpiredOfAllWorkspaces = reads.many<Sql.SelectExpiredOfAllWorkspaces>('now, rows')(`
  select workspace_id as "workspaceId", key from decisions
  where status = 'pending' and expires_at <= :now
  order by expires_at
  limit #rows`)

export type Closed = Pick<Decision, 'key' | 'title' | 'kind'>

export const closePending = writes.many<
  Sql.ClosePending,
  Nothing,
  { status: 'cancelled' | 'superseded'; kind: Decision['kind'] }
>('workspaceId, status, runId, kind')(`
  update decisions set status = :status
  where workspace_id = :workspaceId and run_id = :runId and status = 'pending' [[and kind = :kind]]
  returning key, title, kind`)

export const closeOfProposal = writes.many<Sql.CloseOfProposal, Closed>('workspaceId, proposalId')(`
  update decisions set status = 'cancelled'
  where workspace_id = :workspaceId and proposal_id = :proposalId and status = 'pending'
  returning key, title, kind`)

export const closeOfTeam = writes.many<Sql.CloseOfTeam, Closed>('workspaceId, teamId')(`
  update decisions set status = 'cancelled'
  where workspace_id = :workspaceId and team_id = :teamId and status = 'pending'
  returning key, title, kind`)

/** The same question, asked before: it waits, or has its answer. */
export const selectAsked = reads.value<Sql.SelectAsked>('workspaceId, storyId, request')(`
  select key from decisions
  where workspace_id = :workspaceId and story_id = :storyId and kind = 'clarification'
    and facts #>> '{asker,request}' = :request and status in ('pending', 'resolved')
  order by id desc
  limit 1`)

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

const insertDecisionSql = statement<Sql.InsertDecision>(`
  insert into decisions (id, workspace_id, key, team_id, story_id, run_id, proposal_id, incident_id, kind,
    authority, title, body, status, options, recommendation, facts, created_at, expires_at)
  values (:id, :workspaceId, :key, :teamId, :storyId?, :runId?, :proposalId?, :incidentId?, :kind, :authority,
    :title, :body, 'pending', :options, :recommendation, :facts, :createdAt, :expiresAt)`)

export async function insertDecision(tx: Tx, workspaceId: string, decision: NewDecision): Promise<void> {
  const { id, key, teamId, storyId, runId, proposalId, incidentId, createdAt, expiresAt } = decision
  await write(
    tx,
    insertDecisionSql,
    handedIn({
      ...decision,
      workspaceId,
      id,
      key,
      teamId,
      storyId,
      runId,
      proposalId,
      incidentId,
      options: JSON.stringify(decision.options),
      facts: JSON.stringify(decision.facts),
      createdAt,
      expiresAt,
    }),
  )
}
