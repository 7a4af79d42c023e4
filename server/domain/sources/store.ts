import type { SourceRow } from '@signalbox/contract/app/sources.ts'
import { fromJson, type Json } from '@signalbox/contract/shapes.ts'
import type { Source, SourceKind } from '@signalbox/contract/source.ts'
import { sql } from 'kysely'
import { assignments } from '../../infra/db/assignments.ts'
import { type Db, read, type Tx, write } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import type { Sources } from '../../infra/db/tables.ts'
import type { Rendered } from '../page.ts'

/** A source as readers see it; its address is made of the token by whoever knows the base address. */
export type StoredSource = Omit<Source, 'url'> & { token: string }

const source = `
  select s.id, (select row_to_json(source) from (select
    s.id, s.kind, s.name, s.token, s.settings,
    array(
      select service_id from source_services f
      where f.workspace_id = s.workspace_id and f.source_id = s.id order by service_id
    ) as services,
    s.paused_at is not null as paused,
    iso(s.former_until) as "formerSecretUntil",
    s.credentials is not null as "canUpdateAlerts",
    iso(s.created_at) as "createdAt", iso(s.updated_at) as "updatedAt"
  ) as source)::text as json
  from sources s
  where s.workspace_id = :workspaceId and s.deleted_at is null
`
const oneSource = statement<Rendered<StoredSource>>(`${source} and s.id = :id`)

/** With when it was heard of last, and what its check found. */
export type StoredSourceRow = StoredSource & Pick<SourceRow, 'lastDeliveryAt' | 'check'>

const seenSources = statement<{ id: string; json: Json<StoredSourceRow> }>(`
  select s.id, (s.json::jsonb || jsonb_build_object(
    'lastDeliveryAt', (
      select iso(d.received_at) from deliveries d where d.source_id = s.id order by d.id desc limit 1
    ),
    'check', (
      select jsonb_build_object('status', u.status, 'changedAt', iso(u.changed_at), 'failures', u.failures,
        'lastAt', iso(u.last_at), 'lastError', u.last_error)
      from uptime_states u where u.source_id = s.id
    )
  ))::text as json
  from (${source} [[and s.id = :id]] [[and s.id in (
    select f.source_id from source_services f where f.workspace_id = :workspaceId and f.service_id = :service
  )]]) s
  order by s.id desc`)

export async function selectSourceRows(
  db: Db,
  workspaceId: string,
  filter: { id?: string; service?: string },
): Promise<StoredSourceRow[]> {
  return (await read(db, seenSources, { workspaceId, ...filter })).map(({ json }) => fromJson(json))
}

export async function selectSource(
  db: Db | Tx,
  workspaceId: string,
  id: string,
): Promise<Rendered<StoredSource> | undefined> {
  return (await read(db, oneSource, { workspaceId, id }))[0]
}

export interface LockedSource {
  id: string
  kind: SourceKind
  name: string
  paused_at: Date | null
  secret: Buffer | null
  former_until: Date | null
}

const locked = statement<LockedSource>(`
  select id, kind, name, paused_at, secret, former_until from sources
  where workspace_id = :workspaceId and id = :id and deleted_at is null
  for no key update`)

export async function lockSource(tx: Tx, workspaceId: string, id: string): Promise<LockedSource | undefined> {
  return (await write(tx, locked, { workspaceId, id }))[0]
}

export async function insertSource(
  tx: Tx,
  workspaceId: string,
  row: {
    id: string
    kind: SourceKind
    name: string
    token: string
    secret: Buffer | null
    credentials: Buffer | null
    settings: Record<string, unknown>
    services: string[]
    at: Date
  },
): Promise<void> {
  await sql`
    insert into sources (id, workspace_id, kind, name, token, secret, credentials, settings, created_at, updated_at)
    values (${row.id}, ${workspaceId}, ${row.kind}, ${row.name}, ${row.token}, ${row.secret}, ${row.credentials},
      ${JSON.stringify(row.settings)}, ${row.at}, ${row.at})
  `.execute(tx)
  await replaceServices(tx, workspaceId, row.id, row.services)
}

export async function updateSource(
  tx: Tx,
  workspaceId: string,
  id: string,
  changed: {
    name?: string
    settings?: Record<string, unknown>
    credentials?: Buffer | null
    services?: string[]
    pausedAt?: Date | null
    deletedAt?: Date
    secret?: { current: Buffer; former: Buffer; formerUntil: Date }
    /** Ends it. */
    formerSecret?: null
  },
  at: Date,
): Promise<void> {
  const { name, settings, credentials, services, pausedAt, deletedAt, secret, formerSecret } = changed
  const changes = assignments<Sources>({
    name,
    settings: settings && JSON.stringify(settings),
    credentials,
    paused_at: pausedAt,
    deleted_at: deletedAt,
    secret: secret?.current,
    former_secret: secret?.former ?? formerSecret,
    former_until: secret?.formerUntil ?? formerSecret,
    updated_at: at,
  })
  await sql`update sources set ${changes} where workspace_id = ${workspaceId} and id = ${id}`.execute(tx)
  if (services) await replaceServices(tx, workspaceId, id, services)
}

async function replaceServices(tx: Tx, workspaceId: string, id: string, services: string[]): Promise<void> {
  await sql`delete from source_services where workspace_id = ${workspaceId} and source_id = ${id}`.execute(tx)
  await sql`
    insert into source_services (workspace_id, source_id, service_id)
    select ${workspaceId}, ${id}, unnest(${services}::uuid[])
  `.execute(tx)
}

const unknownServices = statement<{ id: string }>(`
  select id::text from unnest(:ids::uuid[]) as id
  where id not in (select id from services where workspace_id = :workspaceId and deleted_at is null)`)

/** The ids among `ids` that are no services of the workspace. */
export async function selectUnknownServices(tx: Tx, workspaceId: string, ids: string[]): Promise<string[]> {
  return (await read(tx, unknownServices, { workspaceId, ids })).map((row) => row.id)
}

/** A source as the intake needs it. */
export interface IntakeSource {
  id: string
  workspaceId: string
  kind: SourceKind
  name: string
  secret: Buffer | null
  formerSecret: Buffer | null
  formerUntil: Date | null
  settings: Record<string, string>
  paused: boolean
}

const byToken = statement<IntakeSource>(`
  select s.id, s.workspace_id as "workspaceId", s.kind, s.name, s.secret, s.former_secret as "formerSecret",
    s.former_until as "formerUntil", s.settings, s.paused_at is not null as paused
  from sources s
  join workspaces w on w.id = s.workspace_id and w.deleted_at is null
  where s.token = :token and s.deleted_at is null and s.kind <> 'uptime'`)

export async function selectByToken(db: Db, token: string): Promise<IntakeSource | undefined> {
  return (await read(db, byToken, { token }))[0]
}

export interface SourceSecrets {
  id: string
  secret: Buffer | null
  formerSecret: Buffer | null
  credentials: Buffer | null
}

const secretsOfAll = statement<SourceSecrets>(`
  select id, secret, former_secret as "formerSecret", credentials from sources
  where secret is not null or former_secret is not null or credentials is not null
  order by id
  for no key update`)

export const selectSecretsOfAllWorkspaces = (tx: Tx) => write(tx, secretsOfAll, {})

export async function updateSecretsOfAllWorkspaces(
  tx: Tx,
  { id, secret, formerSecret, credentials }: SourceSecrets,
): Promise<void> {
  await sql`
    update sources set secret = ${secret}, former_secret = ${formerSecret}, credentials = ${credentials}
    where id = ${id}
  `.execute(tx)
}
