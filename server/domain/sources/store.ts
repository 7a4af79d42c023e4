import type { SourceRow } from '@signalbox/contract/app/sources.ts'
import { fromJson, type Json } from '@signalbox/contract/shapes.ts'
import type { Source, SourceKind } from '@signalbox/contract/source.ts'
import { sql } from 'kysely'
import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
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
const sources = statement<Rendered<StoredSource>>(`${source} order by s.id desc`)
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

export async function selectSources(db: Db, workspaceId: string): Promise<readonly Rendered<StoredSource>[]> {
  return read(db, sources, { workspaceId })
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
}

export async function lockSource(tx: Tx, workspaceId: string, id: string): Promise<LockedSource | undefined> {
  return tx
    .selectFrom('sources')
    .select(['id', 'kind', 'name', 'paused_at', 'secret'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

export async function insertSource(
  tx: Tx,
  row: {
    id: string
    workspaceId: string
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
  await tx
    .insertInto('sources')
    .values({
      id: row.id,
      workspace_id: row.workspaceId,
      kind: row.kind,
      name: row.name,
      token: row.token,
      secret: row.secret,
      credentials: row.credentials,
      settings: JSON.stringify(row.settings),
      created_at: row.at,
      updated_at: row.at,
    })
    .execute()
  await replaceServices(tx, row.workspaceId, row.id, row.services)
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
  },
  at: Date,
): Promise<void> {
  await tx
    .updateTable('sources')
    .set({
      updated_at: at,
      ...(changed.name === undefined ? {} : { name: changed.name }),
      ...(changed.settings === undefined ? {} : { settings: JSON.stringify(changed.settings) }),
      ...(changed.credentials === undefined ? {} : { credentials: changed.credentials }),
      ...(changed.pausedAt === undefined ? {} : { paused_at: changed.pausedAt }),
      ...(changed.deletedAt === undefined ? {} : { deleted_at: changed.deletedAt }),
      ...(changed.secret === undefined
        ? {}
        : {
            secret: changed.secret.current,
            former_secret: changed.secret.former,
            former_until: changed.secret.formerUntil,
          }),
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
  if (changed.services) await replaceServices(tx, workspaceId, id, changed.services)
}

async function replaceServices(tx: Tx, workspaceId: string, id: string, services: string[]): Promise<void> {
  await tx
    .deleteFrom('source_services')
    .where('workspace_id', '=', workspaceId)
    .where('source_id', '=', id)
    .execute()
  if (services.length === 0) return
  await tx
    .insertInto('source_services')
    .values(services.map((service_id) => ({ workspace_id: workspaceId, source_id: id, service_id })))
    .execute()
}

/** The ids among `ids` that are no services of the workspace. */
export async function selectUnknownServices(tx: Tx, workspaceId: string, ids: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id::text from unnest(${ids}::uuid[]) as id
    where id not in (select id from services where workspace_id = ${workspaceId} and deleted_at is null)
  `.execute(tx)
  return rows.map((row) => row.id)
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
