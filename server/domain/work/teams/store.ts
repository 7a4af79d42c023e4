import type { TeamRow } from '@signalbox/contract/app/teams.ts'
import { columnRoles } from '@signalbox/contract/story.ts'
import type { Team } from '@signalbox/contract/team.ts'
import { affected, type Db, read, type Tx, write } from '../../../infra/db/db.ts'
import { reads, writes } from '../../../infra/db/queries.ts'
import { statement } from '../../../infra/db/statement.ts'
import { newId } from '../../../infra/ids.ts'
import { startOfDay, startOfMonth } from '../../days.ts'
import type { Rendered } from '../../page.ts'
import type * as Sql from './store.types.ts'
import { takesSlot } from './takes-slot.ts'

const fields = `
    t.id,
    t.slug,
    t.name,
    t.description,
    t.key_prefix as "keyPrefix",
    t.paused_at is not null as paused,
    (select row_to_json(policy) from (select
      p.preset,
      p.custom,
      p.version,
      p.executor,
      p.max_concurrency as "maxConcurrency",
      (select row_to_json(budgets) from (select
        p.budget_run_cents as "runCents",
        p.budget_day_cents as "dayCents",
        p.budget_month_cents as "monthCents"
      ) as budgets) as budgets,
      p.plan_approval as "planApproval",
      p.merge_policy as "mergePolicy",
      iso(t.paused_at) as "pausedAt",
      iso(p.created_at) as "updatedAt"
      where p.version is not null
    ) as policy) as policy,
    iso(t.created_at) as "createdAt",
    iso(t.updated_at) as "updatedAt"
`

const source = `
  teams t
  left join policies p on p.workspace_id = t.workspace_id and p.team_id = t.id and p.version = t.policy_version
`

const team = `
  select t.id, (select row_to_json(team) from (select ${fields}) as team)::text as json
  from ${source}
`

export const selectTeams = reads.many<Sql.SelectTeams, Rendered<Team>>('workspaceId')(`
  ${team}
  where t.workspace_id = :workspaceId and t.deleted_at is null
  order by t.name collate "und-x-icu", t.id`)

export const selectTeam = reads.one<Sql.SelectTeam, Rendered<Team>, { slug: string } | { id: string }>(
  'workspaceId, ...by',
)(`
  ${team}
  where t.workspace_id = :workspaceId and t.deleted_at is null [[and t.slug = :slug]] [[and t.id = :id]]`)

export const teamExists = reads.exists<Sql.TeamExists>('workspaceId, slug')(
  'select from teams where workspace_id = :workspaceId and slug = :slug and deleted_at is null',
)

export const selectTeamForUpdate = writes.one<Sql.SelectTeamForUpdate>('workspaceId, slug')(`
  select id, slug, name, description, key_prefix as "keyPrefix", paused_at from teams
  where workspace_id = :workspaceId and slug = :slug and deleted_at is null
  for no key update`)

export const updatePolicyVersion = writes.run<Sql.UpdatePolicyVersion>('workspaceId, id, version, at')(`
  update teams set policy_version = :version, updated_at = :at
  where workspace_id = :workspaceId and id = :id`)

const updatePausedSql = statement<Sql.UpdatePaused>(`
  update teams set paused_at = :pausedAt?, paused_by = :by?, pause_reason = :reason?, updated_at = :at
  where workspace_id = :workspaceId and id = :id`)

export async function updatePaused(
  tx: Tx,
  workspaceId: string,
  id: string,
  paused: { by: string; reason: string | null } | null,
  at: Date,
): Promise<void> {
  await write(tx, updatePausedSql, {
    workspaceId,
    pausedAt: paused && at,
    by: paused?.by,
    reason: paused?.reason,
    at,
    id,
  })
}

export const pauseUnpausedOfAllWorkspaces = writes.many<Sql.PauseUnpausedOfAllWorkspaces>('by, reason, at')(`
  update teams set paused_at = :at, paused_by = :by, pause_reason = :reason, updated_at = :at
  where paused_at is null and deleted_at is null
  returning workspace_id as "workspaceId", slug, name`)

export type LockedTeam = Sql.SelectTeamById['row']

export const selectTeamById = writes.one<Sql.SelectTeamById>('workspaceId, id')(`
  select id, slug, name, key_prefix as "keyPrefix", paused_at is not null as paused,
    policy_version as "policyVersion", main_red_since as "mainRedSince"
  from teams
  where workspace_id = :workspaceId and id = :id and deleted_at is null
  for no key update`)

export const updateMainRed = writes.run<Sql.UpdateMainRed>('workspaceId, id, since')(`
  update teams set main_red_since = :since? where workspace_id = :workspaceId and id = :id`)

