import type { Member as MemberShown } from '@signalbox/contract/app/members.ts'
import type { Checklist } from '@signalbox/contract/app/workspaces.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import { sql } from 'kysely'
import { type Db, read, type Tx, write } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'

export interface Member {
  id: string
  email: string
  name: string
  role: Role
}

const member = statement<Member>(`
  select p.id, p.email, p.name, m.role
  from memberships m
  join people p on p.id = m.person_id
  where m.workspace_id = :workspaceId [[and p.id = :id]] [[and p.email = lower(:email)]]`)

export async function selectMember(
  db: Db | Tx,
  workspaceId: string,
  by: { id: string } | { email: string },
): Promise<Member | undefined> {
  return (await read(db, member, { workspaceId, ...by }))[0]
}

const bySlug = statement<{ id: string; slug: string; name: string }>(`
  select id, slug, name from workspaces where slug = :slug and deleted_at is null`)

export async function selectWorkspaceBySlug(db: Db, slug: string) {
  return (await read(db, bySlug, { slug }))[0]
}

/** False when the slug is taken. */
export async function insertWorkspace(
  tx: Tx,
  workspaceId: string,
  { slug, name, keySecret, createdAt }: { slug: string; name: string; keySecret: Buffer; createdAt: Date },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into workspaces (id, slug, name, key_secret, created_at)
    values (${workspaceId}, ${slug}, ${name}, ${keySecret}, ${createdAt})
    on conflict do nothing
  `.execute(tx)
  return numAffectedRows === 1n
}

export async function markDeleted(tx: Tx, workspaceId: string, at: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update workspaces set deleted_at = ${at} where id = ${workspaceId} and deleted_at is null
  `.execute(tx)
  return numAffectedRows === 1n
}

const byEmail = statement<{ id: string; name: string; email: string }>(`
  select id, name, email from people where email = lower(:email)`)

export async function selectPersonByEmail(tx: Tx, email: string) {
  return (await read(tx, byEmail, { email }))[0]
}

export async function insertPerson(
  tx: Tx,
  person: { id: string; email: string; name: string; emailVerified: boolean; createdAt: Date },
): Promise<void> {
  await sql`
    insert into people (id, email, name, email_verified, created_at, updated_at)
    values (${person.id}, lower(${person.email}), ${person.name}, ${person.emailVerified}, ${person.createdAt},
      ${person.createdAt})
  `.execute(tx)
}

/** The account by which somebody signs in with a password, as the sign-in library keeps it. */
export async function insertPasswordOfPerson(
  tx: Tx,
  personId: string,
  account: { id: string; hash: string; createdAt: Date },
): Promise<void> {
  await sql`
    insert into accounts (id, person_id, provider_id, account_id, password, created_at, updated_at)
    values (${account.id}, ${personId}, 'credential', ${personId}, ${account.hash}, ${account.createdAt},
      ${account.createdAt})
  `.execute(tx)
}

const instance = statement('select from instance for update')

/** Holds the row that stands for the installation, so that it is set up once. */
export async function lockInstance(tx: Tx): Promise<void> {
  await write(tx, instance, {})
}

const inhabited = statement<{ inhabited: boolean }>(`
  select exists (select from people) or exists (select from workspaces) as inhabited`)

export async function isInstanceInhabited(db: Db | Tx): Promise<boolean> {
  return (await read(db, inhabited, {}))[0]!.inhabited
}

