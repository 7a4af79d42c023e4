import type { Member as MemberShown } from '@signalbox/contract/app/members.ts'
import type { Checklist } from '@signalbox/contract/app/workspaces.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import { type Db, read, type Tx, write } from '../../../infra/db/db.ts'
import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import { statement } from '../../../infra/db/statement.ts'
import type * as Sql from './store.types.ts'

export type Member = Sql.SelectMember['row']

export const selectMember = reads.one<Sql.SelectMember, Nothing, { id: string } | { email: string }>(
  'workspaceId, ...by',
)(`
  select p.id, p.email, p.name, m.role
  from memberships m
  join people p on p.id = m.person_id
  where m.workspace_id = :workspaceId [[and p.id = :id]] [[and p.email = lower(:email)]]`)

export const selectWorkspaceBySlug = reads.one<Sql.SelectWorkspaceBySlug>('slug')(`
  select id, slug, name from workspaces where slug = :slug and deleted_at is null`)

/** False when the slug is taken. */
export const insertWorkspace = writes.wroteOne<Sql.InsertWorkspace>(
  'workspaceId, { slug, name, keySecret, createdAt }',
)(`
  insert into workspaces (id, slug, name, key_secret, created_at)
  values (:workspaceId, :slug, :name, :keySecret, :createdAt)
  on conflict do nothing`)

export const markDeleted = writes.wroteOne<Sql.MarkDeleted>('workspaceId, at')(`
  update workspaces set deleted_at = :at where id = :workspaceId and deleted_at is null`)

export const selectPersonByEmail = reads.one<Sql.SelectPersonByEmail>('email')(`
  select id, name, email from people where email = lower(:email)`)

export const insertPerson = writes.run<Sql.InsertPerson>('...person')(`
  insert into people (id, email, name, email_verified, created_at, updated_at)
  values (:id, lower(:email), :name, :emailVerified, :createdAt, :createdAt)`)

/** The account for signing in with a password, as the sign-in library keeps it. */
export const insertPasswordOfPerson = writes.run<Sql.InsertPasswordOfPerson>('personId, ...account')(`
  insert into accounts (id, person_id, provider_id, account_id, password, created_at, updated_at)
  values (:id, :personId::uuid, 'credential', :personId::uuid::text, :hash, :createdAt, :createdAt)`)

/** Locks the row of the installation, so that it is set up once. */
export const lockInstance = writes.run<Sql.LockInstance>()('select from instance for update')

export const isInstanceInhabited = reads.onlyValue<Sql.IsInstanceInhabited>()(`
  select exists (select from people) or exists (select from workspaces) as inhabited`)

/** False when they are a member already. */
export const insertMembership = writes.wroteOne<Sql.InsertMembership, Nothing, { role: Role }>(
  'workspaceId, personId, role, at',
)(`
  insert into memberships (workspace_id, person_id, role, joined_at)
  values (:workspaceId, :personId, :role, :at)
  on conflict do nothing`)

export const updateRole = writes.run<Sql.UpdateRole, Nothing, { role: Role }>('workspaceId, personId, role')(`
  update memberships set role = :role where workspace_id = :workspaceId and person_id = :personId`)

export const deleteMembership = writes.run<Sql.DeleteMembership>('workspaceId, personId')(
  `delete from memberships where workspace_id = :workspaceId and person_id = :personId`,
)

const ownersAnd = statement<Sql.OwnersAnd, { personId: string; role: Role }>(`
  select person_id as "personId", role from memberships
  where workspace_id = :workspaceId and (role = 'owner' or person_id = any(:personIds::uuid[]))
  order by person_id
  for update`)

/**
 * Holds the member who is about to change, so that two changes come one after the other, and all owners, so that two
 * of them cannot leave at the same moment. Returns the owners.
 */
export async function lockOwnersAnd(tx: Tx, workspaceId: string, ...personIds: string[]): Promise<string[]> {
  const rows = await write(tx, ownersAnd, { workspaceId, personIds })
  return rows.filter(({ role }) => role === 'owner').map((row) => row.personId)
}

export const selectMembers = reads.many<Sql.SelectMembers, MemberShown>('workspaceId, now')(`
  select p.id, p.name, p.email, m.role, iso(m.joined_at) as "joinedAt",
    iso(greatest(
      (select max(s.updated_at) from sessions s where s.person_id = p.id),
      (select max(u.last_used_at) from api_tokens t join api_token_uses u on u.token_id = t.id
       where t.workspace_id = m.workspace_id and t.person_id = p.id)
    )) as "lastSeenAt",
    (select count(*)::integer from api_tokens t
     where t.workspace_id = m.workspace_id and t.person_id = p.id and t.revoked_at is null and t.expires_at > :now
    ) as "activeTokens"
  from memberships m
  join people p on p.id = m.person_id
  where m.workspace_id = :workspaceId
  order by p.name collate "und-x-icu", p.id`)

export const selectWorkspaceById = reads.one<Sql.SelectWorkspaceById>('workspaceId')(`
  select slug, name, iso(created_at) as "createdAt" from workspaces where id = :workspaceId and deleted_at is null`)

const named = statement<Sql.Named>(`
  select slug, name from workspaces where id = :workspaceId and deleted_at is null for no key update`)

const updateNameSql = statement<Sql.UpdateName>(`update workspaces set name = :name where id = :workspaceId`)

/** What it was called before. */
export async function updateName(tx: Tx, workspaceId: string, name: string) {
  const [before] = await write(tx, named, { workspaceId })
  if (before) await write(tx, updateNameSql, { workspaceId, name })
  return before
}

