import type { Role } from '@signalbox/contract/roles.ts'
import { type Db, read, type Tx, write } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'

export async function insertInvitation(
  tx: Tx,
  invitation: {
    id: string
    workspaceId: string
    email: string
    role: Role
    codeDigest: string
    mailedDigest: string | null
    invitedBy: string | null
    createdAt: Date
    expiresAt: Date
  },
): Promise<void> {
  await tx
    .insertInto('invitations')
    .values({
      id: invitation.id,
      workspace_id: invitation.workspaceId,
      email: invitation.email,
      role: invitation.role,
      code_digest: invitation.codeDigest,
      mailed_digest: invitation.mailedDigest,
      invited_by: invitation.invitedBy,
      created_at: invitation.createdAt,
      expires_at: invitation.expiresAt,
    })
    .execute()
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

export async function markAccepted(tx: Tx, id: string, personId: string, at: Date): Promise<void> {
  await tx
    .updateTable('invitations')
    .set({ accepted_at: at, accepted_by: personId })
    .where('id', '=', id)
    .execute()
}

/** Those that were open, of one id or one address. */
export async function markRevoked(
  tx: Tx,
  workspaceId: string,
  which: { id: string } | { email: string },
  at: Date,
): Promise<{ id: string; email: string }[]> {
  return tx
    .updateTable('invitations')
    .set({ revoked_at: at })
    .where('workspace_id', '=', workspaceId)
    .where('id' in which ? 'id' : 'email', '=', 'id' in which ? which.id : which.email)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
    .returning(['id', 'email'])
    .execute()
}

const workspaceName = statement<{ name: string }>(`select name from workspaces where id = :id`)

export async function selectWorkspaceName(db: Db, id: string): Promise<string> {
  return (await read(db, workspaceName, { id }))[0]!.name
}