const overview = statement<Sql.Overview, Rendered<TeamRow>>(`
  select t.id, (select row_to_json(team) from (select
    ${fields},
    case when t.paused_at is not null then
      json_build_object('since', iso(t.paused_at), 'by', t.paused_by, 'reason', t.pause_reason)
    end as pause,
    iso(t.main_red_since) as "mainRedSince",
    (
      select count(*)::int from runs r
      where r.workspace_id = t.workspace_id and r.team_id = t.id and ${takesSlot}
    ) as running,
    (
      select coalesce(sum(n.amount), 0)::int from pending_counts n
      where n.workspace_id = t.workspace_id and n.team_id = t.id
    ) as waiting,
    (
      select ceil(coalesce(sum(u.euro_micros), 0) / 10000)::int from day_spend u
      where u.workspace_id = t.workspace_id and u.team_id = t.id and u.day >= :day
    ) as "spentDayCents",
    (
      select ceil(coalesce(sum(u.euro_micros), 0) / 10000)::int from day_spend u
      where u.workspace_id = t.workspace_id and u.team_id = t.id and u.day >= :month
    ) as "spentMonthCents",
    (
      select json_object_agg(c.role, (
        select coalesce(sum(n.amount), 0)::int from story_counts n
        where n.workspace_id = t.workspace_id and n.team_id = t.id and n.column_id = c.id and not n.draft
      ) order by c.position)
      from columns c
      where c.workspace_id = t.workspace_id and c.team_id = t.id
    ) as stories,
    (
      select coalesce(sum(n.amount), 0)::int from story_counts n
      where n.workspace_id = t.workspace_id and n.team_id = t.id and n.draft
    ) as drafts
  ) as team)::text as json
  from ${source}
  where t.workspace_id = :workspaceId and t.deleted_at is null [[and t.slug = :slug]]
  order by t.name collate "und-x-icu", t.id`)

export async function selectTeamRows(
  db: Db,
  workspaceId: string,
  now: Date,
  slug?: string,
): Promise<readonly Rendered<TeamRow>[]> {
  return read(db, overview, { workspaceId, day: startOfDay(now), month: startOfMonth(now), slug })
}

export interface NewTeamRow {
  id: string
  slug: string
  name: string
  description: string | null
  keyPrefix: string
  at: Date
}

const taken = statement<Sql.Taken>(`
  select slug from teams where workspace_id = :workspaceId and (slug = :slug or key_prefix = :keyPrefix)`)

/** Which of the two that must be the team's own is another's; a deleted team keeps its own. */
export async function selectTaken(
  handle: Db | Tx,
  workspaceId: string,
  { slug, keyPrefix }: { slug: string; keyPrefix: string },
): Promise<'slug' | 'keyPrefix' | undefined> {
  const found = await read(handle, taken, { workspaceId, slug, keyPrefix })
  if (found.length === 0) return undefined
  return found.some((team) => team.slug === slug) ? 'slug' : 'keyPrefix'
}

const columnNames = {
  backlog: 'Backlog',
  refining: 'Refining',
  ready: 'Ready',
  in_progress: 'In progress',
  review: 'Review',
  done: 'Done',
}

const insertTeamsSql = statement<Sql.InsertTeams>(`
  insert into teams (id, workspace_id, slug, name, description, key_prefix, created_at)
  values (:id, :workspaceId, :slug, :name, :description?, :keyPrefix, :at)
  on conflict do nothing`)

const insertColumnsSql = statement<Sql.InsertColumns>(`
  insert into columns (id, workspace_id, team_id, name, role, position)
  select id, :workspaceId, :teamId, name, role, place - 1
  from unnest(:ids::uuid[], :names::text[], :roles::text[]) with ordinality as c (id, name, role, place)`)

/** False when the slug or the prefix is another team's, be it since this moment. */
export async function insertTeam(
  tx: Tx,
  workspaceId: string,
  { id, slug, name, description, keyPrefix, at }: NewTeamRow,
): Promise<boolean> {
  if ((await affected(tx, insertTeamsSql, { workspaceId, id, slug, name, description, keyPrefix, at })) !== 1)
    return false
  await write(tx, insertColumnsSql, {
    workspaceId,
    teamId: id,
    ids: columnRoles.map(() => newId(at)),
    names: columnRoles.map((role) => columnNames[role]),
    roles: columnRoles,
  })
  return true
}

export const updateTeam = writes.run<Sql.UpdateTeam>(
  'workspaceId, id, { name, description, deletedAt }, at',
)(`
  update teams set updated_at = :at
    [[, name = :name]] [[, description = :description?]] [[, deleted_at = :deletedAt]]
  where workspace_id = :workspaceId and id = :id`)

/** Makes one row of the many that the changes of an amount have left. */
export const foldCountsOfAllWorkspaces = writes.run<Sql.FoldCountsOfAllWorkspaces>()('select fold_counts()')