// The practice project is not the workspace's own work, so nothing in it counts as a first step.
const ownTeam = `t.workspace_id = w.id and t.deleted_at is null
        and not exists (select from practice_projects p where p.workspace_id = w.id and p.team_id = t.id)`

/** What of the first steps has been done. */
export const selectChecklist = reads.one<Sql.SelectChecklist, Checklist>('workspaceId')(`
  select json_build_object(
    'team', exists (select from teams t where ${ownTeam}),
    'stories', exists (select from team_trackers b join teams t on t.id = b.team_id where ${ownTeam})
      or exists (select from stories s join teams t on t.id = s.team_id where ${ownTeam}),
    'repository', exists (select from team_repositories r join teams t on t.id = r.team_id where ${ownTeam}),
    'runner', exists (select from runners r where r.workspace_id = w.id and r.state not in ('pending', 'removed')
      and r.executors <> '[]'
      and not exists (select from practice_projects p where p.workspace_id = w.id and p.token_id = r.token_id)),
    'story', exists (select from stories s join teams t on t.id = s.team_id where ${ownTeam}),
    'run', exists (select from runs r join teams t on t.id = r.team_id where ${ownTeam}),
    'on_call', exists (select from sources s where s.workspace_id = w.id and s.deleted_at is null
      and not exists (select from practice_projects p where p.workspace_id = w.id and p.source_id = s.id))
  ) as done, (
    select t.slug from teams t where ${ownTeam} order by t.id limit 1
  ) as team, w.checklist_put_away_at is not null as "putAway"
  from workspaces w
  where w.id = :workspaceId`)

/** As it was before; undefined: the workspace is gone. */
export const updateChecklist = writes.one<Sql.UpdateChecklist>('workspaceId, putAwayAt')(`
  update workspaces w set checklist_put_away_at = :putAwayAt?
  from (select id, checklist_put_away_at from workspaces where id = :workspaceId for no key update) before
  where w.id = before.id and w.deleted_at is null
  returning w.slug, w.name, before.checklist_put_away_at is not null as "putAway"`)

export const selectPagers = reads.many<Sql.SelectPagers>('workspaceId')(`
  select s.id as source, s.name, s.kind, s.credentials is not null as credentials,
    (select min(x.service_id::text)::uuid from source_services x
     where x.workspace_id = s.workspace_id and x.source_id = s.id) as service
  from sources s
  where s.workspace_id = :workspaceId and s.deleted_at is null and s.kind in ('pagerduty', 'opsgenie')
  order by s.name collate "und-x-icu", s.id`)

export const selectMembersOfRoles = reads.column<Sql.SelectMembersOfRoles, Nothing, { roles: Role[] }>(
  'workspaceId, roles',
)(`
  select person_id as id from memberships
  where workspace_id = :workspaceId and role = any(:roles)
  order by person_id`)

/** Held for the length of the transaction, so that two changes of its settings come one after the other. */
export const lockWorkspace = writes.one<Sql.LockWorkspace>('workspaceId')(`
  select slug, name from workspaces where id = :workspaceId and deleted_at is null for update`)

const runnerApproval = statement<Sql.RunnerApproval>(`
  select approves_runners as required from workspaces where id = :workspaceId`)

export async function selectRunnerApproval(db: Db | Tx, workspaceId: string): Promise<boolean> {
  return (await read(db, runnerApproval, { workspaceId }))[0]?.required ?? false
}

export const updateRunnerApproval = writes.run<Sql.UpdateRunnerApproval>('workspaceId, required')(
  `update workspaces set approves_runners = :required where id = :workspaceId`,
)

const ownAnswers = statement<Sql.OwnAnswers>(`
  select own_answers as allowed from workspaces where id = :workspaceId`)

export async function selectOwnAnswers(db: Db | Tx, workspaceId: string): Promise<boolean> {
  return (await read(db, ownAnswers, { workspaceId }))[0]?.allowed ?? false
}

export const updateOwnAnswers = writes.run<Sql.UpdateOwnAnswers>('workspaceId, allowed')(
  `update workspaces set own_answers = :allowed where id = :workspaceId`,
)

export const selectNetworks = reads.one<Sql.SelectNetworks>('workspaceId')(`
  select networks, runner_networks as "runnerNetworks" from workspaces where id = :workspaceId`)

export const updateNetworks = writes.run<Sql.UpdateNetworks>('workspaceId, { networks, runnerNetworks }')(`
  update workspaces set networks = :networks, runner_networks = :runnerNetworks where id = :workspaceId`)

export const selectRequiresSingleSignOn = reads.value<Sql.SelectRequiresSingleSignOn>('workspaceId')(
  `select requires_single_sign_on as required from workspaces where id = :workspaceId`,
)

export const updateRequiresSingleSignOn = writes.run<Sql.UpdateRequiresSingleSignOn>('workspaceId, required')(
  `update workspaces set requires_single_sign_on = :required where id = :workspaceId`,
)

const firstWorkspace = `
  select id from workspaces where deleted_at is null order by created_at, id limit 1
`

export const selectFirstWorkspaceOfInstance =
  reads.value<Sql.SelectFirstWorkspaceOfInstance>()(firstWorkspace)

export const isOwnerOfFirstWorkspace = reads.exists<Sql.IsOwnerOfFirstWorkspace>('personId')(`
  select from memberships
  where workspace_id = (${firstWorkspace}) and person_id = :personId and role = 'owner'`)
