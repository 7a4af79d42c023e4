import type { AlertRow } from '@signalbox/contract/app/incidents.ts'
import { type Db, read, type Tx, write } from '../../../infra/db/db.ts'
import { reads, writes } from '../../../infra/db/queries.ts'
import { linesOf, statement } from '../../../infra/db/statement.ts'
import type { Rendered } from '../../page.ts'
import type { PagerKind } from '../../ports/pager.ts'
import type { ReadAlert } from '../senders/reading/reading.ts'
import type * as Sql from './store.types.ts'

/** An alert as it is kept. */
export interface StoredAlert {
  id: string
  source_id: string
  fingerprint: string
  title: string
  status: ReadAlert['status']
  severity: ReadAlert['severity']
  service_id: string | null
  incident_id: string | null
  environment: string | null
  description: string | null
  labels: ReadAlert['labels']
  links: ReadAlert['links']
  sender_id: string | null
  is_test: boolean
  cuts: ReadAlert['cuts']
  started_at: Date | null
  ended_at: Date | null
  occurred_at: Date
  recovered_at: Date | null
  count: number
  reason: string | null
  first_at: Date
  last_at: Date
}

const alertColumns = `
  a.id, a.source_id, a.fingerprint, a.title, a.status, a.severity, a.service_id, a.incident_id, a.environment,
  a.description, a.labels, a.links, a.sender_id, a.is_test, a.cuts, a.started_at, a.ended_at, a.occurred_at, a.recovered_at,
  a.count, a.reason, a.first_at, a.last_at
`

const alerts = statement<Sql.Alerts, StoredAlert>(`
  select ${alertColumns}
  from unnest(:sourceIds::uuid[], :fingerprints::text[]) as s(source_id, fingerprint)
  join alerts a on a.source_id = s.source_id and a.fingerprint = s.fingerprint
  where a.workspace_id = :workspaceId`)

const selectAlertsSql = statement<Sql.SelectAlerts>(`set local plan_cache_mode = force_custom_plan`)

export async function selectAlerts(
  tx: Tx,
  workspaceId: string,
  sought: { sourceId: string; fingerprint: string }[],
): Promise<readonly StoredAlert[]> {
  // A plan that was made for a few of few would hold every one of a storm against every row of a table that has grown.
  if (sought.length > 100) await write(tx, selectAlertsSql, {})
  return read(tx, alerts, {
    workspaceId,
    sourceIds: sought.map((one) => one.sourceId),
    fingerprints: sought.map((one) => one.fingerprint),
  })
}

/** As arrays, one for each column: a record of JSON for each row costs the database more than writing the row. */
const given = `
  unnest(:ids::uuid[], :sources::uuid[], :fingerprints::text[], :titles::text[], :statuses::text[], :severities::text[],
    :services::uuid[], :incidents::uuid[], :environments::text[], :descriptions::text[],
    string_to_array(:labels, E'\\n'), string_to_array(:links, E'\\n'), :senderIds::text[], :areTests::boolean[],
    string_to_array(:cuts, E'\\n'), :startedAt::timestamptz[], :endedAt::timestamptz[], :occurredAt::timestamptz[],
    :recoveredAt::timestamptz[], :counts::int[], :reasons::text[], :firstAt::timestamptz[], :lastAt::timestamptz[])
  as g (id, source_id, fingerprint, title, status, severity, service_id, incident_id, environment, description, labels,
    links, sender_id, is_test, cuts, started_at, ended_at, occurred_at, recovered_at, count, reason, first_at, last_at)`

const rows = `
  (workspace_id, id, source_id, fingerprint, title, status, severity, service_id, incident_id, environment, description,
    labels, links, sender_id, is_test, cuts, started_at, ended_at, occurred_at, recovered_at, count, reason, first_at,
    last_at)
  select :workspaceId::uuid, id, source_id, fingerprint, title, status, severity, service_id, incident_id, environment,
    description, labels::jsonb, links::jsonb, sender_id, is_test, cuts::jsonb, started_at, ended_at, occurred_at,
    recovered_at, count, reason, first_at, last_at
  from ${given}`

const added = statement<Sql.Added>(`insert into alerts ${rows}`)

/**
 * Inserts alerts that are new. The caller holds the locks of their sources, so no one else inserts them.
 */
export async function insertAlerts(
  tx: Tx,
  workspaceId: string,
  alerts: readonly StoredAlert[],
): Promise<void> {
  if (alerts.length > 0) await write(tx, added, { workspaceId, ...columnsOf(alerts) })
}

