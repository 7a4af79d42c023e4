import type { Role } from '@signalbox/contract/roles.ts'
import { type Tx, write } from '../../../infra/db/db.ts'
import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import { handedIn, statement } from '../../../infra/db/statement.ts'
import type * as Sql from './store.types.ts'

export const insertInvitation = writes.run<Sql.InsertInvitation, Nothing, { role: Role }>(
  'workspaceId, ...invitation',
)(`
  insert into invitations (id, workspace_id, email, role, code_digest, mailed_digest, invited_by, created_at,
    expires_at)
  values (:id, :workspaceId, :email, :role, :codeDigest, :mailedDigest?, :invitedBy?, :createdAt, :expiresAt)`)

/** How many were made since, and how many of them for that address. */
export const countInvitations = reads.only<Sql.CountInvitations>('workspaceId, email, since')(`
  select count(*)::int as "all!", count(*) filter (where email = :email)::int as "toAddress!"
  from invitations where workspace_id = :workspaceId and created_at > :since`)

/**
 * An invitation is valid only while its maker may still give that role: people who have left or lost the right may have
 * kept the link. One without a maker comes from the operator.
 */
const stillMeant = `
  (i.invited_by is null or exists (
    select from memberships maker
    where maker.workspace_id = i.workspace_id and maker.person_id = i.invited_by
      and (maker.role = 'owner' or maker.role = 'admin' and i.role <> 'owner')
  ))`

export const selectOpen = reads.many<
  Sql.SelectOpen,
  {
    id: string
    email: string
    role: Role
    invitedBy: string | null
    createdAt: Date
    expiresAt: Date
  }
>('workspaceId, now')(`
  select i.id, i.email, i.role, p.name as "invitedBy",
    i.created_at as "createdAt", i.expires_at as "expiresAt"
  from invitations i
  left join people p on p.id = i.invited_by
  where i.workspace_id = :workspaceId and i.accepted_at is null and i.revoked_at is null and i.expires_at > :now
    and ${stillMeant}
  order by i.id desc`)

export interface Held {
  id: string
  workspaceId: string
  readWorkspaceSlug: string
  workspaceName: string
  email: string
  role: Role
  /** The person with that address, if there is one. */
  personId: string | null
  /** Whether the code is the one that was mailed to the address. */
  mailed: boolean
}

const byCode = `
  select i.id, i.workspace_id as "workspaceId", w.slug as "readWorkspaceSlug", w.name as "workspaceName",
    i.email, i.role, p.id as "personId", coalesce(i.mailed_digest = :digest, false) as mailed
  from invitations i
  join workspaces w on w.id = i.workspace_id and w.deleted_at is null
  left join people p on p.email = i.email
  where (i.code_digest = :digest or i.mailed_digest = :digest)
    and i.accepted_at is null and i.revoked_at is null and i.expires_at > :now and ${stillMeant}`
export const selectByCode = reads.one<Sql.SelectByCode, Held>('digest, now')(byCode)

/** If two people accept at the same time, the second finds it accepted. */
export const lockByCode = writes.one<Sql.LockByCode, Held>('digest, now')(`${byCode} for update of i`)

export const markAccepted = writes.run<Sql.MarkAccepted>('workspaceId, id, at')(`
  update invitations set accepted_at = :at
  where workspace_id = :workspaceId and id = :id`)

const markRevokedSql = statement<Sql.MarkRevoked>(`
  update invitations set revoked_at = :at
  where workspace_id = :workspaceId and accepted_at is null and revoked_at is null and expires_at > :at
    [[and id = :id]] [[and email = :email]]
  returning id, email`)

/** Those that were open, of one id or one address. */
export async function markRevoked(
  tx: Tx,
  workspaceId: string,
  which: { id: string } | { email: string },
  at: Date,
): Promise<{ id: string; email: string }[]> {
  return write(tx, markRevokedSql, handedIn({ ...which, workspaceId, at }))
}

export const selectWorkspaceName = reads.onlyValue<Sql.SelectWorkspaceName>('workspaceId')(
  `select name from workspaces where id = :workspaceId`,
)
