import type { DeliveryRow } from '@signalbox/contract/app/sources.ts'
import { fromJson, type Json } from '@signalbox/contract/shapes.ts'
import { type Db, read, type Tx, write } from '../../../infra/db/db.ts'
import { reads, writes } from '../../../infra/db/queries.ts'
import { linesOf, type Statement, statement } from '../../../infra/db/statement.ts'
import type { Rendered } from '../../page.ts'
import type { ReadAlert } from '../senders/reading/reading.ts'
import type { ArrivedFrom } from './arrived.ts'
import type * as Sql from './store.types.ts'

const listedDelivery = `
  d.id, iso(d.received_at) as "receivedAt", json_array_length(d.alerts) as alerts,
  d.test as "isTest", d.problem, d.handshake ->> 'type' as handshake
`

/** What a source has delivered, newest first. */
export const selectDeliveryRows = reads.many<Sql.SelectDeliveryRows, Rendered<DeliveryRow>>(
  'workspaceId, source, { after, rows }',
)(`
  select d.id, (select row_to_json(delivery) from (select ${listedDelivery}) as delivery)::text as json
  from deliveries d
  where d.source_id = :source and d.workspace_id = :workspaceId [[and d.id < :after]]
  order by d.id desc
  limit #rows`)

const oneDelivery = statement<Sql.OneDelivery, { json: Json<DeliveryRow>; alerts: ReadAlert[] }>(`
  select (select row_to_json(delivery) from (select ${listedDelivery}) as delivery)::text as "json!", d.alerts
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

const teamsOf = statement<Sql.TeamsOf>(`
  select f.source_id as source, min(t.slug) as "team!"
  from source_services f
  join services s on s.id = f.service_id and s.workspace_id = f.workspace_id
  join teams t on t.id = s.team_id and t.workspace_id = f.workspace_id
  where f.workspace_id = :workspaceId and f.source_id = any(:sources::uuid[])
  group by f.source_id
  having count(distinct t.id) = 1`)

/** By source, the team whose services it feeds; a source that feeds several teams belongs to none of them alone. */
export async function teamsOfSources(
  tx: Tx,
  workspaceId: string,
  sources: readonly string[],
): Promise<Map<string, string>> {
  const rows = await read(tx, teamsOf, { workspaceId, sources: [...new Set(sources)] })
  return new Map(rows.map(({ source, team }) => [source, team]))
}

export const selectRefusals = reads.many<Sql.SelectRefusals>('workspaceId, source, rows')(`
  select r.hour, r.reason, r.count, r.last_at as "lastAt"
  from refusals r
  join sources s on s.id = r.source_id and s.workspace_id = :workspaceId
  where r.source_id = :source
  order by r.hour desc, r.last_at desc
  limit #rows`)

/** A delivery whose proof was right, as it is acknowledged. */
export interface Acknowledged {
  id: string
  workspaceId: string
  sourceId: string
  /** Tells a repetition; null where nothing does. */
  key: Buffer | null
  receivedAt: Date
  /** JSON of `Arrived`. */
  arrived: string
}

/** Runs one statement: in a transaction, or as a commit of its own. */
export type Run = <Given extends object, Row>(
  statement: Statement<Given, Row>,
  parameters: Given,
) => Promise<readonly Row[]>

const acknowledged = statement<Sql.Acknowledged>(`
  with given as (
    select * from unnest(:ids::uuid[], :workspaces::uuid[], :sources::uuid[], string_to_array(:arrived, E'\\n'))
      as g (id, workspace_id, source_id, arrived)
  ), keyed as (
    select * from unnest(:keyedIds::uuid[], :keyedSources::uuid[], :keys::bytea[], :keyedAt::timestamptz[])
      as k (id, source_id, key, received_at)
  ), first as (
    -- The same delivery may stand twice in one batch.
    select distinct on (source_id, key) id, source_id, key, received_at from keyed order by source_id, key, id
  ), known as (
    insert into delivery_keys (source_id, key, delivery_id, received_at)
    select source_id, key, id, received_at from first order by source_id, key
    -- Not "do nothing": a transaction that waited here for another must see what that one wrote.
    on conflict (source_id, key) do update set delivery_id = delivery_keys.delivery_id
    returning source_id, key, delivery_id
  ), written as (
    insert into intake (workspace_id, source_id, id, deliveries)
    select workspace_id, source_id, (array_agg(id order by id))[1], '[' || string_agg(arrived, ',' order by id) || ']'
    from given
    where id <> all (:keyedIds::uuid[]) or id in (select delivery_id from known)
    group by workspace_id, source_id
  )
  select keyed.id as "given!", known.delivery_id as id
  from keyed join known on known.source_id = keyed.source_id and known.key = keyed.key`)

const written = statement<Sql.Written>(`
  insert into intake (workspace_id, source_id, id, deliveries)
  select * from unnest(:workspaces::uuid[], :sources::uuid[], :ids::uuid[], string_to_array(:rows, E'\\n'))`)

/** The same without asking whether any of them has been here: one row for each source, put together here. */
async function writeUnkeyed(run: Run, deliveries: readonly Acknowledged[]): Promise<void> {
  const rows = [...Map.groupBy(deliveries, ({ sourceId }) => sourceId).values()]
  await run(written, {
    workspaces: rows.map(([first]) => first!.workspaceId),
    sources: rows.map(([first]) => first!.sourceId),
    ids: rows.map(([first]) => first!.id),
    rows: linesOf(rows.map((its) => `[${its.map(({ arrived }) => arrived).join(',')}]`)),
  })
}

/**
 * Writes down what arrived together, each once, and claims what its senders promise to be its own. Returns the id of
 * those with a key: their own, or that of their first arrival.
 */
export async function acknowledgeOfAllWorkspaces(
  run: Run,
  deliveries: readonly Acknowledged[],
): Promise<Map<string, string>> {
  const keyed = deliveries.filter(({ key }) => key !== null)
  if (keyed.length === 0) {
    await writeUnkeyed(run, deliveries)
    return new Map()
  }
  const rows = await run(acknowledged, {
    ids: deliveries.map(({ id }) => id),
    workspaces: deliveries.map(({ workspaceId }) => workspaceId),
    sources: deliveries.map(({ sourceId }) => sourceId),
    arrived: linesOf(deliveries.map(({ arrived }) => arrived)),
    keyedIds: keyed.map(({ id }) => id),
    keyedSources: keyed.map(({ sourceId }) => sourceId),
    keys: keyed.map(({ key }) => key),
    keyedAt: keyed.map(({ receivedAt }) => receivedAt.toISOString()),
  })
  return new Map(rows.map(({ given, id }) => [given, id]))
}

const recorded = statement<Sql.Recorded>(`
  insert into deliveries (id, workspace_id, source_id, received_at, alerts, test, problem, handshake)
  select id, :workspaceId::uuid, source_id, received_at, alerts::json, test, problem, handshake::jsonb
  from unnest(:ids::uuid[], :sources::uuid[], :receivedAt::timestamptz[], string_to_array(:alerts, E'\\n'),
    :test::boolean[], :problems::text[], :handshakes::text[])
    as d (id, source_id, received_at, alerts, test, problem, handshake)`)

export async function insertDeliveries(
  tx: Tx,
  workspaceId: string,
  deliveries: readonly ArrivedFrom[],
): Promise<void> {
  if (deliveries.length === 0) return
  await write(tx, recorded, {
    workspaceId,
    ids: deliveries.map(({ id }) => id),
    sources: deliveries.map(({ sourceId }) => sourceId),
    receivedAt: deliveries.map(({ receivedAt }) => receivedAt),
    alerts: linesOf(deliveries.map(({ alerts }) => JSON.stringify(alerts))),
    test: deliveries.map(({ test }) => test),
    problems: deliveries.map(({ problem }) => problem),
    handshakes: deliveries.map(({ handshake }) => handshake && JSON.stringify(handshake)),
  })
}

const upsertRefusalsSql = statement<Sql.UpsertRefusals>(`
  insert into refusals (source_id, hour, reason, count, last_at)
  select source_id, date_trunc('hour', last_at), reason, count, last_at
  from json_to_recordset(:rows::json) as (
    source_id uuid, reason text, count integer, last_at timestamptz)
  on conflict (source_id, hour, reason)
  do update set count = refusals.count + excluded.count, last_at = excluded.last_at`)

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
  await write(tx, upsertRefusalsSql, { rows: JSON.stringify(rows) })
}

