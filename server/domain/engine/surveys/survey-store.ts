import type { SurveyRow } from '@signalbox/contract/app/maintenance.ts'
import type { MaintenanceSchedule } from '@signalbox/contract/maintenance.ts'
import type { RunListed } from '@signalbox/contract/run.ts'
import type { SurveyOrder } from '@signalbox/contract/runner/messages.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import { type Db, read, type Tx, write } from '../../../infra/db/db.ts'
import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import { handedIn, statement } from '../../../infra/db/statement.ts'
import type * as Sql from './survey-store.types.ts'

const insertSurveySql = statement<Sql.InsertSurvey>(`
  with run as (
    insert into runs (id, workspace_id, team_id, key, attempts, budget_cents, phase, fence, policy_version, memory,
      created_at)
    values (:id, :workspaceId, :teamId, :key, 1, :budgetCents, 'working', 1, :policyVersion, :memory::jsonb, :at)
  ), attempt as (
    insert into attempts (workspace_id, run_id, attempt, status, stage, executor, started_at)
    values (:workspaceId, :id, 1, 'running', 'planning', :executor, :at)
  )
  insert into surveys (workspace_id, run_id, team_id, due_at, started_by)
  values (:workspaceId, :id, :teamId, :dueAt?, :startedBy?)`)

/** Begins a survey: a run without a story, whose first order is given out with it. */
export async function insertSurvey(
  tx: Tx,
  workspaceId: string,
  {
    repository,
    checks,
    ...survey
  }: {
    id: string
    teamId: string
    key: string
    budgetCents: number
    executor: RunListed['executor']
    policyVersion: number
    /** Which of the team's is looked at. */
    repository: string
    /** The commit whose gates are run, where nothing is surveyed. */
    checks?: string
    dueAt: Date | null
    startedBy: string | null
    at: Date
  },
): Promise<void> {
  const memory = JSON.stringify({ at: repository, checks })
  await write(tx, insertSurveySql, handedIn({ ...survey, workspaceId, memory }))
}

/** Of a team's repositories the one that was surveyed longest ago, or never. */
export const selectNextToSurvey = reads.value<Sql.SelectNextToSurvey>('workspaceId, teamId')(`
  select c.name
  from team_repositories c
  where c.workspace_id = :workspaceId and c.team_id = :teamId
  order by (
    select r.id from surveys s
    join runs r on r.workspace_id = s.workspace_id and r.id = s.run_id
    where s.workspace_id = c.workspace_id and s.team_id = c.team_id and r.memory ->> 'at' = c.name
      and r.memory ->> 'checks' is null
    order by r.id desc limit 1
  ) nulls first, c.name
  limit 1`)

/** A survey, with what is needed to move it. */
export interface LockedSurvey {
  id: string
  key: string
  phase: 'working' | 'succeeded' | 'failed' | 'stopped'
  version: number
  fence: number
  attempt: number
  budgetCents: number
  costMicros: number
  policyVersion: number
  executor: RunListed['executor']
  /** Null: it began before there could be several, and is of the first. */
  repository: string | null
  /** It runs the gates on this commit, and surveys nothing. */
  checks: string | null
  team: { id: string; slug: string; name: string }
}

const lock = statement<Sql.Lock>(`
  select from runs where workspace_id = :workspaceId and id = :id for no key update`)

const held = statement<Sql.Held, LockedSurvey>(`
  select r.id, r.key, r.phase, r.version, r.fence, r.attempts as attempt, r.budget_cents as "budgetCents",
    (select sum(cost_micros)::bigint from attempts where workspace_id = r.workspace_id and run_id = r.id) as "costMicros!",
    r.policy_version as "policyVersion!", a.executor, r.memory ->> 'at' as repository, r.memory ->> 'checks' as checks,
    json_build_object('id', t.id, 'slug', t.slug, 'name', t.name) as team
  from runs r
  join surveys s on s.run_id = r.id
  join attempts a on a.workspace_id = r.workspace_id and a.run_id = r.id and a.attempt = r.attempts
  join teams t on t.workspace_id = r.workspace_id and t.id = r.team_id
  where r.workspace_id = :workspaceId and r.id = :id`)

/** Held for the length of the transaction; two statements, as with every run. */
export async function lockSurvey(tx: Tx, workspaceId: string, id: string): Promise<LockedSurvey | undefined> {
  await write(tx, lock, { workspaceId, id })
  return (await read(tx, held, { workspaceId, id }))[0]
}

