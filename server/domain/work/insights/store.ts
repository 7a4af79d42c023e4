import { reads, readsApart } from '../../../infra/db/queries.ts'
import type * as Sql from './store.types.ts'

/** One statement for each chart, along an index and no further back than the range. */

const dayOf = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD')`

const ofTeam = '[[and team_id = (select id from teams where workspace_id = :workspaceId and slug = :team)]]'

export const selectSpend = reads.many<Sql.SelectSpend>('workspaceId, { from, team }')(`
  select ${dayOf('u.at')} as "day!", t.slug as team, sum(u.euro_micros)::bigint as "micros!"
  from teams t
  join usage_ledger u on u.workspace_id = t.workspace_id and u.team_id = t.id and u.at >= :from
  where t.workspace_id = :workspaceId and not t.hidden [[and t.slug = :team]]
  group by 1, 2
  order by 1, 2`)

/** Teams without a policy may not work, so they have nothing to spend. */
export const selectBudgets = reads.many<Sql.SelectBudgets>('workspaceId, team, ...since')(`
  select
    t.slug, t.name, p.budget_day_cents as "dayCents", p.budget_month_cents as "monthCents",
    spent."dayMicros", spent."monthMicros"
  from teams t
  join policies p
    on p.workspace_id = t.workspace_id and p.team_id = t.id and p.version = t.policy_version
  cross join lateral (
    select
      coalesce(sum(u.euro_micros) filter (where u.at >= :day), 0)::bigint as "dayMicros",
      coalesce(sum(u.euro_micros), 0)::bigint as "monthMicros"
    from usage_ledger u
    where u.workspace_id = t.workspace_id and u.team_id = t.id and u.at >= :month
  ) as spent
  where t.workspace_id = :workspaceId and t.deleted_at is null [[and t.slug = :team]]
  order by t.name collate "und-x-icu", t.slug`)

export const selectRunResults = reads.many<Sql.SelectRunResults>('workspaceId, { fromId, team }')(`
  select
    ${dayOf('r.created_at')} as "day!",
    count(*) filter (where a.status = 'succeeded')::int as succeeded,
    count(*) filter (where a.status = 'failed')::int as failed,
    count(*) filter (where a.status = 'timed_out')::int as "timedOut",
    count(*) filter (where a.status = 'stopped')::int as stopped,
    count(*) filter (where a.status in ('queued', 'running', 'waiting'))::int as open
  from (
    select workspace_id, id, attempts, created_at
    from runs
    where workspace_id = :workspaceId and id >= :fromId and not hidden and story_id is not null ${ofTeam}
  ) as r
  join attempts a on a.workspace_id = r.workspace_id and a.run_id = r.id and a.attempt = r.attempts
  group by 1
  order by 1`)

/** An attempt that ended with a temporary error was no work done twice, nor is the turn of another agent in a race. */
export const selectRework = reads.many<Sql.SelectRework>('workspaceId, { fromId, team }')(`
  select
    ${dayOf('created_at')} as "day!",
    count(*)::int as runs,
    count(*) filter (where attempts > 1 and exists (
      select from attempts a
      where a.workspace_id = r.workspace_id and a.run_id = r.id and a.attempt < r.attempts
        and a.failure_class is distinct from 'transient'
    ) and (
      select count(distinct a.executor) from attempts a where a.workspace_id = r.workspace_id and a.run_id = r.id
    ) = 1)::int as again
  from runs r
  where workspace_id = :workspaceId and id >= :fromId and not hidden and story_id is not null ${ofTeam}
  group by 1
  order by 1`)

/**
 * `day` and `channel` are null where the row is the sum over all of them. `allChannels` tells such a sum from decisions
 * that wait, which have no channel either.
 */
export const selectWaiting = reads.many<Sql.SelectWaiting>('workspaceId, { fromId, team }')(`
  select
    day, channel, grouping(channel) = 1 as "allChannels!",
    count(seconds)::int as answered,
    (count(*) - count(seconds))::int as waiting,
    round(percentile_cont(0.5) within group (order by seconds))::int as "medianSeconds",
    coalesce(round(sum(seconds)), 0)::bigint as "totalSeconds"
  from (
    select
      ${dayOf('created_at')} as day, resolved_via as channel,
      extract(epoch from resolved_at - created_at)::float8 as seconds
    from decisions
    where workspace_id = :workspaceId and id >= :fromId and not hidden and status in ('resolved', 'pending')
      ${ofTeam}
  ) as decision
  group by grouping sets ((day, channel), (channel), ())
  order by day, channel`)

/** How many of what lies behind a figure are named beside it. */
const mostNamed = 3

/**
 * One row for each group and, with a null group, one for all. What a run did is told by its events: it is merged once
 * nothing of it is left to be merged, also where people merge over there. An incident belongs to the run whose merge its
 * investigation suspects. Each table is read once, from the range's first id on: run by run, twenty thousand would take
 * longer than a person waits.
 */
export const selectScores = readsApart.many<
  Sql.SelectScores,
  { costs: number[] | null; waits: number[] | null }
