import type { Obstacle } from '@signalbox/contract/app/stories.ts'
import type { RunListed } from '@signalbox/contract/run.ts'
import { type Db, pipelined, read, type Tx, write } from '../../../infra/db/db.ts'
import { reads, writes } from '../../../infra/db/queries.ts'
import { statement } from '../../../infra/db/statement.ts'
import { startOfDay, startOfMonth } from '../../days.ts'
import { shortcoming } from '../../work/stories/shortcoming.ts'
import type { Memory } from '../machine/machine.ts'
import { stageSeconds } from '../machine/stage-time.ts'
import { needsHelp, type Spending } from './obstacles.ts'
import type * as Sql from './queue-store.types.ts'
import { spendingOf } from './spending-of.ts'

/** A run that wants a slot, with what may be in its way. */
export interface QueuedRun {
  id: string
  /** Null: that of its team. */
  policyVersion: number | null
  budgetCents: number
  costMicros: number
  memory: Partial<Pick<Memory, 'fresh' | 'checksMain' | 'pushed' | 'parts' | 'race'>>
  stage: RunListed['stage']
  /** Since when it has not moved for want of help. */
  stuckSince: Date | null
}

/** Runs of a team that want a slot and may have one now, in order. They are not locked. */
export const selectQueued = reads.many<Sql.SelectQueued, QueuedRun>('workspaceId, teamId, now')(`
  select r.id, r.policy_version as "policyVersion", r.budget_cents as "budgetCents",
    (select sum(cost_micros)::bigint from attempts where workspace_id = r.workspace_id and run_id = r.id) as "costMicros!",
    jsonb_strip_nulls(jsonb_build_object(
      'fresh', r.memory -> 'fresh', 'checksMain', r.memory -> 'checksMain', 'pushed', r.memory -> 'pushed',
      'parts', r.memory -> 'parts', 'race', nullif(r.memory -> 'race', 'null')
    )) as "memory!", r.stuck_since as "stuckSince",
    (select stage from attempts where workspace_id = r.workspace_id and run_id = r.id and attempt = r.attempts) as "stage!"
  -- The first are found before anything else of them is read: many may wait.
  from unnest(array(
    select r.id from runs r
    join stories s on s.workspace_id = r.workspace_id and s.id = r.story_id
    where r.workspace_id = :workspaceId and r.team_id = :teamId and r.phase = 'queued' and r.wake_at <= :now
    -- What has begun first, so that in a paused team what has not does not stand in its way.
    order by coalesce((r.memory ->> 'fresh')::boolean, false), s.class_of_service = 'expedite' desc, r.id
    limit 20
  )) with ordinality as first (id, place)
  join runs r on r.workspace_id = :workspaceId and r.id = first.id
  order by first.place`)

export interface ReadyStory {
  id: string
  key: string
  title: string
  /** Which of the team's repositories it is about; null: all of them. */
  repositories: string[] | null
}

/**
 * The story to take next: in Ready, complete, and not being worked on. In the order of `stories_in_column`. `onlyOne`:
 * no one can work in several repositories now.
 */
export const selectNextReady = writes.one<Sql.SelectNextReady, ReadyStory>(
  'workspaceId, teamId, { onlyOne }',
)(`
  select s.id, s.key, s.title, s.repositories from stories s
  -- The index is over those that are no drafts, and wants to hear it.
  where s.workspace_id = :workspaceId and s.team_id = :teamId and not s.draft
    and s.column_id = (
      select id from columns where workspace_id = :workspaceId and team_id = :teamId and role = 'ready'
    )
    and (${shortcoming}) is null
    and (not :onlyOne or cardinality(s.repositories) = 1)
  order by s.class_of_service <> 'expedite', s.created_at, s.id
  limit 1
  for no key update of s skip locked`)

const lastRun = statement<Sql.LastRun>(`
  select id from runs where workspace_id = :workspaceId and team_id = :teamId order by id desc limit 1`)

export async function selectLastRun(tx: Tx, workspaceId: string, teamId: string): Promise<string | null> {
  return (await read(tx, lastRun, { workspaceId, teamId }))[0]?.id ?? null
}

const spending = statement<Sql.Spending, Spending>(`
  select ${spendingOf('t.id')}
  from teams t where t.workspace_id = :workspaceId and t.id = :teamId`)

export async function selectSpending(
  db: Db | Tx,
  workspaceId: string,
  teamId: string,
  now: Date,
): Promise<Spending> {
  const [found] = await read(db, spending, {
    workspaceId,
    teamId,
    day: startOfDay(now),
    month: startOfMonth(now),
  })
  return found!
}

interface TeamStanding {
  id: string
  paused: boolean
  policyVersion: number | null
  /** Whether what is asked about is one story, which is about one repository. */
  isAboutOne: boolean
}

export const selectStanding = reads.one<
  Sql.SelectStanding,
  TeamStanding,
  { team: string } | { story: string }
>('workspaceId, ...of')(`
  select t.id, t.paused_at is not null as paused, t.policy_version as "policyVersion",
    [[coalesce((select cardinality(repositories) = 1 from stories where workspace_id = :workspaceId and key = :story), false) or]]
    false as "isAboutOne"
  from teams t
  where t.workspace_id = :workspaceId and t.deleted_at is null
    [[and t.slug = :team]]
    [[and t.id = (select team_id from stories where workspace_id = :workspaceId and key = :story)]]`)

