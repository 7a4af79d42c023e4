import type { ConnectionRow, HookDeliveryRow } from '@signalbox/contract/app/connections.ts'
import type { ConnectionKind } from '@signalbox/contract/connection-kinds.ts'
import { writesPerHour, writesPerMinute } from '@signalbox/contract/limits.ts'
import { fromJson, type Json } from '@signalbox/contract/shapes.ts'
import { type Db, read, type Tx, write } from '../../../infra/db/db.ts'
import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import { handedIn, statement } from '../../../infra/db/statement.ts'
import type { Rendered } from '../../page.ts'
import type { CallOutcome, Connection } from '../../ports/connection.ts'
import type { HookHealth } from '../../ports/connector.ts'
import type * as Sql from './store.types.ts'

/** How we sign in at a tool. */
export type SignInMethod = ConnectionRow['method']

/** A connection as people see it, without its address for webhooks, which is sealed. */
export type StoredConnection = Omit<ConnectionRow, 'hookUrl'> & { hookToken: Buffer }

const rows = statement<
  Sql.Rows,
  { id: string; json: Json<Omit<StoredConnection, 'hookToken'>>; hookToken: Buffer }
>(`
  select c.id, c.hook_token as "hookToken!", (select row_to_json(connection) from (select
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
      select json_build_object('scope', r.scope, 'name', case split_part(r.scope, '/', 1)
          when 'channel' then (
            select min(p.name) from places p
            where p.workspace_id = c.workspace_id and p.tool = 'slack' and r.scope = 'channel/' || p.address)
          when 'project' then (
            select min(b.project_name) from team_trackers b
            where b.workspace_id = c.workspace_id and b.connection_id = c.id
              and r.scope in ('project/' || b.project_id, 'project/' || b.project_id || '/read'))
          when 'repository' then (
            select min(o.name) from team_repositories o
            where o.workspace_id = c.workspace_id and o.connection_id = c.id
              and r.scope in ('repository/' || coalesce(o.remote_id, o.name),
                'repository/' || coalesce(o.remote_id, o.name) || '/verdict'))
        end, 'message', r.message, 'since', iso(r.first_at), 'lastAt', iso(r.last_at),
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
  const found = await read(db, rows, handedIn({ ...limits, ...filter, workspaceId, now }))
  return found.map(({ json, hookToken }) => ({ ...fromJson(json), hookToken }))
}

/** With what opening it takes. */
export const selectSealed = reads.one<
  Sql.SelectSealed,
  Omit<Connection, 'credentials' | 'workspaceId'> & { credentials: Buffer }
>('workspaceId, id')(`
  select id, kind, name, base_url as "baseUrl", account, credentials as "credentials!" from connections
  where workspace_id = :workspaceId and id = :id and deleted_at is null`)

/** What its webhooks are made with. */
export const selectHook = reads.one<Sql.SelectHook>('workspaceId, id')(`
  select name, hook_token as "hookToken!", webhook_secret as "webhookSecret!" from connections
  where workspace_id = :workspaceId and id = :id and deleted_at is null`)

export const selectConnectionForUpdate = writes.one<Sql.SelectConnectionForUpdate>('workspaceId, id')(`
  select id, kind, name, base_url, method, account, credentials as "credentials!", webhook_secret as "webhook_secret!" from connections
  where workspace_id = :workspaceId and id = :id and deleted_at is null
  for no key update`)

/** Where the API of each git host is. */
export const selectGitHosts = reads.many<Sql.SelectGitHosts, { kind: 'github' | 'gitlab' }>('workspaceId')(`
  select kind, base_url as "baseUrl" from connections
  where workspace_id = :workspaceId and kind in ('github', 'gitlab') and deleted_at is null
  order by id`)

export const countConnections = reads.onlyValue<Sql.CountConnections>('workspaceId')(`
  select count(*)::int as "count!" from connections where workspace_id = :workspaceId and deleted_at is null`)

export const insertConnection = writes.run<
  Sql.InsertConnection,
  Nothing,
  { kind: ConnectionKind; method: SignInMethod }
>('workspaceId, ...row')(`
  insert into connections (id, workspace_id, kind, name, base_url, method, account, missing, credentials,
    hook_token, hook_token_hash, webhook_secret, last_success_at, created_at, updated_at)
  values (:id, :workspaceId, :kind, :name, :baseUrl, :method, :account, :missing, :credentials, :hookToken,
    :hookTokenHash, :webhookSecret, :at, :at, :at)`)

const updateConnectionSql = statement<Sql.UpdateConnection>(`
  update connections set updated_at = :at
    [[, name = :name]] [[, base_url = :baseUrl]] [[, method = :method]] [[, account = :account]]
    [[, missing = :missing]] [[, credentials = :credentials]] [[, webhook_secret = :webhookSecret]]
    [[, former_webhook_secret = :formerSecret?]] [[, former_secret_until = :formerUntil?]]
  where workspace_id = :workspaceId and id = :id`)

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
  const { secret, ...others } = changed
  await write(
    tx,
    updateConnectionSql,
    handedIn({
      ...others,
      ...{ workspaceId, id, at },
      webhookSecret: secret?.current,
      formerSecret: secret?.former,
      formerUntil: secret?.formerUntil,
    }),
  )
}

const updateConnectionsSql = statement<Sql.UpdateConnections>(`
  update connections set credentials = null, hook_token = null, webhook_secret = null,
    former_webhook_secret = null, former_secret_until = null, deleted_at = :at, updated_at = :at
  where workspace_id = :workspaceId and id = :id`)

const deleteHookDeliveriesSql = statement<Sql.DeleteHookDeliveries>(
  `delete from hook_deliveries where workspace_id = :workspaceId and connection_id = :id`,
)

const endConnectionSql = statement<Sql.EndConnection>(
  `delete from connection_writes where workspace_id = :workspaceId and connection_id = :id`,
)

/** With its secrets, and what its hooks brought: nothing is left that could be opened. */
export async function endConnection(tx: Tx, workspaceId: string, id: string, at: Date): Promise<void> {
  await write(tx, updateConnectionsSql, { workspaceId, at, id })
  await write(tx, deleteHookDeliveriesSql, { workspaceId, id })
  await write(tx, endConnectionSql, { workspaceId, id })
}

/** The connection whose webhooks were not looked at for longest, taken: no other node looks at them too. */
export const takeHookLookOfAllWorkspaces = writes.one<Sql.TakeHookLookOfAllWorkspaces>('now, before')(`
  update connections c set hooks_looked_at = :now
  from (
    select c.id, c.hooks_looked_at from connections c
    join workspaces w on w.id = c.workspace_id and w.deleted_at is null
    where c.deleted_at is null and c.kind <> 'slack'
      and (c.hooks_looked_at is null or c.hooks_looked_at <= :before)
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
  returning c.id, c.workspace_id as "workspaceId", due.hooks_looked_at as since`)

/** Projects and repositories of a connection that teams use. */
export const selectHookScopes = reads.many<Sql.SelectHookScopes>('workspaceId, id')(`
  select distinct on (id) id as "id!", name as "name!" from (
    select project_id as id, project_key as name from team_trackers
    where workspace_id = :workspaceId and connection_id = :id
    union all
    select remote_id, name from team_repositories where workspace_id = :workspaceId and connection_id = :id
  ) as used
  order by id, name`)

export const updateHookHealth = writes.run<Sql.UpdateHookHealth, Nothing, Pick<HookHealth, 'state' | 'note'>>(
  'workspaceId, id, { state, note }',
)(`
  update connections set hooks_state = :state, hooks_note = :note
  where workspace_id = :workspaceId and id = :id and deleted_at is null`)

interface WriteLimits {
  now: Date
  perMinute: number
  perHour: number
}

const insertConnectionWritesSql = statement<Sql.InsertConnectionWrites>(`
  insert into connection_writes (connection_id, workspace_id)
  select id, workspace_id from connections
  where workspace_id = :workspaceId and id = :id and deleted_at is null
  on conflict do nothing`)

const takeWriteSql = statement<Sql.TakeWrite>(`
  with held as (
    select connection_id, array(
      select at from unnest(recent) as at where at > :now::timestamptz - interval '1 hour' order by at
    ) as recent, coalesce(busy_until <= :now, true) as is_free
    from connection_writes where workspace_id = :workspaceId and connection_id = :id for update
  ), room as (
    select connection_id, recent, is_free and cardinality(recent) < :perHour::integer and (
      select count(*) from unnest(recent) as at where at > :now::timestamptz - interval '1 minute'
    ) < :perMinute::integer as "taken!"
    from held
  ), written as (
    update connection_writes w set recent = room.recent || :now::timestamptz, busy_until = :until
    from room where w.connection_id = room.connection_id and room.taken
  )
  select taken from room`)

/** Takes the turn to write until then; false: there is no room, or another is under way. An unknown one has no turns. */
export async function takeWrite(
  tx: Tx,
  workspaceId: string,
  id: string,
  { now, until, perMinute, perHour }: WriteLimits & { until: Date },
): Promise<boolean | 'unknown'> {
  await write(tx, insertConnectionWritesSql, { workspaceId, id })
  const found = await write(tx, takeWriteSql, { workspaceId, now, id, perHour, perMinute, until })
  return found[0]?.taken ?? 'unknown'
}

/** Only the turn that was taken until then: one that took too long has lost it. */
export const endWrite = writes.run<Sql.EndWrite>('workspaceId, id, { until }')(`
  update connection_writes set busy_until = null
  where workspace_id = :workspaceId and connection_id = :id and busy_until = :until`)

const writeRoom = statement<Sql.WriteRoom>(`
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

const updateHealthSql = statement<Sql.UpdateHealth>(`
  update connections set id = id
    [[, last_success_at = :succeededAt]] [[, last_refusal_at = :refusedAt, last_refusal = :refusal]]
    [[, limit_left = :limitLeft?, limit_of = :limitOf?, limit_resets_at = :limitResetsAt?]]
  where workspace_id = :workspaceId and id = :id and deleted_at is null`)

export async function updateHealth(
  tx: Tx,
  workspaceId: string,
  id: string,
  outcome: CallOutcome,
  at: Date,
): Promise<void> {
  const { limit } = outcome
  if (outcome.result === 'answered' && !limit) return
  await write(tx, updateHealthSql, {
    ...{ workspaceId, id },
    ...(outcome.result === 'done' ? { succeededAt: at } : {}),
    ...('message' in outcome ? { refusedAt: at, refusal: outcome.message } : {}),
    ...(limit && { limitLeft: limit.left, limitOf: limit.of, limitResetsAt: limit.resetsAt }),
  })
}

/** A connection as its hook needs it. */
export type HookedConnection = Sql.SelectConnectionByDigest['row']

export const selectConnectionByDigest = reads.one<Sql.SelectConnectionByDigest>('digest')(`
  select c.id, c.workspace_id as "workspaceId", c.kind, c.name, c.webhook_secret as "webhookSecret!",
    c.former_webhook_secret as "formerSecret", c.former_secret_until as "formerUntil"
  from connections c
  join workspaces w on w.id = c.workspace_id and w.deleted_at is null
  where c.hook_token_hash = :digest and c.deleted_at is null`)

export interface NewDelivery {
  id: string
  connectionId: string
  senderId: string
  event: string
  body: Buffer
  at: Date
}

const insertDeliverySql = statement<Sql.InsertDelivery>(`
  insert into hook_deliveries (id, workspace_id, connection_id, sender_id, event, body, received_at, due_at)
  values (:id, :workspaceId, :connectionId, :senderId, :event, :body, :at, :at)
  on conflict (connection_id, sender_id) do nothing
  returning id`)

/** Null when the sender has sent it before. */
export async function insertDelivery(tx: Tx, workspaceId: string, row: NewDelivery): Promise<string | null> {
  const inserted = await write(tx, insertDeliverySql, handedIn({ ...row, workspaceId }))
  return inserted[0]?.id ?? null
}

/** Takes a due delivery until `until`: if the node that took it dies, it is due again then. */
export const takeDelivery = writes.one<Sql.TakeDelivery>('workspaceId, id, now, until')(`
  update hook_deliveries d set attempts = attempts + 1, due_at = :until
  from connections c
  where d.workspace_id = :workspaceId and d.id = :id and d.due_at <= :now and c.id = d.connection_id
  returning d.id, d.connection_id as "connectionId", c.kind, d.event, d.body, d.attempts`)

export const settleDelivery = writes.run<Sql.SettleDelivery>('workspaceId, id, understood, at')(`
  update hook_deliveries set due_at = null, understood_at = :at, understood = :understood
  where workspace_id = :workspaceId and id = :id and due_at is not null`)

export const postponeDelivery = writes.run<Sql.PostponeDelivery>('workspaceId, id, until, why')(`
  update hook_deliveries set due_at = :until, understood = :why
  where workspace_id = :workspaceId and id = :id and due_at is not null`)

export const selectDueDeliveriesOfAllWorkspaces = reads.many<Sql.SelectDueDeliveriesOfAllWorkspaces>(
  'now, rows',
)(`
  select id, workspace_id as "workspaceId" from hook_deliveries
  where due_at <= :now
  order by due_at
  limit #rows`)

/** What a connection's hooks brought, newest first. */
export const selectDeliveryRows = reads.many<Sql.SelectDeliveryRows, Rendered<HookDeliveryRow>>(
  'workspaceId, connectionId, { after, rows }',
)(`
  select d.id, (select row_to_json(delivery) from (select
    d.id, d.sender_id as "senderId", d.event, iso(d.received_at) as "receivedAt", octet_length(d.body) as bytes,
    iso(d.understood_at) as "understoodAt", d.understood
  ) as delivery)::text as json
  from hook_deliveries d
  where d.workspace_id = :workspaceId and d.connection_id = :connectionId [[and d.id < :after]]
  order by d.id desc
  limit #rows`)

export const deleteDeliveriesBefore = writes.count<Sql.DeleteDeliveriesBefore>('workspaceId, before, most')(`
  delete from hook_deliveries where id in (
    select id from hook_deliveries
    where workspace_id = :workspaceId and received_at < :before and due_at is null
    limit #most
  )`)

export const selectSocketConnectionsOfAllWorkspaces =
  reads.many<Sql.SelectSocketConnectionsOfAllWorkspaces>()(`
  select c.id, c.workspace_id as "workspaceId", c.updated_at::text as version
  from connections c
  join workspaces w on w.id = c.workspace_id and w.deleted_at is null
  where c.kind = 'slack' and c.deleted_at is null`)

export const lockSealedOfAllWorkspaces = writes.many<Sql.LockSealedOfAllWorkspaces>('afterId, most')(`
  select id, credentials, hook_token as "hookToken", webhook_secret as "webhookSecret",
    former_webhook_secret as "formerWebhookSecret"
  from connections
  where id > :afterId and num_nonnulls(credentials, hook_token, webhook_secret, former_webhook_secret) > 0
  order by id
  limit #most
  for no key update`)

export const updateSealedOfAllWorkspaces = writes.run<Sql.UpdateSealedOfAllWorkspaces>(
  '{ id, credentials, hookToken, webhookSecret, formerWebhookSecret }',
)(`
  update connections
  set credentials = :credentials?, hook_token = :hookToken?, webhook_secret = :webhookSecret?,
    former_webhook_secret = :formerWebhookSecret?
  where id = :id`)