/** How many locks the sources of a workspace share. Nodes have to agree on it, like on the numbers of the locks. */
const intakeLocks = 16
/** The same for its services: as many as a transaction holds at most, however many services a round is about. */
const serviceLocks = 64

/** The sources from which deliveries wait, each with its lock and the services it feeds. */
export const selectWaitingSources = reads.many<Sql.SelectWaitingSources>('workspaceId')(`
  with recursive waiting as (
    (select source_id from intake where workspace_id = :workspaceId order by source_id limit 1)
    union all
    select (
      select i.source_id from intake i where i.workspace_id = :workspaceId and i.source_id > w.source_id
      order by i.source_id limit 1
    ) from waiting w where w.source_id is not null
  )
  select w.source_id as "sourceId!",
    hashtext(:workspaceId::uuid::text || (hashtext(w.source_id::text) & ${intakeLocks - 1})) as "lock!",
    array(
      select f.service_id from source_services f where f.workspace_id = :workspaceId and f.source_id = w.source_id
    ) as "services!"
  from waiting w
  where w.source_id is not null`)

// Nodes of 0.1.0 take 4404 alone, for the whole workspace, so that neither works beside the other.

/** Locks sources until the transaction ends. False where someone has one of them. */
export const tryLockSources = writes.onlyValue<Sql.TryLockSources>('workspaceId, locks')(`
  select bool_and(held) as "held!" from (
    select pg_try_advisory_xact_lock_shared(4404, hashtext(:workspaceId)) as held
    union all
    select pg_try_advisory_xact_lock(4405, lock) from unnest(:locks::int[]) as lock
  ) as each`)

