import type { PolicySettings } from '@signalbox/contract/app/policies.ts'
import { readsApart, readsSlowly, writes } from '../../../infra/db/queries.ts'
import type * as Sql from './store.types.ts'

/** A team whose policy asks about merges, and what people answered. */
export interface AskedTeam extends Pick<PolicySettings, 'mergePolicy' | 'autoMergeMaxLines'> {
  team: string
  teamName: string
  version: number
  declined: { at: string; merges: number } | null
  merges: {
    decision: string
    title: string
    facts: unknown
    answeredAt: string
    isApproved: boolean
    isAgainst: boolean
  }[]
}

/** Of a team's decisions, how many are looked through, and how many merges among them are judged. */
const [mostLookedThrough, mostJudged] = [1_000, 100]

/**
 * What people answered when they were asked about a merge, since an id; of one team, or of all. A token may be a
 * program's, so its approval is no approval here; what it refused is refused all the same.
 */
export const selectAskedMerges = readsApart.many<Sql.SelectAskedMerges, AskedTeam>(
  'workspaceId, { fromId, team }',
)(`
  with suspects as materialized (
    select finding -> 'suspect' ->> 'run' as run from incidents
    where workspace_id = :workspaceId and id >= :fromId and finding -> 'suspect' ->> 'run' is not null
  )
  select t.slug as team, t.name as "teamName", p.version, p.merge_policy as "mergePolicy",
    p.auto_merge_max_lines as "autoMergeMaxLines",
    case when x.at is not null then json_build_object('at', iso(x.at), 'merges', x.merges) end as declined,
    asked.merges as "merges!"
  from teams t
  join policies p on p.workspace_id = t.workspace_id and p.team_id = t.id and p.version = t.policy_version
  left join declined_suggestions x on x.workspace_id = t.workspace_id and x.team_id = t.id
  cross join lateral (
    select coalesce(json_agg(json_build_object(
      'decision', d.key, 'title', d.title, 'facts', d.facts, 'answeredAt', iso(d.resolved_at),
      'isApproved', chosen.is_merge and d.resolved_by is not null and d.resolved_via in ('app', 'slack')
        and d.resolved_presence is distinct from 'token' and r.phase = 'succeeded' and not exists (
          select from decisions other
          where other.workspace_id = d.workspace_id and other.run_id = d.run_id
            and other.kind = 'merge_approval' and other.id <> d.id
        ),
      'isAgainst', not chosen.is_merge or r.key in (select run from suspects) or exists (
          select from decisions v
          where v.workspace_id = d.workspace_id and v.run_id = d.run_id and v.kind = 'revert_approval'
        )
    ) order by d.id desc), '[]') as merges
    from (
      select id from (
        select id, kind, status from decisions
        where workspace_id = t.workspace_id and team_id = t.id and id >= :fromId
        order by id desc limit ${mostLookedThrough}
      ) latest
      where kind = 'merge_approval' and status = 'resolved'
      order by id desc limit ${mostJudged}
    ) judged
    join decisions d on d.workspace_id = t.workspace_id and d.id = judged.id
    join runs r on r.workspace_id = d.workspace_id and r.id = d.run_id
    cross join lateral (
      select coalesce(bool_or(o ->> 'action' = 'merge'), false) as is_merge
      from jsonb_array_elements(d.options) as o where o ->> 'id' = d.resolution_option
    ) chosen
  ) asked
  where t.workspace_id = :workspaceId and t.deleted_at is null and not t.hidden and p.merge_policy <> 'manual'
    [[and t.slug = :team]]
  order by t.name collate "und-x-icu", t.slug`)

/** Teams with a merge that a person was asked about and that was answered in that time; asked about since `fromId`. */
export const selectAnsweredOfAllWorkspaces = readsSlowly.many<Sql.SelectAnsweredOfAllWorkspaces>(
  '{ from, until, fromId, untilId }',
)(`
  select t.workspace_id as "workspaceId", t.slug as team
  from teams t
  where t.policy_version is not null and t.deleted_at is null and not t.hidden and exists (
    select from decisions d
    where d.workspace_id = t.workspace_id and d.team_id = t.id and d.id between :fromId and :untilId
      and d.kind = 'merge_approval' and d.status = 'resolved' and d.resolved_at > :from and d.resolved_at <= :until
  )`)

export const upsertDeclined = writes.run<Sql.UpsertDeclined>('workspaceId, teamId, { merges, at }')(`
  insert into declined_suggestions (workspace_id, team_id, merges, at)
  values (:workspaceId, :teamId, :merges, :at)
  on conflict (workspace_id, team_id) do update set merges = excluded.merges, at = excluded.at`)