>('workspaceId, { fromId, team }, { by, kind, size }, weekAgo')(`
  with suspected as materialized (
    select i.id, i.key, i.opened_at, i.finding -> 'suspect' ->> 'run' as run, exists (
        select from incident_events e
        where e.workspace_id = i.workspace_id and e.incident_id = i.id and e.type = 'revert_opened'
      ) as is_reverted
    from incidents i
    where i.workspace_id = :workspaceId and i.id >= :fromId and not i.hidden
      and i.finding -> 'suspect' ->> 'run' is not null
  ), r as materialized (
    select workspace_id, id, key, team_id, story_id, attempts, phase from runs
    where workspace_id = :workspaceId and id >= :fromId and not hidden and story_id is not null ${ofTeam}
  ), told as (
    select run_id, min(at) filter (where type in ('merged', 'merged_elsewhere')) as merged_at,
      bool_or(type = 'closed_elsewhere') as is_closed, bool_or(type = 'revert_opened') as is_reverted
    from run_events
    where workspace_id = :workspaceId and run_id >= :fromId
      and type in ('merged', 'merged_elsewhere', 'closed_elsewhere', 'revert_opened')
      -- Of several repositories, others are still to be merged into.
      and (type, coalesce(phase, '')) not in (('merged', 'merging'), ('merged_elsewhere', 'waiting'))
    group by run_id
  ), tried as (
    select r.id as run_id, sum(a.cost_micros)::bigint as micros,
      max(a.executor) filter (where a.attempt = r.attempts) as executor,
      bool_or(a.attempt < r.attempts and a.failure_class is distinct from 'transient') as is_reworked
    from r
    join attempts a on a.workspace_id = :workspaceId and a.run_id >= :fromId and a.run_id = r.id
    group by r.id
    -- What two agents cost and needed, as in a race, says nothing of one of them.
    having count(distinct a.executor) = 1
  ), asked as (
    select run_id, count(*) as answers, sum(extract(epoch from resolved_at - created_at)) as seconds
    from decisions
    where workspace_id = :workspaceId and run_id >= :fromId and status = 'resolved'
    group by run_id
  ), used as (
    -- The model that most was spent on, where that is asked for.
    select distinct on (run_id) run_id, model
    from usage_ledger
    where :by::text = 'model' and workspace_id = :workspaceId and run_id >= :fromId and model is not null
    group by run_id, model
    order by run_id, sum(euro_micros) desc, sum(output_tokens) desc nulls last, model
  ), after as (
    select told.run_id, bool_or(i.is_reverted) as is_reverted, min(i.key) filter (
        where i.opened_at >= told.merged_at and i.opened_at < told.merged_at + interval '7 days'
      ) as incident
    from suspected i join r on r.key = i.run join told on told.run_id = r.id
    group by told.run_id
  ), run as (
    select
      r.id, r.key, t.name as team_name, told.merged_at, tried.micros, tried.is_reworked, after.incident,
      coalesce(told.is_reverted or after.is_reverted, told.is_reverted, false) as is_reverted,
      told.merged_at is not null or coalesce(told.is_closed, false) or r.phase in ('failed', 'timed_out', 'stopped')
        as is_finished,
      told.merged_at < :weekAgo as is_week_old,
      coalesce(asked.answers, 0) as answers, coalesce(asked.seconds, 0) as seconds,
      case :by::text
        when 'agent' then case when l.run_id is null then tried.executor else 'local' end
        when 'model' then coalesce(used.model, '')
        when 'team' then t.slug
        when 'kind' then s.class_of_service
        else coalesce(s.size, '')
      end as grp
    from r
    join teams t on t.workspace_id = r.workspace_id and t.id = r.team_id
    join stories s on s.workspace_id = r.workspace_id and s.id = r.story_id
      [[and s.class_of_service = :kind]] [[and s.size = :size]]
    join tried on tried.run_id = r.id
    left join told on told.run_id = r.id
    left join asked on asked.run_id = r.id
    left join used on used.run_id = r.id
    left join after on after.run_id = r.id
    left join local_work l on l.workspace_id = r.workspace_id and l.run_id = r.id and l.attempt = r.attempts
  )
  select
    grp as "group", max(team_name) as "teamName!",
    count(*) filter (where is_finished)::int as "finished!",
    count(*) filter (where not is_finished)::int as "open!",
    count(merged_at)::int as "merged!",
    count(merged_at) filter (where not is_reworked)::int as "withoutRework!",
    count(merged_at) filter (where is_reverted)::int as "reverted!",
    count(*) filter (where is_week_old)::int as "weekOld!",
    count(*) filter (where is_week_old and incident is not null)::int as "withIncident!",
    coalesce(sum(answers) filter (where merged_at is not null), 0)::int as "answers!",
    coalesce(sum(micros) filter (where is_finished), 0)::bigint as "spentMicros!",
    json_agg(micros order by micros) filter (where merged_at is not null) as costs,
    json_agg(round(seconds)::int order by seconds) filter (where merged_at is not null) as waits,
    coalesce((array_agg(key order by id desc) filter (where merged_at is not null and is_reverted))[:${mostNamed}], '{}')
      as "revertedRuns!",
    coalesce((array_agg(incident order by id desc) filter (where is_week_old and incident is not null))[:${mostNamed}], '{}')
      as "incidentKeys!"
  from run
  group by grouping sets ((grp), ())
  order by grp`)
