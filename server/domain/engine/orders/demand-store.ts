import type { RunListed } from '@signalbox/contract/run.ts'
import { ephemeralFeature } from '@signalbox/contract/runner/messages.ts'
import { reads } from '../../../infra/db/queries.ts'
import { shortcoming } from '../../work/stories/shortcoming.ts'
import type * as Sql from './demand-store.types.ts'
import type { Spending } from './obstacles.ts'
import { spendingOf } from './spending-of.ts'

/** Orders that lie there, and those that ephemeral runners have. Each state has an index of its own. */
export const selectOpenOrders = reads.many<Sql.SelectOpenOrders, { state: 'offered' | 'taken' }>(
  'workspaceId, now',
)(`
  select 'offered' as "state!", labels as "labels!", executor as "executor!", count(*)::int as "orders!"
  from work_orders
  where workspace_id = :workspaceId and state = 'offered' and offered_until > :now
  group by labels, executor
  union all
  select 'taken', o.labels, o.executor, count(*)::int
  from work_orders o
  join runners w on w.workspace_id = o.workspace_id and w.id = o.runner_id
    and '${ephemeralFeature}' = any(w.features)
  where o.workspace_id = :workspaceId and o.state = 'taken'
  group by o.labels, o.executor`)

/** How many runs and stories are counted of a team; more begin later anyway. */
const mostOfTeam = 1_000

/** Of the races among a team's runs: the agents whose turn it is. Of all others it is the policy's. */
interface Racing {
  racers: Record<'checks' | 'begun' | 'fresh', RunListed['executor'][]>
}

const racersWhere = (condition: string) =>
  `coalesce(json_agg(racer) filter (where racer is not null and ${condition}), '[]')`

/**
 * The teams that have something for a runner to begin, with how much, and what may be in its way: looks at main, runs
 * that have begun and the least that one of them may still spend, and what has not begun.
 */
export const selectTeamsWithDemand = reads.many<Sql.SelectTeamsWithDemand, Spending & Racing>(
  'workspaceId, { now, day, month }',
)(`
  select t.id, t.paused_at is not null as "paused!", t.policy_version as "policyVersion!",
    line.checks as "checks!", line.begun as "begun!", line."leastLeftMicros" as "leastLeftMicros!",
    line.fresh + ready.stories as "fresh!", line.racers as "racers!", ${spendingOf('t.id')}
  from teams t
  cross join lateral (
    select count(*) filter (where "checksMain")::int as checks,
      count(*) filter (where not "checksMain" and not fresh)::int as begun,
      coalesce(min(left_micros) filter (where not "checksMain" and not fresh), 0)::bigint as "leastLeftMicros",
      count(*) filter (where not "checksMain" and fresh)::int as fresh,
      json_build_object(
        'checks', ${racersWhere('"checksMain"')},
        'begun', ${racersWhere('not "checksMain" and not fresh')},
        'fresh', ${racersWhere('not "checksMain" and fresh')}
      ) as racers
    from (
      select coalesce((r.memory ->> 'checksMain')::boolean, false) as "checksMain",
        coalesce((r.memory ->> 'fresh')::boolean, false) as fresh,
        r.memory #>> array['race', 'agents', r.memory #>> '{race,at}'] as racer,
        greatest(0, r.budget_cents * 10000::bigint - (
          select coalesce(sum(a.cost_micros), 0) from attempts a
          where a.workspace_id = r.workspace_id and a.run_id = r.id
        )) as left_micros
      from runs r
      where r.workspace_id = t.workspace_id and r.team_id = t.id and r.phase = 'queued' and r.wake_at <= :now
      limit ${mostOfTeam}
    ) as bounded
  ) line
  cross join lateral (
    select count(*)::int as stories from (
      select from stories s
      where s.workspace_id = t.workspace_id and s.team_id = t.id and not s.draft
        and s.column_id = (
          select c.id from columns c
          where c.workspace_id = t.workspace_id and c.team_id = t.id and c.role = 'ready'
        )
        and (${shortcoming}) is null
      limit ${mostOfTeam}
    ) as bounded
  ) ready
  where t.workspace_id = :workspaceId and t.deleted_at is null and t.policy_version is not null
    and exists (select from team_repositories r where r.workspace_id = t.workspace_id and r.team_id = t.id)
    and line.checks + line.begun + line.fresh + ready.stories > 0`)
