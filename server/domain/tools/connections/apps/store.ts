import type { PendingApp } from '@signalbox/contract/app/connections.ts'
import { fromJson, type Json } from '@signalbox/contract/shapes.ts'
import { type Db, read, type Tx, write } from '../../../../infra/db/db.ts'
import { reads, writes } from '../../../../infra/db/queries.ts'
import { handedIn, statement } from '../../../../infra/db/statement.ts'
import type * as Sql from './store.types.ts'

/** An app that is being created, with what of it is sealed. */
export type StoredApp = Sql.SelectApp['row']

const columns = `id, person_id as "personId", name, base_url as "baseUrl", organization, return_to as "returnTo",
  hook_token as "hookToken", used_at as "usedAt", credentials, webhook_secret as "webhookSecret", slug,
  install_url as "installUrl", expires_at as "expiresAt"`

export const selectApp = reads.one<Sql.SelectApp>('workspaceId, id, now')(`
  select ${columns} from github_apps
  where workspace_id = :workspaceId and id = :id and expires_at > :now`)

export const lockApp = writes.one<Sql.LockApp>('workspaceId, id, now')(`
  select ${columns} from github_apps
  where workspace_id = :workspaceId and id = :id and expires_at > :now
  for update`)

const pending = statement<Sql.Pending, { json: Json<PendingApp> }>(`
  select (select row_to_json(app) from (select
    a.id, a.name, a.base_url as "baseUrl", a.slug, iso(a.created_at) as "createdAt"
  ) as app)::text as json
  from github_apps a
  where a.workspace_id = :workspaceId and a.credentials is not null and a.expires_at > :now
  order by a.id desc`)

/** Those that exist over there and are not installed yet. */
export async function selectPendingApps(db: Db, workspaceId: string, now: Date): Promise<PendingApp[]> {
  return (await read(db, pending, { workspaceId, now })).map(({ json }) => fromJson(json))
}

const deleteGithubAppsSql = statement<Sql.DeleteGithubApps>(
  `delete from github_apps where workspace_id = :workspaceId and expires_at <= :at`,
)

const insertAppSql = statement<Sql.InsertApp>(`
  insert into github_apps (id, workspace_id, person_id, name, base_url, organization, return_to, hook_token,
    expires_at, created_at)
  values (:id, :workspaceId, :personId, :name, :baseUrl, :organization?, :returnTo, :hookToken, :expiresAt, :at)`)

/** What has expired goes with the next one. */
export async function insertApp(
  tx: Tx,
  workspaceId: string,
  row: Pick<
    StoredApp,
    'id' | 'personId' | 'name' | 'baseUrl' | 'organization' | 'returnTo' | 'hookToken' | 'expiresAt'
  > & { at: Date },
): Promise<void> {
  await write(tx, deleteGithubAppsSql, { workspaceId, at: row.at })
  await write(tx, insertAppSql, handedIn({ ...row, workspaceId }))
}

const useStateSql = statement<Sql.UseState>(`
  update github_apps set used_at = :at
  where workspace_id = :workspaceId and id = :id and used_at is null and expires_at > :at
  returning id`)

/** Null when the state was used before, or its time is over. */
export async function useState(tx: Tx, workspaceId: string, id: string, at: Date): Promise<string | null> {
  return (await write(tx, useStateSql, { workspaceId, at, id }))[0]?.id ?? null
}

export const updateApp = writes.run<Sql.UpdateApp>('workspaceId, id, ...made')(`
  update github_apps set credentials = :credentials, webhook_secret = :webhookSecret,
    name = :name, slug = :slug, install_url = :installUrl, expires_at = :expiresAt
  where workspace_id = :workspaceId and id = :id`)

export const deleteApp = writes.run<Sql.DeleteApp>('workspaceId, id')(
  `delete from github_apps where workspace_id = :workspaceId and id = :id`,
)

export const lockSealedOfAllWorkspaces = writes.many<Sql.LockSealedOfAllWorkspaces>('afterId, most')(`
  select id, credentials, hook_token as "hookToken", webhook_secret as "webhookSecret" from github_apps
  where id > :afterId
  order by id
  limit #most
  for no key update`)

export const updateSealedOfAllWorkspaces = writes.run<Sql.UpdateSealedOfAllWorkspaces>(
  '{ id, credentials, hookToken, webhookSecret }',
)(`
  update github_apps set credentials = :credentials?, hook_token = :hookToken, webhook_secret = :webhookSecret?
  where id = :id`)
