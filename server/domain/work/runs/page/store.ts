import type { RunDecision, RunPage } from '@signalbox/contract/app/runs.ts'
import { type Db, read } from '../../../../infra/db/db.ts'
import { reads } from '../../../../infra/db/queries.ts'
import { statement } from '../../../../infra/db/statement.ts'
import { startOfDay, startOfMonth } from '../../../days.ts'
import { lastProgress } from '../last-progress.ts'
import type { StoredRace } from '../race.ts'
import type { StepEvent } from './steps.ts'
import type * as Sql from './store.types.ts'
import type { Mark, PastAttempt } from './timeline.ts'

export interface StoredRunPage
  extends Pick<
    RunPage,
    | 'phase'
    | 'reason'
    | 'stuckSince'
    | 'criteria'
    | 'changes'
    | 'demonstrate'
    | 'local'
    | 'otherRun'
    | 'logLines'
    | 'progressAt'
    | 'hasSignedEvidence'
  > {
  createdAt: Date
  teamId: string
  team: { slug: string; name: string; paused: boolean }
  /** With times as numbers of milliseconds. */
  attempts: PastAttempt[]
  marks: Mark[]
  race: StoredRace | null
  decisions: RunDecision[]
  costs: RunPage['costs']
  models: RunPage['models']
  dayMicros: number
  monthMicros: number
}

const facts = statement<Sql.Facts, StoredRunPage>(`
  select r.created_at as "createdAt", r.team_id as "teamId", r.phase, r.reason, iso(r.stuck_since) as "stuckSince",
    json_build_object('slug', t.slug, 'name', t.name, 'paused', t.paused_at is not null) as team,
    (
      select coalesce(json_agg(json_build_object('id', c ->> 'id', 'text', c ->> 'text')), '[]')
      from jsonb_array_elements(s.acceptance_criteria) as c
    ) as criteria,
    -- What was verified or, before that, what the worker says it changed.
    coalesce(r.evidence -> 'changes', nullif(r.memory -> 'change', 'null')) as changes,
    exists (select from attempt_evidence e where e.workspace_id = r.workspace_id and e.run_id = r.id)
      as "hasSignedEvidence",
    nullif(r.memory -> 'race', 'null') as race,
    s.demonstrate,
    (select row_to_json(local) from (
      select p.name as person, l.person_id as "personId", l.agent, iso(l.begun_at) as since,
        o.run_id is not null as active, iso(o.lease_until) as "leaseUntil", l.progress, l.evidence,
        l.handed_off as "handedOff"
      from local_work l
      join people p on p.id = l.person_id
      left join work_orders o on o.workspace_id = l.workspace_id and o.run_id = l.run_id
        and o.person_id is not null and o.state = 'taken'
      where l.workspace_id = r.workspace_id and l.run_id = r.id
      order by l.attempt desc
      limit 1
    ) as local) as local,
    (
      select o.key from runs o
      where o.workspace_id = r.workspace_id and o.story_id = r.story_id and o.id <> r.id
        and o.phase not in ('succeeded', 'failed', 'timed_out', 'stopped')
    ) as "otherRun",
    coalesce((select lines from run_log_ends where run_id = r.id), 0) as "logLines",
    (
      select iso(${lastProgress}) from work_orders o
      where o.workspace_id = r.workspace_id and o.run_id = r.id and o.state = 'taken' and o.runner_id is not null
    ) as "progressAt",
    (
      select json_agg(json_build_object('attempt', attempt, 'stage', stage,
        'startedAt', extract(epoch from started_at) * 1000,
        'completedAt', extract(epoch from completed_at) * 1000) order by attempt)
      from attempts where workspace_id = r.workspace_id and run_id = r.id
    ) as "attempts!",
    (
      select coalesce(json_agg(json_build_object('at', extract(epoch from at) * 1000, 'phase', phase, 'stage', stage,
        'attempt', attempt) order by seq), '[]')
      from run_events where run_id = r.id and phase is not null
    ) as marks,
    (
      select coalesce(json_agg(row_to_json(decision)), '[]') from (
        select d.key, d.kind, d.status, d.title, d.authority,
          (select o ->> 'label' from jsonb_array_elements(d.options) as o where o ->> 'id' = d.resolution_option) as answer,
          d.resolution_note as note, iso(d.created_at) as "createdAt", iso(d.resolved_at) as "resolvedAt",
          iso(d.expires_at) as "expiresAt"
        from decisions d
        where d.workspace_id = r.workspace_id and d.run_id = r.id
        order by d.id desc
      ) as decision
    ) as decisions,
    (
      select coalesce(json_agg(row_to_json(cost)), '[]') from (
        select u.attempt, e.stage, (sum(u.euro_micros) / 10000.0)::float8 as cents
        from usage_ledger u
        left join run_events e on e.run_id = u.run_id and e.fence = u.fence and e.report = u.report
        where u.run_id = r.id
        group by u.attempt, e.stage
        order by u.attempt, min(u.at)
      ) as cost
    ) as costs,
    (
      select coalesce(json_agg(row_to_json(bill)), '[]') from (
        select u.source, u.provider, u.model, u.price_table as "priceTable", count(*)::int as bills,
          sum(u.input_tokens)::bigint as input, sum(u.cache_read_tokens)::bigint as "cacheRead",
          sum(u.cache_write_tokens)::bigint as "cacheWrite", sum(u.output_tokens)::bigint as output,
          (sum(u.euro_micros) / 10000.0)::float8 as cents
        from usage_ledger u
        where u.run_id = r.id
        group by u.source, u.provider, u.model, u.price_table
        order by sum(u.euro_micros) desc, u.model
      ) as bill
    ) as models,
    (select coalesce(sum(euro_micros), 0)::bigint from day_spend
      where workspace_id = r.workspace_id and team_id = r.team_id and day >= :day) as "dayMicros",
    (select coalesce(sum(euro_micros), 0)::bigint from day_spend
      where workspace_id = r.workspace_id and team_id = r.team_id and day >= :month) as "monthMicros"
  from runs r
  join teams t on t.workspace_id = r.workspace_id and t.id = r.team_id
  join stories s on s.workspace_id = r.workspace_id and s.id = r.story_id
  where r.workspace_id = :workspaceId and r.key = :key`)

export async function selectRunPage(
  db: Db,
  workspaceId: string,
  key: string,
  now: Date,
): Promise<StoredRunPage | undefined> {
  return (await read(db, facts, { workspaceId, key, day: startOfDay(now), month: startOfMonth(now) }))[0]
}

/** What happened to a run, in order, with what was billed with each. */
export const selectSteps = reads.many<Sql.SelectSteps, StepEvent>('workspaceId, runId')(`
  select extract(epoch from e.at)::float8 * 1000 as "at!", e.type, e.phase, e.stage as "stage!",
    e.attempt as "attempt!",
    coalesce((
      select sum(u.euro_micros) from usage_ledger u
      where u.run_id = e.run_id and u.fence = e.fence and u.report = e.report
    ), 0)::float8 / 10000 as "cents!"
  from run_events e
  where e.workspace_id = :workspaceId and e.run_id = :runId
  order by e.seq`)
