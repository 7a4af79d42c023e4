import type { SurveyRow } from '@signalbox/contract/app/maintenance.ts'
import type { MaintenanceSchedule } from '@signalbox/contract/maintenance.ts'
import type { RunListed } from '@signalbox/contract/run.ts'
import type { SurveyOrder } from '@signalbox/contract/runner/messages.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import { sql } from 'kysely'
import { type Db, read, type Tx, write } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'

/** Begins a survey: a run without a story, whose first order is given out with it. */
export async function insertSurvey(
  tx: Tx,
  workspaceId: string,
  survey: {
    id: string
    teamId: string
    key: string
    budgetCents: number
    executor: RunListed['executor']
    policyVersion: number
    dueAt: Date | null
    startedBy: string | null
    at: Date
  },
): Promise<void> {
  await sql`
    with run as (
      insert into runs (id, workspace_id, team_id, key, attempts, budget_cents, phase, fence, policy_version, created_at)
      values (${survey.id}, ${workspaceId}, ${survey.teamId}, ${survey.key}, 1, ${survey.budgetCents}, 'working', 1,
        ${survey.policyVersion}, ${survey.at})
    ), attempt as (
      insert into attempts (workspace_id, run_id, attempt, status, stage, executor, started_at)
      values (${workspaceId}, ${survey.id}, 1, 'running', 'planning', ${survey.executor}, ${survey.at})
    )
    insert into surveys (workspace_id, run_id, team_id, due_at, started_by)
    values (${workspaceId}, ${survey.id}, ${survey.teamId}, ${survey.dueAt}, ${survey.startedBy})
  `.execute(tx)
}

/** A survey as whoever moves it needs it. */
export interface HeldSurvey {
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
  team: { id: string; slug: string; name: string }
}

const lock = statement(`
  select from runs where workspace_id = :workspaceId and id = :id for no key update`)

const held = statement<HeldSurvey>(`
  select r.id, r.key, r.phase, r.version, r.fence, r.attempts as attempt, r.budget_cents as "budgetCents",
    (select sum(cost_micros)::bigint from attempts where workspace_id = r.workspace_id and run_id = r.id) as "costMicros",
    r.policy_version as "policyVersion", a.executor,
    json_build_object('id', t.id, 'slug', t.slug, 'name', t.name) as team
  from runs r
  join surveys s on s.run_id = r.id
  join attempts a on a.workspace_id = r.workspace_id and a.run_id = r.id and a.attempt = r.attempts
  join teams t on t.workspace_id = r.workspace_id and t.id = r.team_id
  where r.workspace_id = :workspaceId and r.id = :id`)

/** Held for the length of the transaction; two statements, as with every run. */
export async function lockSurvey(tx: Tx, workspaceId: string, id: string): Promise<HeldSurvey | undefined> {
  await write(tx, lock, { workspaceId, id })
  return (await read(tx, held, { workspaceId, id }))[0]
}

export async function selectSurvey(
  db: Db | Tx,
  workspaceId: string,
  id: string,
): Promise<HeldSurvey | undefined> {
  return (await read(db, held, { workspaceId, id }))[0]
}

const open = statement<{ id: string }>(`
  select id from runs
  where workspace_id = :workspaceId and team_id = :teamId and story_id is null and phase = 'working'`)

export async function selectOpenSurvey(
  db: Db | Tx,
  workspaceId: string,
  teamId: string,
): Promise<{ id: string } | undefined> {
  return (await read(db, open, { workspaceId, teamId }))[0]
}

/** Another order of the same survey; after a runner was lost, another attempt of it too. */
export async function updateForNextOrder(
  tx: Tx,
  workspaceId: string,
  survey: Pick<HeldSurvey, 'id' | 'fence' | 'attempt' | 'executor'>,
  { isNewAttempt, error, at }: { isNewAttempt: boolean; error: string; at: Date },
): Promise<void> {
  const { id, fence, attempt, executor } = survey
  if (!isNewAttempt) {
    await sql`
      update runs set fence = ${fence + 1} where workspace_id = ${workspaceId} and id = ${id}
    `.execute(tx)
    return
  }
  await sql`
    with lost as (
      update attempts set status = 'failed', failure_class = 'transient', error = ${error}, completed_at = ${at}
      where workspace_id = ${workspaceId} and run_id = ${id} and attempt = ${attempt}
    ), attempt as (
      insert into attempts (workspace_id, run_id, attempt, status, stage, executor, started_at)
      values (${workspaceId}, ${id}, ${attempt + 1}, 'running', 'planning', ${executor}, ${at})
    )
    update runs set fence = ${fence + 1}, attempts = ${attempt + 1}
    where workspace_id = ${workspaceId} and id = ${id}
  `.execute(tx)
}

