import type { Role } from '@signalbox/contract/member.ts'
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
  person: { id: string; email: string; name: string; passwordHash: string | null; createdAt: Date },
): Promise<void> {
  await tx
    .insertInto('people')
    .values({
      id: person.id,
      email: person.email.toLowerCase(),
      name: person.name,
      password_hash: person.passwordHash,
      created_at: person.createdAt,
    })
    .execute()
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

/** Locks the owners' rows, so that two owners cannot leave at the same moment. */
export async function lockOwners(tx: Tx, workspaceId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('memberships')
    .select('person_id')
    .where('workspace_id', '=', workspaceId)
    .where('role', '=', 'owner')
    .forUpdate()
    .execute()
  return rows.map((row) => row.person_id)
}