export async function selectSurvey(
  db: Db | Tx,
  workspaceId: string,
  id: string,
): Promise<LockedSurvey | undefined> {
  return (await read(db, held, { workspaceId, id }))[0]
}

export const selectOpenSurvey = reads.one<Sql.SelectOpenSurvey>('workspaceId, teamId')(`
  select id from runs
  where workspace_id = :workspaceId and team_id = :teamId and story_id is null and phase = 'working'
    and memory ->> 'checks' is null`)

const updateRunsSql = statement<Sql.UpdateRuns>(`
  update runs set fence = :fence where workspace_id = :workspaceId and id = :id`)

const updateForNextOrderSql = statement<Sql.UpdateForNextOrder>(`
  with lost as (
    update attempts set status = 'failed', failure_class = 'transient', error = :error, completed_at = :at
    where workspace_id = :workspaceId and run_id = :id and attempt = :attempt
  ), attempt as (
    insert into attempts (workspace_id, run_id, attempt, status, stage, executor, started_at)
    values (:workspaceId, :id, :nextAttempt, 'running', 'planning', :executor, :at)
  )
  update runs set fence = :fence, attempts = :nextAttempt
  where workspace_id = :workspaceId and id = :id`)

/** Another order of the same survey; after a runner was lost, another attempt of it too. */
export async function updateForNextOrder(
  tx: Tx,
  workspaceId: string,
  survey: Pick<LockedSurvey, 'id' | 'fence' | 'attempt' | 'executor'>,
  { isNewAttempt, error, at }: { isNewAttempt: boolean; error: string; at: Date },
): Promise<void> {
  const { id, fence, attempt, executor } = survey
  if (!isNewAttempt) {
    await write(tx, updateRunsSql, { workspaceId, fence: fence + 1, id })
    return
  }
  await write(tx, updateForNextOrderSql, {
    workspaceId,
    error,
    at,
    id,
    attempt,
    nextAttempt: attempt + 1,
    executor,
    fence: fence + 1,
  })
}

export interface SurveyEnd {
  status: 'succeeded' | 'failed' | 'stopped'
  failureClass: RunListed['failureClass']
  error: string | null
  proposals: number
  leftOut: number
  touched: string[]
}

export const markSurveyEnded = writes.run<
  Sql.MarkSurveyEnded,
  Nothing,
  SurveyEnd & { commit: string | null; at: Date }
>('workspaceId, { id, attempt }, ...end')(`
  with run as (
    update runs set phase = :status,
      reason = null where workspace_id = :workspaceId and id = :id ), attempt as ( update attempts set status = :status,
      failure_class = :failureClass?, error = :error?, completed_at = :at
    where workspace_id = :workspaceId and run_id = :id and attempt = :attempt
  )
  update surveys set commit = coalesce(:commit?, commit), proposals = :proposals,
    left_out = :leftOut, touched = :touched
  where workspace_id = :workspaceId and run_id = :id`)

export interface LocalMain {
  workspaceId: string
  teamId: string
  team: string
  repository: string
}

/** Folders on the server whose main branch no one else watches, of teams that are at work. */
export const selectLocalMainsOfAllWorkspaces = reads.many<Sql.SelectLocalMainsOfAllWorkspaces>('rows')(`
  select c.workspace_id as "workspaceId", c.team_id as "teamId", t.slug as team, c.name as repository
  from team_repositories c
  join teams t on t.workspace_id = c.workspace_id and t.id = c.team_id and t.deleted_at is null
  join workspaces w on w.id = c.workspace_id and w.deleted_at is null
  where c.connection_id is null and t.paused_at is null and t.policy_version is not null
    -- What a run has merged, or is about to merge into, it looks at itself.
    and not exists (
      select from runs r
      where r.workspace_id = c.workspace_id and r.team_id = c.team_id
        and (r.phase in ('merging', 'watching') or r.phase = 'working' and r.memory ->> 'checksMain' = 'true')
    )
  order by c.workspace_id, c.team_id, c.name
  limit #rows`)

/** Whether a main branch of the team is being checked, or this one was at this commit since then, whatever it found. */
export const isBeingChecked = reads.exists<Sql.IsBeingChecked>('workspaceId, ...about')(`
  select from surveys s
  join runs r on r.workspace_id = s.workspace_id and r.id = s.run_id
  where s.workspace_id = :workspaceId and s.team_id = :teamId and r.memory ->> 'checks' is not null
    and (r.phase = 'working'
      or r.memory ->> 'at' = :repository and r.memory ->> 'checks' = :commit and r.created_at > :since)
  limit 1`)