export interface SurveyEnd {
  status: 'succeeded' | 'failed' | 'stopped'
  failureClass: RunListed['failureClass']
  error: string | null
  proposals: number
  leftOut: number
  touched: string[]
}

export async function markSurveyEnded(
  tx: Tx,
  workspaceId: string,
  { id, attempt }: Pick<HeldSurvey, 'id' | 'attempt'>,
  end: SurveyEnd & { commit: string | null; at: Date },
): Promise<void> {
  await sql`
    with run as (
      update runs set phase = ${end.status}, reason = null where workspace_id = ${workspaceId} and id = ${id}
    ), attempt as (
      update attempts set status = ${end.status}, failure_class = ${end.failureClass}, error = ${end.error},
        completed_at = ${end.at}
      where workspace_id = ${workspaceId} and run_id = ${id} and attempt = ${attempt}
    )
    update surveys set commit = coalesce(${end.commit}, commit), proposals = ${end.proposals},
      left_out = ${end.leftOut}, touched = ${end.touched}
    where workspace_id = ${workspaceId} and run_id = ${id}
  `.execute(tx)
}

/** What is being looked at. */
export async function updateCommit(tx: Tx, workspaceId: string, id: string, commit: string): Promise<void> {
  await sql`
    update surveys set commit = ${commit} where workspace_id = ${workspaceId} and run_id = ${id}
  `.execute(tx)
}

const spent = statement<{ micros: number }>(`
  select coalesce(sum(u.euro_micros), 0)::bigint as micros
  from usage_ledger u
  join surveys s on s.run_id = u.run_id
  where u.workspace_id = :workspaceId and u.team_id = :teamId and u.at >= :since`)

/** What a team's surveys have cost since then. */
export async function selectSpentOnSurveys(
  db: Db | Tx,
  workspaceId: string,
  teamId: string,
  since: Date,
): Promise<number> {
  return (await read(db, spent, { workspaceId, teamId, since }))[0]!.micros
}

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
  ) as since,
  (select max(s.due_at) from surveys s where s.workspace_id = t.workspace_id and s.team_id = t.id) as done`

const scheduled = statement<Scheduled & { id: string; workspaceId: string }>(`
  select t.id, t.workspace_id as "workspaceId", ${schedule}
  from teams t
  join policies p on p.workspace_id = t.workspace_id and p.team_id = t.id and p.version = t.policy_version
  where p.maintenance_schedule <> 'off' and t.paused_at is null and t.deleted_at is null
  order by t.id`)

/** Teams that are surveyed by a schedule and are not paused. */
export async function selectScheduledOfAllWorkspaces(
  db: Db,
): Promise<readonly (Scheduled & { id: string; workspaceId: string })[]> {
  return read(db, scheduled, {})
}

const ofTeam = statement<Scheduled>(`
  select ${schedule}
  from teams t
  join policies p on p.workspace_id = t.workspace_id and p.team_id = t.id and p.version = t.policy_version
  where t.workspace_id = :workspaceId and t.id = :teamId and p.maintenance_schedule <> 'off'`)

/** Undefined: the team has no schedule. */
export async function selectSchedule(
  db: Db | Tx,
  workspaceId: string,
  teamId: string,
): Promise<Scheduled | undefined> {
  return (await read(db, ofTeam, { workspaceId, teamId }))[0]
}

const known = statement<SurveyOrder['known'][number]>(`
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

const list = statement<{ json: Json<SurveyRow> }>(`
  select (select row_to_json(listed) from (select
    r.key, case r.phase when 'working' then coalesce((
      select o.state from work_orders o where o.run_id = r.id and o.state <> 'ended'
    ), 'offered') else r.phase end as status,
    s.started_by as "startedBy", s.commit, s.proposals, s.left_out as "leftOut", s.touched,
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
  where s.workspace_id = :workspaceId and s.team_id = :teamId
  order by s.run_id desc
  limit #rows`)

/** The newest surveys of a team. */
export async function selectSurveys(
  db: Db,
  workspaceId: string,
  teamId: string,
  rows: number,
): Promise<Json<SurveyRow>[]> {
  return (await read(db, list, { workspaceId, teamId, rows })).map(({ json }) => json)
}
