import type { DeliveryRow } from '@signalbox/contract/app/sources.ts'
import { fromJson, type Json } from '@signalbox/contract/shapes.ts'
import { sql } from 'kysely'
import { type Db, read, type Tx, write } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import { type PageRequest, type Rendered, rowsFor } from '../page.ts'
import type { Handshake, ReadAlert } from '../senders/reading/reading.ts'

const listedDelivery = `
  d.id, iso(d.received_at) as "receivedAt", json_array_length(d.alerts) as alerts,
  d.test as "isTest", d.problem, d.handshake ->> 'type' as handshake,
  exists (select from deliveries_waiting w where w.workspace_id = d.workspace_id and w.id = d.id) as waits
`

const deliveryPage = statement<Rendered<DeliveryRow>>(`
  select d.id, (select row_to_json(delivery) from (select ${listedDelivery}) as delivery)::text as json
  from deliveries d
  where d.source_id = :source and d.workspace_id = :workspaceId [[and d.id < :after]]
  order by d.id desc
  limit #rows`)

/** What a source has delivered, newest first. */
export async function selectDeliveryRows(
  db: Db,
  workspaceId: string,
  source: string,
  { after, ...page }: PageRequest,
): Promise<readonly Rendered<DeliveryRow>[]> {
  return read(db, deliveryPage, { workspaceId, source, after, rows: rowsFor(page) })
}

const oneDelivery = statement<{ json: Json<DeliveryRow>; alerts: ReadAlert[] }>(`
  select (select row_to_json(delivery) from (select ${listedDelivery}) as delivery)::text as json, d.alerts
  from deliveries d
  where d.id = :id and d.source_id = :source and d.workspace_id = :workspaceId`)

export async function selectDeliveryPage(
  db: Db,
  workspaceId: string,
  source: string,
  id: string,
): Promise<{ listed: DeliveryRow; alerts: ReadAlert[] } | undefined> {
  const [row] = await read(db, oneDelivery, { workspaceId, source, id })
  return row && { listed: fromJson(row.json), alerts: row.alerts }
}

const refusals = statement<{ hour: Date; reason: string; count: number; lastAt: Date }>(`
  select r.hour, r.reason, r.count, r.last_at as "lastAt"
  from refusals r
  join sources s on s.id = r.source_id and s.workspace_id = :workspaceId
  where r.source_id = :source
  order by r.hour desc, r.last_at desc
  limit #rows`)

export async function selectRefusals(db: Db, workspaceId: string, source: string, rows: number) {
  return read(db, refusals, { workspaceId, source, rows })
}

/** A delivery whose proof was right, as it is written down. */
export interface AcceptedDelivery {
  id: string
  workspaceId: string
  sourceId: string
  /** Tells a repetition; null where nothing does. */
  key: Buffer | null
  receivedAt: Date
  alerts: ReadAlert[]
  test: boolean
  problem: string | null
  handshake: Handshake | null
  /** Whether there is anything in it to be understood. */
  waits: boolean
}

/** Writes deliveries down, each once. Returns the id of those with a key: their own, or that of their first arrival. */
export async function insertDeliveriesOfAllWorkspaces(
  tx: Tx,
  deliveries: AcceptedDelivery[],
): Promise<Map<string, string>> {
  const given = deliveries.map((delivery) => ({
    id: delivery.id,
    workspace_id: delivery.workspaceId,
    source_id: delivery.sourceId,
    key: delivery.key?.toString('hex') ?? null,
    received_at: delivery.receivedAt.toISOString(),
    alerts: delivery.alerts,
    test: delivery.test,
    problem: delivery.problem,
    handshake: delivery.handshake,
    waits: delivery.waits,
  }))
  const { rows } = await sql<{ given_id: string; id: string }>`
    with given as (
      select * from json_to_recordset(${JSON.stringify(given)}::json) as (
        id uuid, workspace_id uuid, source_id uuid, key text, received_at timestamptz, alerts json, test boolean,
        problem text, handshake jsonb, waits boolean)
    ), first as (
      -- The same delivery may stand twice in one batch.
      select distinct on (source_id, key) id, source_id, key, received_at from given
      where key is not null order by source_id, key, id
    ), known as (
      insert into delivery_keys (source_id, key, delivery_id, received_at)
      select source_id, decode(key, 'hex'), id, received_at from first order by source_id, key
      -- Not "do nothing": whoever waited here for another connection must see what that one wrote.
      on conflict (source_id, key) do update set delivery_id = delivery_keys.delivery_id
      returning source_id, key, delivery_id
    ), taken as (
      select given.* from given where key is null or id in (select delivery_id from known)
    ), written as (
      insert into deliveries (id, workspace_id, source_id, received_at, alerts, test, problem, handshake)
      select id, workspace_id, source_id, received_at, alerts, test, problem, handshake from taken
    ), queued as (
      insert into deliveries_waiting (id, workspace_id) select id, workspace_id from taken where waits
    )
    select given.id as given_id, known.delivery_id as id
    from given
    join known on known.source_id = given.source_id and known.key = decode(given.key, 'hex')
  `.execute(tx)
  return new Map(rows.map((row) => [row.given_id, row.id]))
}

