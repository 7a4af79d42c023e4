import type { ConnectionRow, HookDeliveryRow } from '@signalbox/contract/app/connections.ts'
import type { ConnectionKind } from '@signalbox/contract/connection-kinds.ts'
import { writesPerHour, writesPerMinute } from '@signalbox/contract/limits.ts'
import { fromJson, type Json } from '@signalbox/contract/shapes.ts'
import { sql } from 'kysely'
import { assignments } from '../../infra/db/assignments.ts'
import { type Db, read, type Tx, write } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import type { Connections } from '../../infra/db/tables.ts'
import { type PageRequest, type Rendered, rowsFor } from '../page.ts'
import type { CallOutcome, Connection } from '../ports/connection.ts'
import type { HookHealth } from '../ports/connector.ts'

/** How we sign in at a tool. */
export type SignInMethod = ConnectionRow['method']

/** A connection as people see it, without its address for webhooks, which is sealed. */
export type StoredConnection = Omit<ConnectionRow, 'hookUrl'> & { hookToken: Buffer }

const rows = statement<{ id: string; json: Json<Omit<StoredConnection, 'hookToken'>>; hookToken: Buffer }>(`
  select c.id, c.hook_token as "hookToken", (select row_to_json(connection) from (select
    c.id, c.kind, c.name, c.base_url as "baseUrl", c.method, c.account,
    iso(c.last_success_at) as "lastSuccessAt", iso(c.last_refusal_at) as "lastRefusalAt",
    c.last_refusal as "lastRefusal", c.missing,
    case when c.limit_left is not null then json_build_object(
      'left', c.limit_left, 'of', c.limit_of, 'resetsAt', iso(c.limit_resets_at)
    ) end as "limit",
    iso(c.former_secret_until) as "formerSecretUntil",
    (
      select iso(d.received_at) from hook_deliveries d where d.connection_id = c.id order by d.id desc limit 1
    ) as "lastDeliveryAt",
    case when c.hooks_state is not null then json_build_object(
      'state', c.hooks_state, 'note', c.hooks_note, 'lookedAt', iso(c.hooks_looked_at)
    ) end as hooks,
    case when c.kind = 'github' then json_build_object(
      'lastMinute', (select count(*) from unnest(w.recent) as at where at > :now::timestamptz - interval '1 minute'),
      'perMinute', :perMinute::integer,
      'lastHour', (select count(*) from unnest(w.recent) as at where at > :now::timestamptz - interval '1 hour'),
      'perHour', :perHour::integer
    ) end as writes,
    array(
      select json_build_object('scope', r.scope, 'message', r.message, 'since', iso(r.first_at), 'lastAt', iso(r.last_at),
        'nextTryAt', (
          select iso(min(e.due_at)) from effects e
          where e.workspace_id = r.workspace_id and e.parked_by = r.id and e.due_at is not null
        ),
        'waiting', (
          select count(*)::int from effects e
          where e.workspace_id = r.workspace_id and e.parked_by = r.id and e.due_at is not null
        ))
      from tool_refusals r
      where r.workspace_id = c.workspace_id and r.connection_id = c.id and r.mended_at is null
      order by r.id
    ) as refusals,
    array(
      select t.slug from teams t
      where t.workspace_id = c.workspace_id and t.deleted_at is null and (
        exists (select from team_trackers b where b.workspace_id = t.workspace_id and b.team_id = t.id
          and b.connection_id = c.id)
        or exists (select from team_repositories r where r.workspace_id = t.workspace_id and r.team_id = t.id
          and r.connection_id = c.id))
      order by t.slug
    ) as teams,
    iso(c.created_at) as "createdAt", iso(c.updated_at) as "updatedAt"
  ) as connection)::text as json
  from connections c
  left join connection_writes w on w.connection_id = c.id
  where c.workspace_id = :workspaceId and c.deleted_at is null [[and c.id = :id]]
  order by c.id desc`)

export async function selectConnections(
  db: Db | Tx,
  workspaceId: string,
  now: Date,
  filter: { id?: string } = {},
): Promise<StoredConnection[]> {
  const limits = { perMinute: writesPerMinute, perHour: writesPerHour }
  const found = await read(db, rows, { workspaceId, now, ...limits, ...filter })
  return found.map(({ json, hookToken }) => ({ ...fromJson(json), hookToken }))
}

const sealed = statement<Omit<Connection, 'credentials' | 'workspaceId'> & { credentials: Buffer }>(`
  select id, kind, name, base_url as "baseUrl", account, credentials from connections
  where workspace_id = :workspaceId and id = :id and deleted_at is null`)

/** With what opening it takes. */
export async function selectSealed(db: Db | Tx, workspaceId: string, id: string) {
  return (await read(db, sealed, { workspaceId, id }))[0]
}

