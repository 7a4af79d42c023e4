import { reads } from '../../../infra/db/queries.ts'
import type { RunFacts } from './compare-policies.ts'
import type * as Sql from './rehearsal-store.types.ts'

interface RehearsedRow extends RunFacts {
  key: string
  title: string
  at: Date
}

/**
 * The newest runs of a team since an id, with what a policy would look at. Along the team's indices, and no further back
 * than the month.
 */
export const selectRehearsed = reads.many<Sql.SelectRehearsed, RehearsedRow>(
  'workspaceId, teamId, { fromId, month, rows }',
)(`
  with spent as (
    select run_id, max(day_micros)::bigint as day_micros, max(month_micros)::bigint as month_micros
    from (
      select run_id,
        sum(euro_micros) over (
          partition by date_trunc('day', at, 'UTC') order by at, run_id, fence, report
        ) as day_micros,
        sum(euro_micros) over (
          partition by date_trunc('month', at, 'UTC') order by at, run_id, fence, report
        ) as month_micros
      from usage_ledger
      where workspace_id = :workspaceId and team_id = :teamId and at >= :month
    ) as bill
    group by run_id
  )
  select r.key, s.title, r.created_at as at,
    json_build_object('size', s.size, 'complexity', s.complexity) as story,
    attempt.begun as "begun!",
    attempt.implementing or plan.facts is not null or r.memory ->> 'plan' is not null as "planned!",
    attempt.implementing as "implementing!", attempt.implemented as "implemented!",
    attempt."handedOff" as "handedOff!", attempt.isolations, attempt."costMicros" as "costMicros!",
    plan.facts as plan,
    coalesce(nullif(r.memory -> 'change', 'null'), r.evidence -> 'changes') as change,
    -- Of runs from before it was remembered, what their evidence shows.
    coalesce((r.memory ->> 'gatesPassed')::int, case when r.evidence is not null then (
      select count(*)::int from jsonb_array_elements(r.evidence -> 'gates') g where g ->> 'result' = 'passed'
    ) end) as "gatesPassed",
    coalesce(r.memory -> 'kinds', '[]') as kinds,
    coalesce((r.memory ->> 'isUnsigned')::boolean, false) as "isUnsigned",
    nullif(r.memory -> 'secondReview', 'null') as "secondReview",
    nullif(r.memory -> 'spec', 'null') is not null as "hasSpec",
    coalesce(r.memory ->> 'waitsFor' = 'budget_stop', false) or attempt."overBudget" as "endedAtBudget",
    coalesce(spent.day_micros, 0) as "dayMicros",
    coalesce(spent.month_micros, 0) as "monthMicros",
    (
      -- What an order asked for its runner had at the time, whatever it has now.
      select coalesce(jsonb_agg(distinct w.labels || o.labels), '[]')
      from work_orders o
      join runners w on w.workspace_id = o.workspace_id and w.id = o.runner_id
      where o.workspace_id = r.workspace_id and o.run_id = r.id
    ) as "runnerLabels",
    array(
      select distinct kind from decisions d where d.workspace_id = r.workspace_id and d.run_id = r.id
    ) as asked
  from (
    select * from runs
    where workspace_id = :workspaceId and team_id = :teamId and id >= :fromId
    order by id desc
    limit :rows
  ) as r
  join stories s on s.workspace_id = r.workspace_id and s.id = r.story_id
  cross join lateral (
    select
      bool_or(started_at is not null) as begun,
      bool_or(stage <> 'planning') as implementing,
      bool_or(stage in ('verifying', 'handing_off')) as implemented,
      bool_or(stage = 'handing_off') as "handedOff",
      coalesce(jsonb_agg(isolation) filter (where isolation is not null), '[]') as isolations,
      sum(cost_micros)::bigint as "costMicros",
      coalesce(bool_or(failure_class = 'budget') filter (where attempt = r.attempts), false) as "overBudget"
    from attempts a
    where a.workspace_id = r.workspace_id and a.run_id = r.id
  ) as attempt
  left join lateral (
    select json_build_object('risk', e.data -> 'risk', 'paths', e.data -> 'paths') as facts
    from run_events e
    where e.workspace_id = r.workspace_id and e.run_id = r.id and e.type = 'plan_ready'
    order by e.seq desc
    limit 1
  ) as plan on true
  left join spent on spent.run_id = r.id
  order by r.id desc`)