export async function upsertRefusalsOfAllWorkspaces(
  tx: Tx,
  counts: { sourceId: string; reason: string; count: number; lastAt: Date }[],
): Promise<void> {
  const rows = counts.map(({ sourceId, reason, count, lastAt }) => ({
    source_id: sourceId,
    reason,
    count,
    last_at: lastAt.toISOString(),
  }))
  await sql`
    insert into refusals (source_id, hour, reason, count, last_at)
    select source_id, date_trunc('hour', last_at), reason, count, last_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as (
      source_id uuid, reason text, count integer, last_at timestamptz)
    on conflict (source_id, hour, reason)
    do update set count = refusals.count + excluded.count, last_at = excluded.last_at
  `.execute(tx)
}

export interface WaitingDelivery {
  id: string
  sourceId: string
  receivedAt: Date
  alerts: ReadAlert[]
  handshake: Handshake | null
}

const lock = statement('select pg_advisory_xact_lock(4404, hashtext(:workspaceId))')

/** One at a time for each workspace: what arrived first is understood first. */
export async function lockSignals(tx: Tx, workspaceId: string): Promise<void> {
  await write(tx, lock, { workspaceId })
}

/** Takes the oldest deliveries that nobody has looked at. */
export async function takeWaiting(tx: Tx, workspaceId: string, most: number): Promise<WaitingDelivery[]> {
  const { rows } = await sql<WaitingDelivery>`
    with taken as (
      delete from deliveries_waiting where workspace_id = ${workspaceId} and id in (
        select id from deliveries_waiting where workspace_id = ${workspaceId} order by id limit ${most}
      )
      returning id
    )
    select d.id, d.source_id as "sourceId", d.received_at as "receivedAt", d.alerts, d.handshake
    from taken join deliveries d on d.id = taken.id
    order by d.id
  `.execute(tx)
  return rows
}

export interface FedService {
  sourceId: string
  serviceId: string
  name: string
}

const fed = statement<FedService>(`
  select f.source_id as "sourceId", s.id as "serviceId", s.name
  from source_services f
  join services s on s.workspace_id = f.workspace_id and s.id = f.service_id and s.deleted_at is null
  where f.workspace_id = :workspaceId and f.source_id = any(:sourceIds)`)

/** Which services each of the sources feeds. */
export async function selectFed(
  tx: Tx,
  workspaceId: string,
  sourceIds: string[],
): Promise<readonly FedService[]> {
  return read(tx, fed, { workspaceId, sourceIds })
}

const waitingWorkspaces = statement<{ workspaceId: string }>(`
  select distinct workspace_id as "workspaceId" from deliveries_waiting limit #rows`)

export async function selectWaitingWorkspaces(db: Db, rows: number) {
  return read(db, waitingWorkspaces, { rows })
}

export async function deleteOldKeysOfAllWorkspaces(tx: Tx, than: Date): Promise<void> {
  await sql`delete from delivery_keys where received_at < ${than}`.execute(tx)
}

const months = statement('select prepare_delivery_months(:until::date)')

export async function makeMonthsOfAllWorkspaces(tx: Tx, until: string): Promise<void> {
  await write(tx, months, { until })
}
