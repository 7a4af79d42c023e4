import type { Rework, RunResults, Spend, Waiting } from '@signalbox/contract/app/insights.ts'
import { type RawBuilder, sql } from 'kysely'
import { type Db, readSlowly } from '../../infra/db/db.ts'
import type { Range } from './range.ts'

/** One statement for each chart, along an index and no further back than the range. */

const dayOf = (column: string) => sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD')`

const ofTeam = (workspaceId: string, team: string | null): RawBuilder<unknown> =>
  team === null
    ? sql``
    : sql`and team_id = (select id from teams where workspace_id = ${workspaceId} and slug = ${team})`

export async function selectSpend(
  db: Db,
  workspaceId: string,
  { from, team }: Range,
): Promise<Spend['days']> {
  return readSlowly(
    db,
    sql`
      select ${dayOf('u.at')} as day, t.slug as team, sum(u.euro_micros)::bigint as micros
      from teams t
      join usage_ledger u on u.workspace_id = t.workspace_id and u.team_id = t.id and u.at >= ${from}
      where t.workspace_id = ${workspaceId} ${team === null ? sql`` : sql`and t.slug = ${team}`}
      group by 1, 2
      order by 1, 2
    `,
  )
}

/** Teams without a policy may not work, so they have nothing to spend. */
export async function selectBudgets(
  db: Db,
  workspaceId: string,
  team: string | null,
  since: { day: Date; month: Date },
): Promise<Spend['teams']> {
  return readSlowly(
    db,
    sql`
      select
        t.slug, t.name, p.budget_day_cents as "dayCents", p.budget_month_cents as "monthCents",
        spent."dayMicros", spent."monthMicros"
      from teams t
      join policies p
        on p.workspace_id = t.workspace_id and p.team_id = t.id and p.version = t.policy_version
      cross join lateral (
        select
          coalesce(sum(u.euro_micros) filter (where u.at >= ${since.day}), 0)::bigint as "dayMicros",
          coalesce(sum(u.euro_micros), 0)::bigint as "monthMicros"
        from usage_ledger u
        where u.workspace_id = t.workspace_id and u.team_id = t.id and u.at >= ${since.month}
      ) as spent
      where t.workspace_id = ${workspaceId} and t.deleted_at is null
        ${team === null ? sql`` : sql`and t.slug = ${team}`}
      order by t.name collate "und-x-icu", t.slug
    `,
  )
}

export async function selectRunResults(
  db: Db,
  workspaceId: string,
  { fromId, team }: Range,
): Promise<RunResults['days']> {
  return readSlowly(
    db,
    sql`
      select
        ${dayOf('r.created_at')} as day,
        count(*) filter (where a.status = 'succeeded')::int as succeeded,
        count(*) filter (where a.status = 'failed')::int as failed,
        count(*) filter (where a.status = 'timed_out')::int as "timedOut",
        count(*) filter (where a.status = 'stopped')::int as stopped,
        count(*) filter (where a.status in ('queued', 'running', 'waiting'))::int as open
      from (
        select workspace_id, id, attempts, created_at
        from runs
        where workspace_id = ${workspaceId} and id >= ${fromId} and story_id is not null ${ofTeam(workspaceId, team)}
      ) as r
      join attempts a on a.workspace_id = r.workspace_id and a.run_id = r.id and a.attempt = r.attempts
      group by 1
      order by 1
    `,
  )
}

export async function selectRework(
  db: Db,
  workspaceId: string,
  { fromId, team }: Range,
): Promise<Rework['days']> {
  return readSlowly(
    db,
    sql`
      select
        ${dayOf('created_at')} as day,
        count(*)::int as runs,
        count(*) filter (where attempts > 1)::int as again
      from runs
      where workspace_id = ${workspaceId} and id >= ${fromId} and story_id is not null ${ofTeam(workspaceId, team)}
      group by 1
      order by 1
    `,
  )
}

type Channel = Waiting['channels'][number]['channel']

/** `day` and `channel` are null where the row is the sum over all of them. */
export interface WaitingRow {
  day: string | null
  channel: Channel | null
  /** Whether the row sums over channels; the channel of a decision that waits is null as well. */
  allChannels: boolean
  answered: number
  waiting: number
  medianSeconds: number | null
  totalSeconds: number
}

export async function selectWaiting(
  db: Db,
  workspaceId: string,
  { fromId, team }: Range,
): Promise<WaitingRow[]> {
  return readSlowly(
    db,
    sql`
      select
        day, channel, grouping(channel) = 1 as "allChannels",
        count(seconds)::int as answered,
        (count(*) - count(seconds))::int as waiting,
        round(percentile_cont(0.5) within group (order by seconds))::int as "medianSeconds",
        coalesce(round(sum(seconds)), 0)::bigint as "totalSeconds"
      from (
        select
          ${dayOf('created_at')} as day, resolved_via as channel,
          extract(epoch from resolved_at - created_at)::float8 as seconds
        from decisions
        where workspace_id = ${workspaceId} and id >= ${fromId} and status in ('resolved', 'pending')
          ${ofTeam(workspaceId, team)}
      ) as decision
      group by grouping sets ((day, channel), (channel), ())
      order by day, channel
    `,
  )
}
