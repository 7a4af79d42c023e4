import type { Token } from '@signalbox/contract/app/tokens.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import type { Permission } from '@signalbox/contract/token.ts'
import { sql } from 'kysely'
import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'

export interface TokenHolder {
  tokenId: string
  prefix: string
  workspaceId: string
  personId: string
  personName: string
  role: Role
  permissions: Permission[]
  expiresAt: Date
}

const holder = statement<TokenHolder>(`
  select t.id as "tokenId", t.prefix, t.workspace_id as "workspaceId", t.person_id as "personId",
    p.name as "personName", m.role, t.permissions, t.expires_at as "expiresAt"
  from api_tokens t
  join workspaces w on w.id = t.workspace_id and w.deleted_at is null
  join memberships m on m.workspace_id = t.workspace_id and m.person_id = t.person_id
  join people p on p.id = t.person_id
  where t.digest = :digest and t.revoked_at is null`)

/** Who stands behind a digest, if the token lives: not revoked, its creator a member, its workspace there. */
export async function findHolderByDigest(db: Db, digest: string): Promise<TokenHolder | undefined> {
  return (await read(db, holder, { digest: Buffer.from(digest, 'hex') }))[0]
}

const owner = statement<{ id: string; name: string }>(`
  select p.id, p.name from memberships m
  join people p on p.id = m.person_id
  where m.workspace_id = :workspaceId and m.person_id = :personId`)

/** Whom a token can belong to: a member of the workspace. */
export async function selectOwner(
  db: Db,
  workspaceId: string,
  personId: string,
): Promise<{ id: string; name: string } | undefined> {
  return (await read(db, owner, { workspaceId, personId }))[0]
}

export async function insertToken(
  tx: Tx,
  workspaceId: string,
  token: {
    id: string
    personId: string
    name: string
    prefix: string
    digest: string
    permissions: Permission[]
    createdAt: Date
    expiresAt: Date
  },
): Promise<void> {
  await sql`
    insert into api_tokens (id, workspace_id, person_id, name, prefix, digest, permissions, created_at, expires_at)
    values (${token.id}, ${workspaceId}, ${token.personId}, ${token.name}, ${token.prefix},
      ${Buffer.from(token.digest, 'hex')}, ${token.permissions}, ${token.createdAt}, ${token.expiresAt})
  `.execute(tx)
}

const byId = statement<{ name: string; prefix: string; personId: string }>(`
  select name, prefix, person_id as "personId" from api_tokens where workspace_id = :workspaceId and id = :id`)

export async function findToken(tx: Tx, workspaceId: string, id: string) {
  return (await read(tx, byId, { workspaceId, id }))[0]
}

const byPrefix = statement<{ id: string }>(`
  select id from api_tokens where workspace_id = :workspaceId and prefix = :prefix`)

/** Several tokens could share the eleven visible characters; then none is meant. */
export async function findTokensByPrefix(db: Db, workspaceId: string, prefix: string) {
  return read(db, byPrefix, { workspaceId, prefix })
}

export async function markRevoked(tx: Tx, workspaceId: string, id: string, at: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update api_tokens set revoked_at = ${at}
    where workspace_id = ${workspaceId} and id = ${id} and revoked_at is null
  `.execute(tx)
  return numAffectedRows === 1n
}

/** Those of one person that were alive. */
export async function markAllRevoked(
  tx: Tx,
  workspaceId: string,
  personId: string,
  at: Date,
): Promise<string[]> {
  const { rows } = await sql<{ prefix: string }>`
    update api_tokens set revoked_at = ${at}
    where workspace_id = ${workspaceId} and person_id = ${personId} and revoked_at is null and expires_at > ${at}
    returning prefix
  `.execute(tx)
  return rows.map(({ prefix }) => prefix)
}

/** Only ever forward: two nodes may report the same token out of order. */
export async function noteUsesOfAllWorkspaces(tx: Tx, uses: Map<string, Date>): Promise<void> {
  await sql`
    insert into api_token_uses (token_id, last_used_at)
    select * from unnest(${[...uses.keys()]}::uuid[], ${[...uses.values()]}::timestamptz[])
    on conflict (token_id) do update set last_used_at = excluded.last_used_at
    where api_token_uses.last_used_at < excluded.last_used_at
  `.execute(tx)
}

const tokensOf = statement<Token>(`
  select t.id, t.name, t.prefix, t.permissions, iso(t.created_at) as "createdAt", iso(t.expires_at) as "expiresAt",
    iso(u.last_used_at) as "lastUsedAt", iso(t.revoked_at) as "revokedAt"
  from api_tokens t
  left join api_token_uses u on u.token_id = t.id
  where t.workspace_id = :workspaceId and t.person_id = :personId
  order by t.id desc`)

export const selectTokensOf = (db: Db, workspaceId: string, personId: string): Promise<readonly Token[]> =>
  read(db, tokensOf, { workspaceId, personId })

const expiring = statement<{
  id: string
  workspaceId: string
  personId: string
  name: string
  expiresAt: Date
}>(`
  select t.id, t.workspace_id as "workspaceId", t.person_id as "personId", t.name, t.expires_at as "expiresAt"
  from api_tokens t
  join workspaces w on w.id = t.workspace_id and w.deleted_at is null
  join memberships m on m.workspace_id = t.workspace_id and m.person_id = t.person_id
  where t.revoked_at is null and t.expires_at > :now and t.expires_at <= :until
  order by t.expires_at`)

export async function selectExpiringOfAllWorkspaces(db: Db, now: Date, until: Date) {
  return read(db, expiring, { now, until })
}