const changed = statement<Sql.Changed>(`
  update alerts a set
    title = g.title, status = g.status, severity = g.severity, service_id = g.service_id, incident_id = g.incident_id,
    environment = g.environment, description = g.description, labels = g.labels::jsonb, links = g.links::jsonb,
    sender_id = g.sender_id, is_test = g.is_test, cuts = g.cuts::jsonb, started_at = g.started_at,
    ended_at = g.ended_at, occurred_at = g.occurred_at, recovered_at = g.recovered_at, count = g.count,
    reason = g.reason, last_at = g.last_at
  from ${given}
  where a.workspace_id = :workspaceId and a.source_id = g.source_id and a.fingerprint = g.fingerprint`)

export async function updateAlerts(
  tx: Tx,
  workspaceId: string,
  alerts: readonly StoredAlert[],
): Promise<void> {
  if (alerts.length > 0) await write(tx, changed, { workspaceId, ...columnsOf(alerts) })
}

const left = statement<Sql.Left>(`insert into former_alerts ${rows} on conflict do nothing`)

export async function insertFormerAlerts(
  tx: Tx,
  workspaceId: string,
  alerts: readonly StoredAlert[],
): Promise<void> {
  if (alerts.length > 0) await write(tx, left, { workspaceId, ...columnsOf(alerts) })
}

function columnsOf(alerts: readonly StoredAlert[]) {
  const column = <Value>(of: (alert: StoredAlert) => Value) => alerts.map(of)
  const times = (of: (alert: StoredAlert) => Date | null) =>
    alerts.map((alert) => of(alert)?.toISOString() ?? null)
  return {
    ids: column((alert) => alert.id),
    sources: column((alert) => alert.source_id),
    fingerprints: column((alert) => alert.fingerprint),
    titles: column((alert) => alert.title),
    statuses: column((alert) => alert.status),
    severities: column((alert) => alert.severity),
    services: column((alert) => alert.service_id),
    incidents: column((alert) => alert.incident_id),
    environments: column((alert) => alert.environment),
    descriptions: column((alert) => alert.description),
    labels: linesOf(column((alert) => JSON.stringify(alert.labels))),
    links: linesOf(column((alert) => jsonOfList(alert.links))),
    senderIds: column((alert) => alert.sender_id),
    areTests: column((alert) => alert.is_test),
    cuts: linesOf(column((alert) => jsonOfList(alert.cuts))),
    startedAt: times((alert) => alert.started_at),
    endedAt: times((alert) => alert.ended_at),
    occurredAt: times((alert) => alert.occurred_at),
    recoveredAt: times((alert) => alert.recovered_at),
    counts: column((alert) => alert.count),
    reasons: column((alert) => alert.reason),
    firstAt: times((alert) => alert.first_at),
    lastAt: times((alert) => alert.last_at),
  }
}

const jsonOfList = (list: readonly unknown[]) => (list.length === 0 ? '[]' : JSON.stringify(list))

export const selectFiring = reads.many<Sql.SelectFiring, StoredAlert>('workspaceId, sourceId')(`
  select ${alertColumns} from alerts a
  where a.workspace_id = :workspaceId and a.source_id = :sourceId and a.status = 'firing'
  order by a.id`)

export const selectUpdatable = reads.many<Sql.SelectUpdatable>('workspaceId, incidentId')(`
  select a.id from alerts a
  join sources s on s.workspace_id = a.workspace_id and s.id = a.source_id
  join services v on v.workspace_id = a.workspace_id and v.id = a.service_id
  where a.workspace_id = :workspaceId and a.incident_id = :incidentId and a.sender_id is not null
    and s.kind in ('pagerduty', 'opsgenie') and s.credentials is not null and s.deleted_at is null
    and v.update_alerts and not v.observe_only
  order by a.id
  limit 100`)

/** An alert as the investigation of its incident reads it. */
export interface QuotedAlert {
  fingerprint: string
  title: string
  description: string | null
  labels: Record<string, string>
  startedAt: Date | null
}

export const selectQuotedAlerts = reads.many<Sql.SelectQuotedAlerts, QuotedAlert>('workspaceId, id, rows')(`
  select fingerprint as "fingerprint!", title as "title!", description, labels as "labels!", started_at as "startedAt"
  from alerts_of_incidents
  where workspace_id = :workspaceId and incident_id = :id
  order by first_at, id
  limit #rows`)

/** An alert of an incident with where it came from, while the service lets it be updated there. */
export interface UpdatableAlert {
  id: string
  title: string
  status: 'firing' | 'resolved'
  senderId: string
  incident: { key: string; title: string; team: string; status: 'open' | 'resolved' }
  source: {
    id: string
    name: string
    kind: PagerKind
    credentials: Buffer
    settings: Record<string, unknown>
  }
}