/** False when they are a member already. */
export async function insertMembership(
  tx: Tx,
  workspaceId: string,
  personId: string,
  role: Role,
  at: Date,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into memberships (workspace_id, person_id, role, joined_at)
    values (${workspaceId}, ${personId}, ${role}, ${at})
    on conflict do nothing
  `.execute(tx)
  return numAffectedRows === 1n
}

export async function updateRole(tx: Tx, workspaceId: string, personId: string, role: Role): Promise<void> {
  await sql`
    update memberships set role = ${role} where workspace_id = ${workspaceId} and person_id = ${personId}
  `.execute(tx)
}

export async function deleteMembership(tx: Tx, workspaceId: string, personId: string): Promise<void> {
  await sql`delete from memberships where workspace_id = ${workspaceId} and person_id = ${personId}`.execute(
    tx,
  )
}

const ownersAnd = statement<{ personId: string; role: Role }>(`
  select person_id as "personId", role from memberships
  where workspace_id = :workspaceId and (role = 'owner' or person_id = :personId)
  order by person_id
  for update`)

/**
 * Holds the member who is about to change, so that two changes come one after the other, and all owners, so that two
 * of them cannot leave at the same moment. Returns the owners.
 */
export async function lockOwnersAnd(tx: Tx, workspaceId: string, personId: string): Promise<string[]> {
  const rows = await write(tx, ownersAnd, { workspaceId, personId })
  return rows.filter(({ role }) => role === 'owner').map((row) => row.personId)
}

const members = statement<MemberShown>(`
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

export const selectMembers = (db: Db, workspaceId: string, now: Date): Promise<readonly MemberShown[]> =>
  read(db, members, { workspaceId, now })

const workspaceById = statement<{ slug: string; name: string; createdAt: string }>(`
  select slug, name, iso(created_at) as "createdAt" from workspaces where id = :workspaceId and deleted_at is null`)

export async function selectWorkspaceById(db: Db | Tx, workspaceId: string) {
  return (await read(db, workspaceById, { workspaceId }))[0]
}

const named = statement<{ slug: string; name: string }>(`
  select slug, name from workspaces where id = :workspaceId and deleted_at is null for no key update`)

/** What it was called before. */
export async function updateName(tx: Tx, workspaceId: string, name: string) {
  const [before] = await write(tx, named, { workspaceId })
  if (before) await sql`update workspaces set name = ${name} where id = ${workspaceId}`.execute(tx)
  return before
}

const checklist = statement<Checklist>(`
  select json_build_object(
    'team', exists (select from teams t where t.workspace_id = w.id and t.deleted_at is null),
    'stories', exists (select from team_trackers b join teams t on t.workspace_id = b.workspace_id and t.id = b.team_id
        where b.workspace_id = w.id and t.deleted_at is null)
      or exists (select from stories s where s.workspace_id = w.id),
    'repository', exists (select from team_repositories r join teams t on t.workspace_id = r.workspace_id
        and t.id = r.team_id where r.workspace_id = w.id and t.deleted_at is null),
    'runner', exists (select from runners r where r.workspace_id = w.id and r.state <> 'removed'),
    'story', exists (select from stories s where s.workspace_id = w.id),
    'run', exists (select from runs r where r.workspace_id = w.id),
    'on_call', exists (select from sources s where s.workspace_id = w.id and s.deleted_at is null)
  ) as done, (
    select t.slug from teams t where t.workspace_id = w.id and t.deleted_at is null order by t.id limit 1
  ) as team, w.checklist_put_away_at is not null as "putAway"
  from workspaces w
  where w.id = :workspaceId`)

/** What of the first steps has been done. */
export async function selectChecklist(db: Db, workspaceId: string): Promise<Checklist | undefined> {
  return (await read(db, checklist, { workspaceId }))[0]
}

/** As it was before; undefined: the workspace is gone. */
export async function updateChecklist(
  tx: Tx,
  workspaceId: string,
  putAwayAt: Date | null,
): Promise<{ slug: string; name: string; putAway: boolean } | undefined> {
  const { rows } = await sql<{ slug: string; name: string; putAway: boolean }>`
    update workspaces w set checklist_put_away_at = ${putAwayAt}
    from (select id, checklist_put_away_at from workspaces where id = ${workspaceId} for no key update) before
    where w.id = before.id and w.deleted_at is null
    returning w.slug, w.name, before.checklist_put_away_at is not null as "putAway"
  `.execute(tx)
  return rows[0]
}

const pagers = statement<{
  source: string
  service: string | null
  name: string
  kind: string
  credentials: boolean
}>(`
  select s.id as source, s.name, s.kind, s.credentials is not null as credentials,
    (select min(x.service_id::text)::uuid from source_services x
     where x.workspace_id = s.workspace_id and x.source_id = s.id) as service
  from sources s
  where s.workspace_id = :workspaceId and s.deleted_at is null and s.kind in ('pagerduty', 'opsgenie')
  order by s.name collate "und-x-icu", s.id`)

export const selectPagers = (db: Db, workspaceId: string) => read(db, pagers, { workspaceId })

const ofRoles = statement<{ id: string }>(`
  select person_id as id from memberships
  where workspace_id = :workspaceId and role = any(:roles)
  order by person_id`)

export async function selectMembersOfRoles(tx: Tx, workspaceId: string, roles: Role[]): Promise<string[]> {
  return (await read(tx, ofRoles, { workspaceId, roles })).map(({ id }) => id)
}

const locked = statement<{ slug: string; name: string }>(`
  select slug, name from workspaces where id = :workspaceId and deleted_at is null for update`)

/** Held for the length of the transaction, so that two changes of its settings come one after the other. */
export async function lockWorkspace(tx: Tx, workspaceId: string) {
  return (await write(tx, locked, { workspaceId }))[0]
}

const runnerApproval = statement<{ required: boolean }>(`
  select approves_runners as required from workspaces where id = :workspaceId`)

export async function selectRunnerApproval(db: Db | Tx, workspaceId: string): Promise<boolean> {
  return (await read(db, runnerApproval, { workspaceId }))[0]?.required ?? false
}

export async function updateRunnerApproval(tx: Tx, workspaceId: string, required: boolean): Promise<void> {
  await sql`update workspaces set approves_runners = ${required} where id = ${workspaceId}`.execute(tx)
}

const ownAnswers = statement<{ allowed: boolean }>(`
  select own_answers as allowed from workspaces where id = :workspaceId`)

export async function selectOwnAnswers(db: Db | Tx, workspaceId: string): Promise<boolean> {
  return (await read(db, ownAnswers, { workspaceId }))[0]?.allowed ?? false
}

export async function updateOwnAnswers(tx: Tx, workspaceId: string, allowed: boolean): Promise<void> {
  await sql`update workspaces set own_answers = ${allowed} where id = ${workspaceId}`.execute(tx)
}
