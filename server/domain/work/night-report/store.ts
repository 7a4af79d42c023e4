import type { NotificationWays, ReportSettings } from '@signalbox/contract/notifications.ts'
import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import type * as Sql from './store.types.ts'

/** The hours at which someone wants it, by which clocks; those who chose nothing are not among them. */
export const selectHoursOfAllPeople = reads.many<Sql.SelectHoursOfAllPeople>()(`
  select distinct hour::int as "hour!", time_zone as "timeZone" from report_settings order by 1, 2`)

interface Due extends Pick<ReportSettings, 'hour' | 'timeZone'>, NotificationWays {
  /** Whether those who chose nothing are among them. */
  isDefault: boolean
  morning: string
  joinedBefore: Date
  rows: number
}

/** Whose turn has come on that morning. A person who joined during the night has their first on the next one. */
export const selectDueOfAllWorkspaces = reads.many<Sql.SelectDueOfAllWorkspaces, Nothing, Due>('...due')(`
  select m.workspace_id as "workspaceId", m.person_id as "personId", p.name, m.role, w.slug as workspace,
    coalesce(s.by_chat, false) as "byChat!"
  from memberships m
  join workspaces w on w.id = m.workspace_id and w.deleted_at is null
  join people p on p.id = m.person_id
  left join report_settings s on s.person_id = m.person_id
  left join notification_settings n on n.person_id = m.person_id and n.kind = 'report'
  where (s.hour = :hour and s.time_zone = :timeZone or s.person_id is null and :isDefault::boolean)
    and (coalesce(n.in_app, :inApp) or coalesce(n.by_mail, :byMail) or coalesce(n.by_push, :byPush) or s.by_chat)
    and m.joined_at < :joinedBefore
    and not exists (
      select from night_reports r
      where r.workspace_id = m.workspace_id and r.person_id = m.person_id and r.morning = :morning::date
    )
  order by m.workspace_id, m.person_id
  limit #rows`)

/** False: it was this person's turn already. Mornings that no one looks at any more go with it. */
export const insertReport = writes.wroteOne<Sql.InsertReport>('workspaceId, personId, ...report')(`
  with forgotten as (
    delete from night_reports
    where workspace_id = :workspaceId and person_id = :personId and morning < :morning::date - 90
  )
  insert into night_reports (workspace_id, person_id, morning, from_at, until_at, is_empty)
  values (:workspaceId, :personId, :morning::date, :from, :until, :isEmpty)
  on conflict do nothing`)

export const selectReport = reads.one<Sql.SelectReport>('workspaceId, personId, morning')(`
  select from_at as "from", until_at as "until" from night_reports
  where workspace_id = :workspaceId and person_id = :personId and morning = :morning::date`)

/** Where the last one before that morning ended. */
export const selectLastEnd = reads.value<Sql.SelectLastEnd>('workspaceId, personId, morning')(`
  select until_at as "until" from night_reports
  where workspace_id = :workspaceId and person_id = :personId and morning < :morning::date
  order by morning desc
  limit 1`)

export const selectMornings = reads.column<Sql.SelectMornings>('workspaceId, personId')(`
  select to_char(morning, 'YYYY-MM-DD') as "morning!" from night_reports
  where workspace_id = :workspaceId and person_id = :personId and not is_empty
  order by night_reports.morning desc
  limit 90`)

/** What each team spent, and of its budget for today how much is used. */
export const selectSpending = reads.many<Sql.SelectSpending>('workspaceId, { from, until, day }')(`
  select t.slug, t.name, sum(u.euro_micros) filter (where u.at >= :from and u.at < :until)::bigint as "micros!",
    coalesce(sum(u.euro_micros) filter (where u.at >= :day), 0)::bigint as "dayMicros!",
    p.budget_day_cents as "dayCents"
  from teams t
  join usage_ledger u on u.workspace_id = t.workspace_id and u.team_id = t.id
    and u.at >= least(:from::timestamptz, :day::timestamptz)
  left join policies p
    on p.workspace_id = t.workspace_id and p.team_id = t.id and p.version = t.policy_version
  where t.workspace_id = :workspaceId and not t.hidden
  group by t.slug, t.name, p.budget_day_cents
  having sum(u.euro_micros) filter (where u.at >= :from and u.at < :until) > 0
  order by 3 desc, t.slug`)

/**
 * What continues once a decision is answered: its run, merges that wait until the main branch is green, and stories that
 * its story blocks.
 */
export const selectUnblocked = reads.many<Sql.SelectUnblocked>('workspaceId, keys')(`
  select d.key, (d.run_id is not null) as "hasRun!",
    case when d.kind in ('main_red_incident', 'revert_approval') then (
      select count(*)::int from runs r
      where r.workspace_id = d.workspace_id and r.team_id = d.team_id and r.phase = 'merging'
        and r.id is distinct from d.run_id
    ) else 0 end as "merges!",
    (
      select count(*)::int from stories s
      join stories b on b.workspace_id = s.workspace_id and b.team_id = s.team_id
        and b.blocked_by @> array[s.tracker_key] and b.rejected_at is null
      where s.workspace_id = d.workspace_id and s.id = d.story_id and s.tracker_key is not null
    ) as "stories!"
  from decisions d
  where d.workspace_id = :workspaceId and d.key = any(:keys::text[])`)

/** Who a person is in a chat tool that the workspace is connected to: as they linked it last. */
export const selectChatUser = reads.one<Sql.SelectChatUser>('workspaceId, personId')(`
  select l.connection_id as "connection", l.chat_user as "user"
  from chat_links l
  join connections c on c.workspace_id = l.workspace_id and c.id = l.connection_id and c.deleted_at is null
  where l.workspace_id = :workspaceId and l.person_id = :personId
  order by l.linked_at desc
  limit 1`)

/** Whom it is sent to; undefined: they have left. */
export const selectRecipient = reads.one<Sql.SelectRecipient>('workspaceId, personId')(`
  select p.name, p.email, m.role, w.slug as workspace
  from memberships m
  join people p on p.id = m.person_id
  join workspaces w on w.id = m.workspace_id and w.deleted_at is null
  where m.workspace_id = :workspaceId and m.person_id = :personId`)