/** Asked again before every call: what was wished may have been forbidden since, or be about an occurrence that is over. */
export async function selectUpdatableAlert(
  db: Db,
  workspaceId: string,
  incidentId: string,
  alertId: string,
): Promise<UpdatableAlert | undefined> {
  const row = (await read(db, updatableAlert, { workspaceId, incidentId, alertId }))[0]
  if (!row) return undefined
  const { sourceId, sourceName, kind, credentials, settings, ...alert } = row
  return { ...alert, source: { id: sourceId, name: sourceName, kind, credentials, settings } }
}

const updatableAlert = statement<
  Sql.UpdatableAlert,
  Omit<UpdatableAlert, 'source'> & {
    sourceId: string
    sourceName: string
    kind: PagerKind
    credentials: Buffer
    settings: Record<string, unknown>
  }
>(`
  select a.id, a.title, a.status, a.sender_id as "senderId!",
    json_build_object('key', i.key, 'title', i.title, 'team', t.slug, 'status', i.status) as incident,
    s.id as "sourceId", s.name as "sourceName", s.kind, s.credentials as "credentials!", s.settings
  from alerts a
  join incidents i on i.workspace_id = a.workspace_id and i.id = a.incident_id
  join teams t on t.workspace_id = i.workspace_id and t.id = i.team_id
  join sources s on s.workspace_id = a.workspace_id and s.id = a.source_id
  join services v on v.workspace_id = i.workspace_id and v.id = i.service_id
  where a.workspace_id = :workspaceId and a.id = :alertId and i.id = :incidentId and a.sender_id is not null
    and s.kind in ('pagerduty', 'opsgenie') and s.credentials is not null and s.deleted_at is null
    and v.update_alerts and not v.observe_only and v.deleted_at is null`)

const row = `
  select a.id as "id!", (select row_to_json(alert) from (select
    a.id, a.title, a.status, a.severity, a.fingerprint, v.name as service, a.environment, a.description,
    iso(a.started_at) as "startedAt", iso(a.ended_at) as "endedAt", a.labels, a.links, a.count, a.reason,
    i.key as incident, iso(a.first_at) as "firstAt", iso(a.last_at) as "lastAt",
    a.is_test as "isTest", a.cuts,
    json_build_object('id', o.id, 'name', o.name, 'kind', o.kind) as source
  ) as alert)::text as json`

const around = `
  join sources o on o.workspace_id = a.workspace_id and o.id = a.source_id
  left join services v on v.id = a.service_id
  left join incidents i on i.id = a.incident_id
  where a.workspace_id = :workspaceId`

/** Alerts of a source, or those of its sources that belong to a service. */
export const selectAlertRows = reads.many<Sql.SelectAlertRows, Rendered<AlertRow>>(
  'workspaceId, { source, service }, { after, rows }',
)(`
  ${row} from alerts a ${around} [[and a.source_id = :source]]
    [[and a.service_id = :service and a.source_id in (
      select f.source_id from source_services f where f.workspace_id = :workspaceId and f.service_id = :service
    )]] [[and a.id < :after]]
  order by a.id desc
  limit #rows`)

export const selectAlertsOfIncident = reads.many<Sql.SelectAlertsOfIncident, Rendered<AlertRow>>(
  'workspaceId, incident, most',
)(`
  ${row} from alerts_of_incidents a ${around} and a.incident_id = (
    -- Looked up first: a key of the joined incident would have every alert of the workspace joined to find it.
    select id from incidents where workspace_id = :workspaceId and key = :incident
  )
  order by a.last_at desc
  limit #most`)

export const deleteAlertsBefore = writes.count<Sql.DeleteAlertsBefore>(
  'workspaceId, { before, beforeId, most }',
)(`
  delete from alerts
  where id in (
    select a.id
    from sources s
    join alerts a on a.source_id = s.id and a.id < :beforeId
    where s.workspace_id = :workspaceId and a.status = 'resolved' and a.last_at < :before
      and not exists (select from incidents i where i.id = a.incident_id and i.status = 'open')
    limit #most
  )`)

export const deleteFormerAlertsBefore = writes.count<Sql.DeleteFormerAlertsBefore>(
  'workspaceId, { before, beforeId, most }',
)(`
  delete from former_alerts f
  using (
    select o.incident_id, o.id
    from incidents i
    join former_alerts o on o.incident_id = i.id and o.id < :beforeId
    where i.workspace_id = :workspaceId and i.status <> 'open' and o.last_at < :before
    limit #most
  ) as old
  where f.incident_id = old.incident_id and f.id = old.id`)
