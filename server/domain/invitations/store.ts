import type { Role } from '@signalbox/contract/roles.ts'
import { sql } from 'kysely'
import { type Db, read, type Tx, write } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'

export async function insertInvitation(
  tx: Tx,
  workspaceId: string,
  invitation: {
    id: string
    email: string
    role: Role
    codeDigest: string
    mailedDigest: string | null
    invitedBy: string | null
    createdAt: Date
    expiresAt: Date
  },
): Promise<void> {
  const { id, email, role, codeDigest, mailedDigest, invitedBy, createdAt, expiresAt } = invitation
  await sql`
    insert into invitations (id, workspace_id, email, role, code_digest, mailed_digest, invited_by, created_at,
      expires_at)
    values (${id}, ${workspaceId}, ${email}, ${role}, ${codeDigest}, ${mailedDigest}, ${invitedBy}, ${createdAt},
      ${expiresAt})
  `.execute(tx)
}

/**
 * An invitation is worth what the word of whoever made it is worth now: those who have left, or may no longer give the
 * role, have kept its link. What nobody in particular made comes from the operator.
 */
const stillMeant = `
  (i.invited_by is null or exists (
    select from memberships maker
    where maker.workspace_id = i.workspace_id and maker.person_id = i.invited_by
      and (maker.role = 'owner' or maker.role = 'admin' and i.role <> 'owner')
  ))`

const open = statement<{
  id: string
  email: string
  role: Role
  invitedBy: string | null
  createdAt: Date
  expiresAt: Date
}>(`
  select i.id, i.email, i.role, p.name as "invitedBy",
    i.created_at as "createdAt", i.expires_at as "expiresAt"
  from invitations i
  left join people p on p.id = i.invited_by
  where i.workspace_id = :workspaceId and i.accepted_at is null and i.revoked_at is null and i.expires_at > :now
    and ${stillMeant}
  order by i.id desc`)

export const selectOpen = (db: Db, workspaceId: string, now: Date) => read(db, open, { workspaceId, now })

export interface Held {
  id: string
  workspaceId: string
  workspaceSlug: string
  workspaceName: string
  email: string
  role: Role
  /** The person with that address, if there is one. */
  personId: string | null
  /** Whether the code is the one that was mailed to the address. */
  mailed: boolean
}

const byCode = `
  select i.id, i.workspace_id as "workspaceId", w.slug as "workspaceSlug", w.name as "workspaceName",
    i.email, i.role, p.id as "personId", coalesce(i.mailed_digest = :digest, false) as mailed
  from invitations i
  join workspaces w on w.id = i.workspace_id and w.deleted_at is null
  left join people p on p.email = i.email
  where (i.code_digest = :digest or i.mailed_digest = :digest)
    and i.accepted_at is null and i.revoked_at is null and i.expires_at > :now and ${stillMeant}`
const found = statement<Held>(byCode)
const locked = statement<Held>(`${byCode} for update of i`)

export async function selectByCode(db: Db, digest: string, now: Date) {
  return (await read(db, found, { digest, now }))[0]
}

/** Of two who accept at once, one finds it accepted. */
export async function lockByCode(tx: Tx, digest: string, now: Date) {
  return (await write(tx, locked, { digest, now }))[0]
}

export async function markAccepted(tx: Tx, workspaceId: string, id: string, at: Date): Promise<void> {
  await sql`
    update invitations set accepted_at = ${at}
    where workspace_id = ${workspaceId} and id = ${id}
  `.execute(tx)
}

/** Those that were open, of one id or one address. */
export async function markRevoked(
  tx: Tx,
  workspaceId: string,
  which: { id: string } | { email: string },
  at: Date,
): Promise<{ id: string; email: string }[]> {
  const { rows } = await sql<{ id: string; email: string }>`
    update invitations set revoked_at = ${at}
    where workspace_id = ${workspaceId} and accepted_at is null and revoked_at is null and expires_at > ${at}
      and ${'id' in which ? sql`id = ${which.id}` : sql`email = ${which.email}`}
    returning id, email
  `.execute(tx)
  return rows
}

const workspaceName = statement<{ name: string }>(`select name from workspaces where id = :workspaceId`)

export async function selectWorkspaceName(db: Db, workspaceId: string): Promise<string> {
  return (await read(db, workspaceName, { workspaceId }))[0]!.name
}
