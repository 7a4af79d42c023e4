import { reads } from '../../../infra/db/queries.ts'
import type * as Sql from './store.types.ts'

/** One statement for each chart, along an index and no further back than the range. */

const dayOf = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD')`

const ofTeam = '[[and team_id = (select id from teams where workspace_id = :workspaceId and slug = :team)]]'

export const selectSpend = reads.many<Sql.SelectSpend>('workspaceId, { from, team }')(`
  select ${dayOf('u.at')} as "day!", t.slug as team, sum(u.euro_micros)::bigint as "micros!"
  from teams t
  join usage_ledger u on u.workspace_id = t.workspace_id and u.team_id = t.id and u.at >= :from
  where t.workspace_id = :workspaceId [[and t.slug = :team]]
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

export const selectRework = reads.many<Sql.SelectRework>('workspaceId, { fromId, team }')(`
  select
    ${dayOf('created_at')} as "day!",
    count(*)::int as runs,
    count(*) filter (where attempts > 1)::int as again
  from runs
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