/** The same, waiting for those who have them, in the order given. */
export const lockSources = writes.run<Sql.LockSources>('workspaceId, locks')(`
  select pg_advisory_xact_lock_shared(4404, hashtext(:workspaceId))
  union all
  select pg_advisory_xact_lock(4405, lock) from unnest(:locks::int[]) as lock`)

/**
 * Holds back other rounds that are about one of these services until the transaction ends. It has at most one open
 * incident, and only rounds open any.
 */
export const lockServices = writes.run<Sql.LockServices>('workspaceId, ids')(`
  select pg_advisory_xact_lock(4407, lock) from (
    select distinct hashtext(:workspaceId || (hashtext(id::text) & ${serviceLocks - 1})) as lock
    from unnest(:ids::uuid[]) as id
    order by lock
  ) as sorted`)

/** A row of the intake. */
export type IntakeRow = Sql.SelectIntake['row']

/** The oldest rows of each of these sources, up to about so many bytes; one at least. */
// By source, so that a flood of one is no queue for another: of each the first row, then of each the second, and so on.
export const selectIntake = reads.many<Sql.SelectIntake>('workspaceId, sources, ...most')(`
  with ranked as (
    select s.source_id, i.id, i.bytes, i.place
    from unnest(:sources::uuid[]) as s (source_id) cross join lateral (
      select id, octet_length(deliveries) as bytes, row_number() over (order by id) as place
      from intake where workspace_id = :workspaceId and source_id = s.source_id
      order by id limit #rows
    ) i
  ), measured as (
    select source_id, id, sum(bytes) over (order by place, id rows unbounded preceding) - bytes as before from ranked
  )
  select i.source_id as "sourceId", i.id, i.deliveries
  from measured m join intake i on i.workspace_id = :workspaceId and i.source_id = m.source_id and i.id = m.id
  where m.before < #bytes
  order by i.id`)

const taken = statement<Sql.Taken>(`
  delete from intake i using unnest(:sources::uuid[], :ids::uuid[]) as t (source_id, id)
  where i.workspace_id = :workspaceId and i.source_id = t.source_id and i.id = t.id`)

export async function deleteIntake(
  tx: Tx,
  workspaceId: string,
  rows: readonly Pick<IntakeRow, 'sourceId' | 'id'>[],
): Promise<void> {
  await write(tx, taken, {
    workspaceId,
    sources: rows.map(({ sourceId }) => sourceId),
    ids: rows.map(({ id }) => id),
  })
}

export type FedService = Sql.SelectFed['row']

/** Which services each of the sources feeds. */
export const selectFed = reads.many<Sql.SelectFed>('workspaceId, sourceIds')(`
  select f.source_id as "sourceId", s.id as "serviceId", s.name
  from source_services f
  join services s on s.workspace_id = f.workspace_id and s.id = f.service_id and s.deleted_at is null
  where f.workspace_id = :workspaceId and f.source_id = any(:sourceIds)`)

export const selectWaitingWorkspaces = reads.many<Sql.SelectWaitingWorkspaces>('rows')(`
  with recursive found as (
    (select workspace_id from intake order by workspace_id limit 1)
    union all
    select (select i.workspace_id from intake i where i.workspace_id > f.workspace_id order by i.workspace_id limit 1)
    from found f where f.workspace_id is not null
  )
  select workspace_id as "workspaceId!" from found where workspace_id is not null limit #rows`)

export const deleteOldKeysOfAllWorkspaces = writes.run<Sql.DeleteOldKeysOfAllWorkspaces>('than')(
  `delete from delivery_keys where received_at < :than`,
)

export const makeMonthsOfAllWorkspaces = writes.run<Sql.MakeMonthsOfAllWorkspaces>('until')(
  'select prepare_delivery_months(:until::date)',
)

export const deleteDeliveriesBefore = writes.count<Sql.DeleteDeliveriesBefore>(
  'workspaceId, beforeId, most',
)(`
  delete from deliveries d
  using (
    select o.source_id, o.id
    from sources s
    join deliveries o on o.source_id = s.id and o.id < :beforeId
    where s.workspace_id = :workspaceId
    limit #most
  ) as old
  where d.source_id = old.source_id and d.id = old.id`)

export const deleteRefusalsBefore = writes.count<Sql.DeleteRefusalsBefore>('workspaceId, before, most')(`
  delete from refusals r
  using (
    select o.source_id, o.hour, o.reason
    from sources s
    join refusals o on o.source_id = s.id and o.hour < :before
    where s.workspace_id = :workspaceId
    limit #most
  ) as old
  where r.source_id = old.source_id and r.hour = old.hour and r.reason = old.reason`)