const noteReasonSql = statement<Sql.NoteReason>(`
  update runs set reason = :reason, waits_for = :by,
    stuck_since = case when :needsHelp then coalesce(stuck_since, :at) end
  where workspace_id = :workspaceId and id = any(:ids) and phase = 'queued' and reason is distinct from :reason`)

/** Says why queued runs do not move. They stay due: whatever frees them wakes the team, and the sweeper looks anyway. */
export async function noteReason(
  tx: Tx,
  workspaceId: string,
  ids: readonly string[],
  obstacle: Obstacle,
  at: Date,
): Promise<void> {
  if (ids.length === 0) return
  await write(pipelined(tx), noteReasonSql, {
    ...{ workspaceId, ids, at },
    by: obstacle.by,
    reason: obstacle.reason,
    needsHelp: needsHelp(obstacle),
  })
}

/** Runs whose repository could not be read are tried now: a runner has come that may read it, or it was changed. */
export const wakeUnreadable = writes.run<Sql.WakeUnreadable>('workspaceId, now')(`
  update runs set wake_at = :now
  where workspace_id = :workspaceId and phase = 'queued' and wake_at > :now and (memory -> 'unreadable')::int > 0`)

/** Says why a run that the engine moves does not move. */
export const updateReason = writes.run<Sql.UpdateReason>('workspaceId, id, reason, stuckSince')(`
  update runs set reason = :reason, waits_for = null, stuck_since = :stuckSince?
  where workspace_id = :workspaceId and id = :id
    and phase in ('queued', 'opening', 'merging', 'watching', 'reverting')`)

/** Runs whose work order is silent or has used up its time, and those whose call to the outside takes long. */
export const selectOverdueOfAllWorkspaces = reads.many<Sql.SelectOverdueOfAllWorkspaces>(
  'now, { longAgo, stageSeconds }, rows',
)(`
  -- In the order of the index. Without one, a plan for any time expects to find enough rows early in the table, and goes
  -- through all of it when there are none.
  (select id as "id!", workspace_id as "workspaceId!", false as "isSurvey!" from runs
  where phase <> 'queued' and wake_at <= :now
  order by wake_at
  limit #rows)
  union all
  select r.id, r.workspace_id, r.story_id is null from runs r
  left join work_orders o on o.run_id = r.id and o.state <> 'ended'
  where r.phase = 'working' and (
    o.run_id is null or o.lease_until <= :now
      or o.person_id is null and coalesce(o.taken_at, o.offered_at) <= :longAgo
      or o.person_id is null and o.state = 'taken' and ${stageSeconds} >= :stageSeconds
  )
  limit #rows`)

/** Teams that may have something to start. */
export const selectTeamsWithWorkOfAllWorkspaces = reads.many<Sql.SelectTeamsWithWorkOfAllWorkspaces>(
  'now, rows',
)(`
  select t.id, t.workspace_id as "workspaceId" from teams t
  where t.policy_version is not null and t.deleted_at is null and (
    exists (
      select from runs r
      where r.workspace_id = t.workspace_id and r.team_id = t.id and r.phase = 'queued' and r.wake_at <= :now
    )
    or t.paused_at is null and exists (
      select from stories s
      where s.workspace_id = t.workspace_id and s.team_id = t.id and not s.draft and s.readiness_score = 100
        -- Not a join: with one, every story of the installation is read.
        and s.column_id = (
          select c.id from columns c
          where c.workspace_id = t.workspace_id and c.team_id = t.id and c.role = 'ready'
        )
    )
  )
  limit #rows`)

const stuck = statement<Sql.Stuck>(`
  select count(*)::int as count from runs where stuck_since is not null`)

const markStuckSql = statement<Sql.MarkStuck>(`
  update runs r set stuck_since = coalesce(r.stuck_since, :now), reason = e.kind || ' fails: ' || e.last_error
  from effects e
  where e.run_id = r.id and e.due_at is not null and e.attempts >= 3 and e.last_error is not null
    and r.phase in ('working', 'opening', 'merging', 'watching', 'reverting')
    and r.reason is distinct from e.kind || ' fails: ' || e.last_error`)

/** Marks runs whose call to the outside fails again and again. Returns how many runs are stuck now. */
export async function markStuckOfAllWorkspaces(tx: Tx, now: Date): Promise<number> {
  await write(tx, markStuckSql, { now })
  return (await read(tx, stuck, {}))[0]!.count
}

const noteSweepSql = statement<Sql.NoteSweep>(`
  update sweeps set
    spares_until = case when swept_at < :sweptAt then :sparesUntil::timestamptz
      else spares_until end,
    swept_at = :now
  returning spares_until as "sparesUntil"`)

/**
 * Notes that a sweep runs. Returns until when runners' orders are spared: for a while after a gap of `awaySeconds`
 * without a sweep.
 */
export async function noteSweepOfAllWorkspaces(
  tx: Tx,
  now: Date,
  { awaySeconds, spareSeconds }: { awaySeconds: number; spareSeconds: number },
): Promise<Date> {
  return (
    await write(tx, noteSweepSql, {
      sweptAt: later(now, -awaySeconds),
      sparesUntil: later(now, spareSeconds),
      now,
    })
  )[0]!.sparesUntil
}

const later = (at: Date, seconds: number) => new Date(at.getTime() + seconds * 1000)
