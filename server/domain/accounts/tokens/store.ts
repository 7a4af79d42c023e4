import type { Token } from '@signalbox/contract/app/tokens.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import type { Permission } from '@signalbox/contract/token.ts'
import { type Db, read, type Tx, write } from '../../../infra/db/db.ts'
import { reads, writes } from '../../../infra/db/queries.ts'
import { handedIn, statement } from '../../../infra/db/statement.ts'
import type * as Sql from './store.types.ts'

export interface TokenHolder {
  tokenId: string
  prefix: string
  workspaceId: string
  personId: string
  personName: string
  role: Role
  permissions: Permission[]
  /** Whether it may be used for the management API, which no permission allows. */
  manages: boolean
  expiresAt: Date
  /** From where tokens and runners of the workspace are used. */
  networks: string[]
  runnerNetworks: string[]
}

const holder = statement<Sql.Holder, TokenHolder>(`
  select t.id as "tokenId", t.prefix, t.workspace_id as "workspaceId", t.person_id as "personId",
    p.name as "personName", m.role, t.permissions, t.manages, t.expires_at as "expiresAt",
    w.networks, w.runner_networks as "runnerNetworks"
  from api_tokens t
  join workspaces w on w.id = t.workspace_id and w.deleted_at is null
  join memberships m on m.workspace_id = t.workspace_id and m.person_id = t.person_id
  join people p on p.id = t.person_id
  where t.digest = :digest and t.revoked_at is null`)

/** The holder of a digest, if the token is valid: not revoked, its creator a member, its workspace not deleted. */
export async function findHolderByDigest(db: Db, digest: string): Promise<TokenHolder | undefined> {
  return (await read(db, holder, { digest: Buffer.from(digest, 'hex') }))[0]
}

/** Whom a token can belong to: a member of the workspace. */
export const selectOwner = reads.one<Sql.SelectOwner>('workspaceId, personId')(`
  select p.id, p.name from memberships m
  join people p on p.id = m.person_id
  where m.workspace_id = :workspaceId and m.person_id = :personId`)

const insertTokenSql = statement<Sql.InsertToken>(`
  insert into api_tokens (id, workspace_id, person_id, name, prefix, digest, permissions, manages,
    created_at, expires_at)
  values (:id, :workspaceId, :personId, :name, :prefix, :digest, :permissions, :manages, :createdAt, :expiresAt)`)

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
    manages: boolean
    createdAt: Date
    expiresAt: Date
  },
): Promise<void> {
  await write(
    tx,
    insertTokenSql,
    handedIn({ ...token, workspaceId, digest: Buffer.from(token.digest, 'hex') }),
  )
}

export const findToken = reads.one<Sql.FindToken>('workspaceId, id')(`
  select name, prefix, person_id as "personId" from api_tokens where workspace_id = :workspaceId and id = :id`)

/** Several tokens could share the eleven visible characters; then none is meant. */
export const findTokensByPrefix = reads.many<Sql.FindTokensByPrefix>('workspaceId, prefix')(`
  select id from api_tokens where workspace_id = :workspaceId and prefix = :prefix`)

export const markRevoked = writes.wroteOne<Sql.MarkRevoked>('workspaceId, id, at')(`
  update api_tokens set revoked_at = :at
  where workspace_id = :workspaceId and id = :id and revoked_at is null`)

/** Those of one person that were alive. */
export const markAllRevoked = writes.column<Sql.MarkAllRevoked>('workspaceId, personId, at')(`
  update api_tokens set revoked_at = :at
  where workspace_id = :workspaceId and person_id = :personId and revoked_at is null and expires_at > :at
  returning prefix`)

const noteUsesSql = statement<Sql.NoteUses>(`
  insert into api_token_uses (token_id, last_used_at)
  select * from unnest(:ids::uuid[], :moments::timestamptz[])
  on conflict (token_id) do update set last_used_at = excluded.last_used_at
  where api_token_uses.last_used_at < excluded.last_used_at`)

/** Only ever forward: two nodes may report the same token out of order. */
export async function noteUsesOfAllWorkspaces(tx: Tx, uses: Map<string, Date>): Promise<void> {
  await write(tx, noteUsesSql, { ids: [...uses.keys()], moments: [...uses.values()] })
}

export const selectTokensOf = reads.many<Sql.SelectTokensOf, Token>('workspaceId, personId')(`
  select t.id, t.name, t.prefix, t.permissions, t.manages, iso(t.created_at) as "createdAt", iso(t.expires_at) as "expiresAt",
    iso(u.last_used_at) as "lastUsedAt", iso(t.revoked_at) as "revokedAt"
  from api_tokens t
  left join api_token_uses u on u.token_id = t.id
  where t.workspace_id = :workspaceId and t.person_id = :personId and not t.hidden
  order by t.id desc`)

export const selectExpiringOfAllWorkspaces = reads.many<Sql.SelectExpiringOfAllWorkspaces>('now, until')(`
  select t.id, t.workspace_id as "workspaceId", t.person_id as "personId", t.name, t.expires_at as "expiresAt"
  from api_tokens t
  join workspaces w on w.id = t.workspace_id and w.deleted_at is null
  join memberships m on m.workspace_id = t.workspace_id and m.person_id = t.person_id
  where t.revoked_at is null and t.expires_at > :now and t.expires_at <= :until
  order by t.expires_at`)
