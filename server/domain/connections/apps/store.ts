import type { PendingApp } from '@signalbox/contract/app/connections.ts'
import { fromJson, type Json } from '@signalbox/contract/shapes.ts'
import { sql } from 'kysely'
import { type Db, read, type Tx, write } from '../../../infra/db/db.ts'
import { statement } from '../../../infra/db/statement.ts'

/** An app that is being created, with what of it is sealed. */
export interface StoredApp {
  id: string
  personId: string
  name: string
  baseUrl: string
  organization: string | null
  returnTo: string
  hookToken: Buffer
  usedAt: Date | null
  credentials: Buffer | null
  webhookSecret: Buffer | null
  slug: string | null
  installUrl: string | null
  expiresAt: Date
}

const columns = `id, person_id as "personId", name, base_url as "baseUrl", organization, return_to as "returnTo",
  hook_token as "hookToken", used_at as "usedAt", credentials, webhook_secret as "webhookSecret", slug,
  install_url as "installUrl", expires_at as "expiresAt"`

const one = statement<StoredApp>(`
  select ${columns} from github_apps
  where workspace_id = :workspaceId and id = :id and expires_at > :now`)

export async function selectApp(
  db: Db | Tx,
  workspaceId: string,
  id: string,
  now: Date,
): Promise<StoredApp | undefined> {
  return (await read(db, one, { workspaceId, id, now }))[0]
}

const locked = statement<StoredApp>(`
  select ${columns} from github_apps
  where workspace_id = :workspaceId and id = :id and expires_at > :now
  for update`)

export async function lockApp(
  tx: Tx,
  workspaceId: string,
  id: string,
  now: Date,
): Promise<StoredApp | undefined> {
  return (await write(tx, locked, { workspaceId, id, now }))[0]
}

const pending = statement<{ json: Json<PendingApp> }>(`
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

/** What has expired goes with the next one. */
export async function insertApp(
  tx: Tx,
  workspaceId: string,
  row: Pick<
    StoredApp,
    'id' | 'personId' | 'name' | 'baseUrl' | 'organization' | 'returnTo' | 'hookToken' | 'expiresAt'
  > & { at: Date },
): Promise<void> {
  await sql`delete from github_apps where workspace_id = ${workspaceId} and expires_at <= ${row.at}`.execute(
    tx,
  )
  await sql`
    insert into github_apps (id, workspace_id, person_id, name, base_url, organization, return_to, hook_token,
      expires_at, created_at)
    values (${row.id}, ${workspaceId}, ${row.personId}, ${row.name}, ${row.baseUrl}, ${row.organization},
      ${row.returnTo}, ${row.hookToken}, ${row.expiresAt}, ${row.at})
  `.execute(tx)
}

/** Null when the state was used before, or its time is over. */
export async function useState(tx: Tx, workspaceId: string, id: string, at: Date): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    update github_apps set used_at = ${at}
    where workspace_id = ${workspaceId} and id = ${id} and used_at is null and expires_at > ${at}
    returning id
  `.execute(tx)
  return rows[0]?.id ?? null
}

export async function updateApp(
  tx: Tx,
  workspaceId: string,
  id: string,
  made: {
    credentials: Buffer
    webhookSecret: Buffer
    name: string
    slug: string
    installUrl: string
    expiresAt: Date
  },
): Promise<void> {
  await sql`
    update github_apps set credentials = ${made.credentials}, webhook_secret = ${made.webhookSecret},
      name = ${made.name}, slug = ${made.slug}, install_url = ${made.installUrl}, expires_at = ${made.expiresAt}
    where workspace_id = ${workspaceId} and id = ${id}
  `.execute(tx)
}

export async function deleteApp(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await sql`delete from github_apps where workspace_id = ${workspaceId} and id = ${id}`.execute(tx)
}
