import type { SourceRow } from '@signalbox/contract/app/sources.ts'
import { fromJson, type Json } from '@signalbox/contract/shapes.ts'
import type { Source, SourceKind } from '@signalbox/contract/source.ts'
import { type Db, read, type Tx, write } from '../../../infra/db/db.ts'
import { reads, writes } from '../../../infra/db/queries.ts'
import { handedIn, statement } from '../../../infra/db/statement.ts'
import type { Rendered } from '../../page.ts'
import type * as Sql from './store.types.ts'

/** A source as readers see it. Its address is built from the token by callers that know the base address. */
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
/** With its last delivery, what its check found, and what its sender refuses. */
export type StoredSourceRow = StoredSource & Pick<SourceRow, 'lastDeliveryAt' | 'check' | 'updatesRefused'>

const seenSources = statement<Sql.SeenSources, { id: string; json: Json<StoredSourceRow> }>(`
  select s.id, (s.json::jsonb || jsonb_build_object(
    'lastDeliveryAt', (
      select iso(d.received_at) from deliveries d where d.source_id = s.id order by d.id desc limit 1
    ),
    'check', (
      select jsonb_build_object('status', u.status, 'changedAt', iso(u.changed_at), 'failures', u.failures,
        'lastAt', iso(u.last_at), 'lastError', u.last_error)
      from uptime_states u where u.source_id = s.id
    ),
    'updatesRefused', array(
      select jsonb_build_object('scope', r.scope, 'name', null, 'message', r.message,
        'since', iso(r.first_at), 'lastAt', iso(r.last_at), 'nextTryAt', (
          select iso(min(e.due_at)) from effects e
          where e.workspace_id = r.workspace_id and e.parked_by = r.id and e.due_at < 'infinity'
        ), 'waiting', (
          select count(*)::int from effects e
          where e.workspace_id = r.workspace_id and e.parked_by = r.id and e.due_at is not null
        ))
      from tool_refusals r
      where r.workspace_id = :workspaceId and r.source_id = s.id and r.mended_at is null
      order by r.id
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
  return (await read(db, seenSources, handedIn({ ...filter, workspaceId }))).map(({ json }) => fromJson(json))
}

export const selectSource = reads.one<Sql.SelectSource, Rendered<StoredSource>>('workspaceId, id')(
  `${source} and s.id = :id`,
)

export const lockSource = writes.one<Sql.LockSource>('workspaceId, id')(`
  select id, kind, name, paused_at, secret, former_until from sources
  where workspace_id = :workspaceId and id = :id and deleted_at is null
  for no key update`)

const insertSourceSql = statement<Sql.InsertSource>(`
  insert into sources (id, workspace_id, kind, name, token, secret, credentials, settings, created_at, updated_at)
  values (:id, :workspaceId, :kind, :name, :token, :secret?, :credentials?, :settings, :at, :at)`)

export async function insertSource(
  tx: Tx,
  workspaceId: string,
  {
    services,
    settings,
    ...row
  }: {
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
  await write(tx, insertSourceSql, handedIn({ ...row, workspaceId, settings: JSON.stringify(settings) }))
  await replaceServices(tx, workspaceId, row.id, services)
}

const updateSourceSql = statement<Sql.UpdateSource>(`
  update sources set updated_at = :at
    [[, name = :name]] [[, settings = :settings]] [[, credentials = :credentials?]] [[, paused_at = :pausedAt?]]
    [[, deleted_at = :deletedAt]] [[, secret = :secret]] [[, former_secret = :formerSecret?]]
    [[, former_until = :formerUntil?]]
  where workspace_id = :workspaceId and id = :id`)

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
  await write(tx, updateSourceSql, {
    ...{ workspaceId, id, name, credentials, pausedAt, deletedAt, at },
    settings: settings && JSON.stringify(settings),
    secret: secret?.current,
    formerSecret: secret?.former ?? formerSecret,
    formerUntil: secret?.formerUntil ?? formerSecret,
  })
  if (services) await replaceServices(tx, workspaceId, id, services)
}

const deleteSourceServicesSql = statement<Sql.DeleteSourceServices>(
  `delete from source_services where workspace_id = :workspaceId and source_id = :id`,
)

const insertSourceServicesSql = statement<Sql.InsertSourceServices>(`
  insert into source_services (workspace_id, source_id, service_id)
  select :workspaceId, :id, unnest(:services::uuid[])`)

async function replaceServices(tx: Tx, workspaceId: string, id: string, services: string[]): Promise<void> {
  await write(tx, deleteSourceServicesSql, { workspaceId, id })
  await write(tx, insertSourceServicesSql, { workspaceId, id, services })
}

/** The ids among `ids` that are no services of the workspace. */
export const selectUnknownServices = reads.column<Sql.SelectUnknownServices>('workspaceId, ids')(`
  select id::text from unnest(:ids::uuid[]) as "id!"
  where id not in (select id from services where workspace_id = :workspaceId and deleted_at is null)`)

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

export const selectByToken = reads.one<Sql.SelectByToken, IntakeSource>('token')(`
  select s.id, s.workspace_id as "workspaceId", s.kind, s.name, s.secret, s.former_secret as "formerSecret",
    s.former_until as "formerUntil", s.settings, s.paused_at is not null as paused
  from sources s
  join workspaces w on w.id = s.workspace_id and w.deleted_at is null
  where s.token = :token and s.deleted_at is null and s.kind <> 'uptime'`)

export const selectSecretsOfAllWorkspaces = writes.many<Sql.SelectSecretsOfAllWorkspaces>()(`
  select id, secret, former_secret as "formerSecret", credentials from sources
  where secret is not null or former_secret is not null or credentials is not null
  order by id
  for no key update`)

export const updateSecretsOfAllWorkspaces = writes.run<Sql.UpdateSecretsOfAllWorkspaces>(
  '{ id, secret, formerSecret, credentials }',
)(`
  update sources set secret = :secret?, former_secret = :formerSecret?, credentials = :credentials?
  where id = :id`)

export const lockSealedOfAllWorkspaces = writes.many<Sql.LockSealedOfAllWorkspaces>('afterId, most')(`
  select id, secret, former_secret as "formerSecret", credentials from sources
  where id > :afterId and num_nonnulls(secret, former_secret, credentials) > 0
  order by id
  limit #most
  for no key update`)
