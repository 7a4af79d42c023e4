import type { Member as MemberShown } from '@signalbox/contract/app/members.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import { type Db, read, type Tx } from '../../infra/db/db.ts'
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

export async function selectWorkspace(db: Db | Tx, slug: string) {
  return db
    .selectFrom('workspaces')
    .select(['id', 'slug', 'name'])
    .where('slug', '=', slug)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

export async function insertWorkspace(
  tx: Tx,
  workspace: { id: string; slug: string; name: string; keySecret: Buffer; createdAt: Date },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('workspaces')
    .values({
      id: workspace.id,
      slug: workspace.slug,
      name: workspace.name,
      key_secret: workspace.keySecret,
      created_at: workspace.createdAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function markDeleted(tx: Tx, id: string, at: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('workspaces')
    .set({ deleted_at: at })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function selectPerson(db: Db | Tx, email: string) {
  return db
    .selectFrom('people')
    .select(['id', 'name', 'email'])
    .where('email', '=', email.toLowerCase())
    .executeTakeFirst()
}

export async function insertPerson(
  tx: Tx,
  person: { id: string; email: string; name: string; emailVerified: boolean; createdAt: Date },
): Promise<void> {
  await tx
    .insertInto('people')
    .values({
      id: person.id,
      email: person.email.toLowerCase(),
      name: person.name,
      email_verified: person.emailVerified,
      created_at: person.createdAt,
      updated_at: person.createdAt,
    })
    .execute()
}

/** The account by which somebody signs in with a password, as the sign-in library keeps it. */
export async function insertPassword(
  tx: Tx,
  account: { id: string; personId: string; hash: string; createdAt: Date },
): Promise<void> {
  await tx
    .insertInto('accounts')
    .values({
      id: account.id,
      person_id: account.personId,
      provider_id: 'credential',
      account_id: account.personId,
      password: account.hash,
      created_at: account.createdAt,
      updated_at: account.createdAt,
    })
    .execute()
}

/** Holds the row that stands for the installation, so that it is set up once. */
export async function lockInstance(tx: Tx): Promise<void> {
  await tx.selectFrom('instance').select('only_row').forUpdate().execute()
}

const inhabited = statement<{ inhabited: boolean }>(`
  select exists (select from people) or exists (select from workspaces) as inhabited`)

export async function selectInhabited(db: Db | Tx): Promise<boolean> {
  return (await read(db, inhabited, {}))[0]!.inhabited
}

export async function insertMembership(
  tx: Tx,
  workspaceId: string,
  personId: string,
  role: Role,
  at: Date,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('memberships')
    .values({ workspace_id: workspaceId, person_id: personId, role, joined_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function updateRole(tx: Tx, workspaceId: string, personId: string, role: Role): Promise<void> {
  await tx
    .updateTable('memberships')
    .set({ role })
    .where('workspace_id', '=', workspaceId)
    .where('person_id', '=', personId)
    .execute()
}

export async function deleteMembership(tx: Tx, workspaceId: string, personId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('memberships')
    .where('workspace_id', '=', workspaceId)
    .where('person_id', '=', personId)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/**
 * Holds the member who is about to change, so that two changes come one after the other, and all owners, so that two
 * of them cannot leave at the same moment. Returns the owners.
 */
export async function lockOwnersAnd(tx: Tx, workspaceId: string, personId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('memberships')
    .select(['person_id', 'role'])
    .where('workspace_id', '=', workspaceId)
    .where((eb) => eb.or([eb('role', '=', 'owner'), eb('person_id', '=', personId)]))
    .orderBy('person_id')
    .forUpdate()
    .execute()
  return rows.filter(({ role }) => role === 'owner').map((row) => row.person_id)
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
  order by lower(p.name), p.id`)

export const selectMembers = (db: Db, workspaceId: string, now: Date): Promise<readonly MemberShown[]> =>
  read(db, members, { workspaceId, now })

const workspaceById = statement<{ slug: string; name: string; createdAt: string }>(`
  select slug, name, iso(created_at) as "createdAt" from workspaces where id = :id and deleted_at is null`)

export async function selectWorkspaceById(db: Db | Tx, id: string) {
  return (await read(db, workspaceById, { id }))[0]
}

/** What it was called before. */
export async function updateName(tx: Tx, id: string, name: string) {
  const before = await tx
    .selectFrom('workspaces')
    .select(['slug', 'name'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (before) await tx.updateTable('workspaces').set({ name }).where('id', '=', id).execute()
  return before
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
  order by lower(s.name), s.id`)

export const selectPagers = (db: Db, workspaceId: string) => read(db, pagers, { workspaceId })
