import type { Team } from '@signalbox/contract/team.ts'
import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import type { Rendered } from '../page.ts'

const team = `
  select t.id, (select row_to_json(team) from (select
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
  ) as team)::text as json
  from teams t
  left join policies p on p.workspace_id = t.workspace_id and p.team_id = t.id and p.version = t.policy_version
`

const byName = statement<Rendered<Team>>(`
  ${team}
  where t.workspace_id = :workspaceId
  order by lower(t.name), t.name, t.id`)

const one = statement<Rendered<Team>>(`
  ${team}
  where t.workspace_id = :workspaceId [[and t.slug = :slug]] [[and t.id = :id]]`)

const existing = statement('select from teams where workspace_id = :workspaceId and slug = :slug')

export async function selectTeams(db: Db, workspaceId: string): Promise<readonly Rendered<Team>[]> {
  return read(db, byName, { workspaceId })
}

export async function selectTeam(
  db: Db,
  workspaceId: string,
  by: { slug: string } | { id: string },
): Promise<Rendered<Team> | undefined> {
  return (await read(db, one, { workspaceId, ...by }))[0]
}

export async function teamExists(db: Db | Tx, workspaceId: string, slug: string): Promise<boolean> {
  return (await read(db, existing, { workspaceId, slug })).length > 0
}

export async function selectTeamForUpdate(tx: Tx, workspaceId: string, slug: string) {
  return tx
    .selectFrom('teams')
    .select(['id', 'name', 'paused_at'])
    .where('workspace_id', '=', workspaceId)
    .where('slug', '=', slug)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

export async function updatePolicyVersion(
  tx: Tx,
  workspaceId: string,
  id: string,
  version: number,
  at: Date,
): Promise<void> {
  await tx
    .updateTable('teams')
    .set({ policy_version: version, updated_at: at })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export async function updatePaused(
  tx: Tx,
  workspaceId: string,
  id: string,
  pausedAt: Date | null,
  at: Date,
): Promise<void> {
  await tx
    .updateTable('teams')
    .set({ paused_at: pausedAt, updated_at: at })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export interface HeldTeam {
  id: string
  slug: string
  name: string
  keyPrefix: string
  paused: boolean
  policyVersion: number | null
  mainRedSince: Date | null
}

const byId = statement<HeldTeam>(`
  select id, slug, name, key_prefix as "keyPrefix", paused_at is not null as paused,
    policy_version as "policyVersion", main_red_since as "mainRedSince"
  from teams
  where workspace_id = :workspaceId and id = :id
  for no key update`)

export async function selectTeamById(tx: Tx, workspaceId: string, id: string): Promise<HeldTeam | undefined> {
  return (await read(tx, byId, { workspaceId, id }))[0]
}

export async function updateMainRed(
  tx: Tx,
  workspaceId: string,
  id: string,
  since: Date | null,
): Promise<void> {
  await tx
    .updateTable('teams')
    .set({ main_red_since: since })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}