/** What is being looked at. */
export const updateCommit = writes.run<Sql.UpdateCommit>('workspaceId, id, commit')(`
  update surveys set commit = :commit where workspace_id = :workspaceId and run_id = :id`)

/** What a team's surveys have cost since then. */
export const selectSpentOnSurveys = reads.onlyValue<Sql.SelectSpentOnSurveys>('workspaceId, teamId, since')(`
  select coalesce(sum(u.euro_micros), 0)::bigint as micros
  from usage_ledger u
  join surveys s on s.run_id = u.run_id
  where u.workspace_id = :workspaceId and u.team_id = :teamId and u.at >= :since`)

export interface Scheduled {
  schedule: Exclude<MaintenanceSchedule, 'off'>
  /** Since when the schedule is this one. */
  since: Date
  /** The last moment of it that was surveyed. */
  done: Date | null
}

/** Of a team `t` under its policy `p`. */
const schedule = `
  p.maintenance_schedule as schedule,
  (
    select min(v.created_at) from policies v
    where v.workspace_id = p.workspace_id and v.team_id = p.team_id and v.version > coalesce((
      select max(o.version) from policies o
      where o.workspace_id = p.workspace_id and o.team_id = p.team_id
        and o.maintenance_schedule <> p.maintenance_schedule and o.version < p.version
    ), 0)
  ) as "since!",
  (select max(s.due_at) from surveys s where s.workspace_id = t.workspace_id and s.team_id = t.id) as done`

/** Teams that are surveyed by a schedule and are not paused. */
export const selectScheduledOfAllWorkspaces = reads.many<
  Sql.SelectScheduledOfAllWorkspaces,
  Scheduled & { id: string; workspaceId: string }
>()(`
  select t.id, t.workspace_id as "workspaceId", ${schedule}
  from teams t
  join policies p on p.workspace_id = t.workspace_id and p.team_id = t.id and p.version = t.policy_version
  where p.maintenance_schedule <> 'off' and t.paused_at is null and t.deleted_at is null
  order by t.id`)

/** Undefined: the team has no schedule. */
export const selectSchedule = reads.one<Sql.SelectSchedule, Scheduled>('workspaceId, teamId')(`
  select ${schedule}
  from teams t
  join policies p on p.workspace_id = t.workspace_id and p.team_id = t.id and p.version = t.policy_version
  where t.workspace_id = :workspaceId and t.id = :teamId and p.maintenance_schedule <> 'off'`)

const known = statement<Sql.Known, SurveyOrder['known'][number]>(`
  select kind, fingerprint, title, status from proposals
  where workspace_id = :workspaceId and team_id = :teamId and incident_id is null
    and kind in ('maintenance_proposal', 'strategy_proposal')
  order by created_at desc, id desc
  limit #rows`)

/** What was proposed to a team before, newest first. */
export async function selectKnownProposals(
  db: Db | Tx,
  workspaceId: string,
  teamId: string,
  rows: number,
): Promise<SurveyOrder['known']> {
  return [...(await read(db, known, { workspaceId, teamId, rows }))]
}

/** The newest surveys of a team. */
export const selectSurveys = reads.column<Sql.SelectSurveys, { json: Json<SurveyRow> }>(
  'workspaceId, teamId, rows',
)(`
  select (select row_to_json(listed) from (select
    r.key, case r.phase when 'working' then coalesce((
      select o.state from work_orders o where o.run_id = r.id and o.state <> 'ended'
    ), 'offered') else r.phase end as status,
    s.started_by as "startedBy", r.memory ->> 'at' as repository, s.commit, s.proposals, s.left_out as "leftOut", s.touched,
    (select sum(a.cost_cents)::int from attempts a where a.workspace_id = r.workspace_id and a.run_id = r.id)
      as "costCents",
    r.budget_cents as "budgetCents", r.attempts,
    (
      select o.holder from work_orders o where o.run_id = r.id and o.holder is not null order by o.fence desc limit 1
    ) as runner,
    l.error, iso(r.created_at) as "startedAt", iso(l.completed_at) as "endedAt"
  ) as listed)::text as json
  from surveys s
  join runs r on r.workspace_id = s.workspace_id and r.id = s.run_id
  join attempts l on l.workspace_id = r.workspace_id and l.run_id = r.id and l.attempt = r.attempts
  where s.workspace_id = :workspaceId and s.team_id = :teamId and r.memory ->> 'checks' is null
  order by s.run_id desc
  limit #rows`)