const hook = statement<{ name: string; hookToken: Buffer; webhookSecret: Buffer }>(`
  select name, hook_token as "hookToken", webhook_secret as "webhookSecret" from connections
  where workspace_id = :workspaceId and id = :id and deleted_at is null`)

/** What its webhooks are made with. */
export async function selectHook(db: Db, workspaceId: string, id: string) {
  return (await read(db, hook, { workspaceId, id }))[0]
}

export interface LockedConnection {
  id: string
  kind: ConnectionKind
  name: string
  base_url: string
  method: SignInMethod
  account: string | null
  credentials: Buffer
  webhook_secret: Buffer
}

const locked = statement<LockedConnection>(`
  select id, kind, name, base_url, method, account, credentials, webhook_secret from connections
  where workspace_id = :workspaceId and id = :id and deleted_at is null
  for no key update`)

export async function lockConnection(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<LockedConnection | undefined> {
  return (await write(tx, locked, { workspaceId, id }))[0]
}

export async function insertConnection(
  tx: Tx,
  workspaceId: string,
  row: {
    id: string
    kind: ConnectionKind
    name: string
    baseUrl: string
    method: SignInMethod
    account: string
    missing: string[]
    credentials: Buffer
    hookToken: Buffer
    hookTokenHash: Buffer
    webhookSecret: Buffer
    at: Date
  },
): Promise<void> {
  await sql`
    insert into connections (id, workspace_id, kind, name, base_url, method, account, missing, credentials,
      hook_token, hook_token_hash, webhook_secret, last_success_at, created_at, updated_at)
    values (${row.id}, ${workspaceId}, ${row.kind}, ${row.name}, ${row.baseUrl}, ${row.method}, ${row.account},
      ${row.missing}, ${row.credentials}, ${row.hookToken}, ${row.hookTokenHash}, ${row.webhookSecret},
      ${row.at}, ${row.at}, ${row.at})
  `.execute(tx)
}

export async function updateConnection(
  tx: Tx,
  workspaceId: string,
  id: string,
  changed: {
    name?: string
    baseUrl?: string
    method?: SignInMethod
    account?: string
    missing?: string[]
    credentials?: Buffer
    secret?: { current: Buffer; former: Buffer | null; formerUntil: Date | null }
  },
  at: Date,
): Promise<void> {
  const changes = assignments<Connections>({
    name: changed.name,
    base_url: changed.baseUrl,
    method: changed.method,
    account: changed.account,
    missing: changed.missing,
    credentials: changed.credentials,
    webhook_secret: changed.secret?.current,
    former_webhook_secret: changed.secret?.former,
    former_secret_until: changed.secret?.formerUntil,
    updated_at: at,
  })
  await sql`update connections set ${changes} where workspace_id = ${workspaceId} and id = ${id}`.execute(tx)
}

/** With its secrets, and what its hooks brought: nothing is left that could be opened. */
export async function endConnection(tx: Tx, workspaceId: string, id: string, at: Date): Promise<void> {
  await sql`
    update connections set credentials = null, hook_token = null, webhook_secret = null,
      former_webhook_secret = null, former_secret_until = null, deleted_at = ${at}, updated_at = ${at}
    where workspace_id = ${workspaceId} and id = ${id}
  `.execute(tx)
  await sql`delete from hook_deliveries where workspace_id = ${workspaceId} and connection_id = ${id}`.execute(
    tx,
  )
  await sql`delete from connection_writes where workspace_id = ${workspaceId} and connection_id = ${id}`.execute(
    tx,
  )
}

/** The connection whose webhooks were not looked at for longest, taken: no other node looks at them too. */
export async function takeHookLookOfAllWorkspaces(
  tx: Tx,
  now: Date,
  before: Date,
): Promise<{ id: string; workspaceId: string; since: Date | null } | undefined> {
  const { rows: taken } = await sql<{ id: string; workspaceId: string; since: Date | null }>`
    update connections c set hooks_looked_at = ${now}
    from (
      select c.id, c.hooks_looked_at from connections c
      join workspaces w on w.id = c.workspace_id and w.deleted_at is null
      where c.deleted_at is null and c.kind <> 'slack'
        and (c.hooks_looked_at is null or c.hooks_looked_at <= ${before})
        and (
          exists (select from team_trackers b where b.workspace_id = c.workspace_id and b.connection_id = c.id)
          or exists (
            select from team_repositories r where r.workspace_id = c.workspace_id and r.connection_id = c.id)
        )
      order by c.hooks_looked_at nulls first
      limit 1
      for no key update of c skip locked
    ) as due
    where c.id = due.id
    returning c.id, c.workspace_id as "workspaceId", due.hooks_looked_at as since
  `.execute(tx)
  return taken[0]
}

const hookScopes = statement<{ scope: string }>(`
  select project_id as scope from team_trackers where workspace_id = :workspaceId and connection_id = :id
  union
  select remote_id from team_repositories where workspace_id = :workspaceId and connection_id = :id
  order by 1`)

/** Projects and repositories of a connection that teams use, by the tool's own ids. */
export async function selectHookScopes(db: Db, workspaceId: string, id: string): Promise<string[]> {
  return (await read(db, hookScopes, { workspaceId, id })).map(({ scope }) => scope)
}

export async function updateHookHealth(
  tx: Tx,
  workspaceId: string,
  id: string,
  { state, note }: Pick<HookHealth, 'state' | 'note'>,
): Promise<void> {
  await sql`
    update connections set hooks_state = ${state}, hooks_note = ${note}
    where workspace_id = ${workspaceId} and id = ${id} and deleted_at is null
  `.execute(tx)
}

interface WriteLimits {
  now: Date
  perMinute: number
  perHour: number
}

/** Takes the turn to write until then; false: there is no room, or another is under way. An unknown one has no turns. */
export async function takeWrite(
  tx: Tx,
  workspaceId: string,
  id: string,
  { now, until, perMinute, perHour }: WriteLimits & { until: Date },
): Promise<boolean | 'unknown'> {
  await sql`
    insert into connection_writes (connection_id, workspace_id)
    select id, workspace_id from connections
    where workspace_id = ${workspaceId} and id = ${id} and deleted_at is null
    on conflict do nothing
  `.execute(tx)
  const { rows: found } = await sql<{ taken: boolean }>`
    with held as (
      select connection_id, array(
        select at from unnest(recent) as at where at > ${now}::timestamptz - interval '1 hour' order by at
      ) as recent, coalesce(busy_until <= ${now}, true) as is_free
      from connection_writes where workspace_id = ${workspaceId} and connection_id = ${id} for update
    ), room as (
      select connection_id, recent, is_free and cardinality(recent) < ${perHour}::integer and (
        select count(*) from unnest(recent) as at where at > ${now}::timestamptz - interval '1 minute'
      ) < ${perMinute}::integer as taken
      from held
    ), written as (
      update connection_writes w set recent = room.recent || ${now}::timestamptz, busy_until = ${until}
      from room where w.connection_id = room.connection_id and room.taken
    )
    select taken from room
  `.execute(tx)
  return found[0]?.taken ?? 'unknown'
}

/** Only the turn that was taken until then: one that took too long has lost it. */
export async function endWrite(
  tx: Tx,
  workspaceId: string,
  id: string,
  { until }: { until: Date },
): Promise<void> {
  await sql`
    update connection_writes set busy_until = null
    where workspace_id = ${workspaceId} and connection_id = ${id} and busy_until = ${until}
  `.execute(tx)
}

const writeRoom = statement<{ hourFullUntil: Date | null; minuteFullUntil: Date | null }>(`
  select
    recent[cardinality(recent) - :perHour + 1] + interval '1 hour' as "hourFullUntil",
    recent[cardinality(recent) - :perMinute + 1] + interval '1 minute' as "minuteFullUntil"
  from connection_writes
  where workspace_id = :workspaceId and connection_id = :id`)

/** Until when there is no room; null: there is. */
export async function selectWriteRoom(
  db: Db,
  workspaceId: string,
  id: string,
  { now, perMinute, perHour }: WriteLimits,
) {
  const [found] = await read(db, writeRoom, { workspaceId, id, perMinute, perHour })
  const ahead = (at: Date | null) => (at && at > now ? at : null)
  return (
    found && {
      hourFullUntil: ahead(found.hourFullUntil),
      minuteFullUntil: ahead(found.minuteFullUntil),
    }
  )
}

export async function updateHealth(
  tx: Tx,
  workspaceId: string,
  id: string,
  outcome: CallOutcome,
  at: Date,
): Promise<void> {
  const { limit } = outcome
  const changes = assignments<Connections>({
    ...(outcome.result === 'done' ? { last_success_at: at } : {}),
    ...('message' in outcome ? { last_refusal_at: at, last_refusal: outcome.message } : {}),
    ...(limit && { limit_left: limit.left, limit_of: limit.of, limit_resets_at: limit.resetsAt }),
  })
  if (outcome.result === 'answered' && !limit) return
  await sql`
    update connections set ${changes}
    where workspace_id = ${workspaceId} and id = ${id} and deleted_at is null
  `.execute(tx)
}

/** A connection as its hook needs it. */
export interface HookedConnection {
  id: string
  workspaceId: string
  kind: ConnectionKind
  name: string
  webhookSecret: Buffer
  formerSecret: Buffer | null
  formerUntil: Date | null
}

const byHook = statement<HookedConnection>(`
  select c.id, c.workspace_id as "workspaceId", c.kind, c.name, c.webhook_secret as "webhookSecret",
    c.former_webhook_secret as "formerSecret", c.former_secret_until as "formerUntil"
  from connections c
  join workspaces w on w.id = c.workspace_id and w.deleted_at is null
  where c.hook_token_hash = :digest and c.deleted_at is null`)

export async function selectConnectionByDigest(
  db: Db,
  digest: Buffer,
): Promise<HookedConnection | undefined> {
  return (await read(db, byHook, { digest }))[0]
}

export interface NewDelivery {
  id: string
  connectionId: string
  senderId: string
  event: string
  body: Buffer
  at: Date
}

/** Null when the sender has sent it before. */
export async function insertDelivery(tx: Tx, workspaceId: string, row: NewDelivery): Promise<string | null> {
  const { rows: inserted } = await sql<{ id: string }>`
    insert into hook_deliveries (id, workspace_id, connection_id, sender_id, event, body, received_at, due_at)
    values (${row.id}, ${workspaceId}, ${row.connectionId}, ${row.senderId}, ${row.event}, ${row.body}, ${row.at},
      ${row.at})
    on conflict (connection_id, sender_id) do nothing
    returning id
  `.execute(tx)
  return inserted[0]?.id ?? null
}

export interface TakenDelivery {
  id: string
  connectionId: string
  kind: ConnectionKind
  event: string
  body: Buffer
  attempts: number
}

/** Takes a delivery that is due, until `until`: if whoever took it dies, it is due again then. */
export async function takeDelivery(
  tx: Tx,
  workspaceId: string,
  id: string,
  now: Date,
  until: Date,
): Promise<TakenDelivery | undefined> {
  const { rows: taken } = await sql<TakenDelivery>`
    update hook_deliveries d set attempts = attempts + 1, due_at = ${until}
    from connections c
    where d.workspace_id = ${workspaceId} and d.id = ${id} and d.due_at <= ${now} and c.id = d.connection_id
    returning d.id, d.connection_id as "connectionId", c.kind, d.event, d.body, d.attempts
  `.execute(tx)
  return taken[0]
}

export async function settleDelivery(
  tx: Tx,
  workspaceId: string,
  id: string,
  understood: string,
  at: Date,
): Promise<void> {
  await sql`
    update hook_deliveries set due_at = null, understood_at = ${at}, understood = ${understood}
    where workspace_id = ${workspaceId} and id = ${id} and due_at is not null
  `.execute(tx)
}

export async function postponeDelivery(
  tx: Tx,
  workspaceId: string,
  id: string,
  until: Date,
  why: string,
): Promise<void> {
  await sql`
    update hook_deliveries set due_at = ${until}, understood = ${why}
    where workspace_id = ${workspaceId} and id = ${id} and due_at is not null
  `.execute(tx)
}

const dueDeliveries = statement<{ id: string; workspaceId: string }>(`
  select id, workspace_id as "workspaceId" from hook_deliveries
  where due_at <= :now
  order by due_at
  limit #rows`)

export async function selectDueDeliveriesOfAllWorkspaces(db: Db, now: Date, most: number) {
  return read(db, dueDeliveries, { now, rows: most })
}

const deliveryRows = statement<Rendered<HookDeliveryRow>>(`
  select d.id, (select row_to_json(delivery) from (select
    d.id, d.sender_id as "senderId", d.event, iso(d.received_at) as "receivedAt", octet_length(d.body) as bytes,
    iso(d.understood_at) as "understoodAt", d.understood
  ) as delivery)::text as json
  from hook_deliveries d
  where d.workspace_id = :workspaceId and d.connection_id = :connectionId [[and d.id < :after]]
  order by d.id desc
  limit #rows`)

/** What a connection's hooks brought, newest first. */
export async function selectDeliveryRows(
  db: Db,
  workspaceId: string,
  connectionId: string,
  { after, ...page }: PageRequest,
): Promise<readonly Rendered<HookDeliveryRow>[]> {
  return read(db, deliveryRows, { workspaceId, connectionId, after, rows: rowsFor(page) })
}

export async function deleteOldDeliveriesOfAllWorkspaces(tx: Tx, before: Date): Promise<void> {
  await sql`delete from hook_deliveries where received_at < ${before} and due_at is null`.execute(tx)
}

const withSockets = statement<{ id: string; workspaceId: string; version: string }>(`
  select c.id, c.workspace_id as "workspaceId", c.updated_at::text as version
  from connections c
  join workspaces w on w.id = c.workspace_id and w.deleted_at is null
  where c.kind = 'slack' and c.deleted_at is null`)

export async function selectSocketConnectionsOfAllWorkspaces(db: Db) {
  return read(db, withSockets, {})
}
