import type { AttemptRow, MessageRow, WebhookRow } from '@signalbox/contract/app/webhooks.ts'
import { fromJson, type Json } from '@signalbox/contract/shapes.ts'
import type { WebhookEvent } from '@signalbox/contract/webhook-events.ts'
import type { WebhookType } from '@signalbox/contract/webhooks.ts'
import { affected, type Db, read, type Tx, write } from '../../../infra/db/db.ts'
import { reads, writes } from '../../../infra/db/queries.ts'
import { handedIn, statement } from '../../../infra/db/statement.ts'
import type { Rendered } from '../../page.ts'
import type { StoredMessage } from './message.ts'
import type * as Sql from './store.types.ts'

/** More than that need not be counted for people. */
const mostCounted = 1_001

const rows = statement<Sql.Rows, { json: Json<WebhookRow> }>(`
  select (select row_to_json(endpoint) from (select
    e.id, e.url, e.description, e.event_types as events, e.team_ids as teams, e.state, e.off_because as "offBecause",
    iso(e.failing_since) as "failingSince",
    case when e.former_until > :now then iso(e.former_until) end as "formerSecretUntil",
    (
      select count(*)::int from (
        select from webhook_deliveries d where d.endpoint_id = e.id and d.due_at is not null limit ${mostCounted}
      ) as waiting
    ) as waiting,
    (
      select json_build_object('at', iso(a.at), 'status', a.status) from webhook_attempts a
      where a.endpoint_id = e.id order by a.event_id desc, a.attempt desc limit 1
    ) as "lastAttempt",
    iso(e.created_at) as "createdAt"
  ) as endpoint)::text as json
  from webhook_endpoints e
  where e.workspace_id = :workspaceId and e.deleted_at is null [[and e.id = :id]]
  order by e.id desc`)

export async function selectEndpointRows(
  db: Db,
  workspaceId: string,
  { id, now }: { id?: string; now: Date },
): Promise<WebhookRow[]> {
  return (await read(db, rows, { workspaceId, id, now })).map(({ json }) => fromJson(json))
}

export interface Endpoint {
  id: string
  url: string
  description: string
  events: WebhookEvent[]
  teamIds: string[] | null
  state: 'active' | 'paused' | 'off'
  secret: Buffer
  formerSecret: Buffer | null
  formerUntil: Date | null
  /** Slug. */
  workspace: string
}

const endpointColumns = `
  e.id, e.url, e.description, e.event_types as events, e.team_ids as "teamIds", e.state, e.secret as "secret!",
  e.former_secret as "formerSecret", e.former_until as "formerUntil",
  (select w.slug from workspaces w where w.id = e.workspace_id) as "workspace!"`

const one = statement<Sql.One, Endpoint>(`
  select ${endpointColumns} from webhook_endpoints e
  where e.workspace_id = :workspaceId and e.id = :id and e.deleted_at is null`)

export async function selectEndpoint(
  db: Db | Tx,
  workspaceId: string,
  id: string,
): Promise<Endpoint | undefined> {
  return (await read(db, one, { workspaceId, id }))[0]
}

/** Locks an endpoint. To lock both an endpoint and its messages, lock the endpoint first. */
export const selectEndpointForUpdate = writes.one<Sql.SelectEndpointForUpdate, Endpoint>('workspaceId, id')(`
  select ${endpointColumns} from webhook_endpoints e
  where e.workspace_id = :workspaceId and e.id = :id and e.deleted_at is null
  for no key update of e`)

const count = statement<Sql.Count>(`
  select count(*)::int as count from webhook_endpoints where workspace_id = :workspaceId and deleted_at is null`)

export async function countEndpoints(tx: Tx, workspaceId: string): Promise<number> {
  return (await read(tx, count, { workspaceId }))[0]!.count
}

const slugs = statement<Sql.Slugs>(`
  select id, slug from teams
  where workspace_id = :workspaceId and id = any (:ids::uuid[]) and deleted_at is null
  order by slug`)

export async function selectTeamSlugs(
  db: Db | Tx,
  workspaceId: string,
  ids: readonly string[],
): Promise<readonly { id: string; slug: string }[]> {
  return read(db, slugs, { workspaceId, ids: [...ids] })
}

export const insertEndpoint = writes.run<Sql.InsertEndpoint>('workspaceId, ...row')(`
  insert into webhook_endpoints
    (id, workspace_id, url, description, event_types, team_ids, secret, state, created_at, updated_at)
  values (:id, :workspaceId, :url, :description, :events, :teamIds?::uuid[], :secret, 'active', :at, :at)`)

const updateEndpointSql = statement<Sql.UpdateEndpoint>(`
  update webhook_endpoints set updated_at = :at
    [[, url = :url]] [[, description = :description]] [[, event_types = :events]] [[, team_ids = :teamIds?]]
    [[, secret = :secret]] [[, former_secret = :formerSecret?]] [[, former_until = :formerUntil?]]
    [[, state = :state]] [[, off_because = :offBecause?]] [[, failing_since = :failingSince?]]
    [[, not_before = :notBefore?]] [[, warned_at = :warnedAt?]]
  where workspace_id = :workspaceId and id = :id`)

export async function updateEndpoint(
  tx: Tx,
  workspaceId: string,
  id: string,
  changed: {
    url?: string
    description?: string
    events?: string[]
    teamIds?: string[] | null
    secret?: { current: Buffer; former: Buffer; formerUntil: Date }
    /** Ends it. */
    formerSecret?: null
    state?: { is: 'active' } | { is: 'paused' } | { is: 'off'; because: 'gone' | 'failing' }
    warnedAt?: Date
  },
  at: Date,
): Promise<void> {
  const { url, description, events, teamIds, secret, formerSecret, state, warnedAt } = changed
  // Turning it on again resets its failures.
  const fresh = state?.is === 'active' ? null : undefined
  await write(tx, updateEndpointSql, {
    ...{ workspaceId, id, url, description, events, teamIds, at },
    secret: secret?.current,
    formerSecret: secret?.former ?? formerSecret,
    formerUntil: secret?.formerUntil ?? formerSecret,
    state: state?.is,
    offBecause: state && (state.is === 'off' ? state.because : null),
    failingSince: fresh,
    notBefore: fresh,
    warnedAt: warnedAt ?? fresh,
  })
}

const deleteEndpointSql = statement<Sql.DeleteEndpoint>(`
  update webhook_endpoints set deleted_at = :at, secret = null, former_secret = null, former_until = null
  where workspace_id = :workspaceId and id = :id`)

const giveUpDeliveriesSql = statement<Sql.GiveUpDeliveries>(`
  update webhook_deliveries set state = 'failed', due_at = null
  where workspace_id = :workspaceId and endpoint_id = :id and due_at is not null`)

/** What was sent stays to be read by no one, and is forgotten with its age; the secrets go now. */
export async function deleteEndpoint(tx: Tx, workspaceId: string, id: string, at: Date): Promise<void> {
  await write(tx, deleteEndpointSql, { workspaceId, at, id })
  await write(tx, giveUpDeliveriesSql, { workspaceId, id })
}

const message = `
  d.event_id as id, 'msg_' || replace(d.event_id::text, '-', '') as "messageId", d.type,
  d.data::json->>'key' as key, iso(d.occurred_at) as "occurredAt", d.state, d.attempts,
  iso(d.due_at) as "nextAttemptAt", (
    select a.status from webhook_attempts a
    where a.endpoint_id = d.endpoint_id and a.event_id = d.event_id order by a.attempt desc limit 1
  ) as "lastStatus"`

export const selectMessages = reads.many<
  Sql.SelectMessages,
  Rendered<MessageRow>,
  { state?: MessageRow['state'] }
>('workspaceId, { endpointId, state }, { after, rows }')(`
  select d.event_id as id, (select row_to_json(message) from (select ${message}) as message)::text as json
  from webhook_deliveries d
  where d.workspace_id = :workspaceId and d.endpoint_id = :endpointId
    [[and d.state = :state]] [[and d.event_id < :after]]
  order by d.event_id desc
  limit #rows`)

const oneMessage = statement<
  Sql.OneMessage,
  { json: Json<MessageRow & { attemptList: AttemptRow[] }> } & StoredMessage
>(`
  select (select row_to_json(message) from (select ${message}, coalesce((
      select json_agg(json_build_object('attempt', a.attempt, 'at', iso(a.at), 'url', a.url, 'signature', a.signature,
        'status', a.status, 'answer', a.answer, 'problem', a.problem, 'durationMs', a.duration_ms)
        order by a.attempt desc)
      from webhook_attempts a where a.endpoint_id = d.endpoint_id and a.event_id = d.event_id
    ), '[]') as "attemptList") as message)::text as json,
    d.event_id as "eventId", d.type, d.occurred_at as "occurredAt", d.data, d.sequence,
    (select w.slug from workspaces w where w.id = d.workspace_id) as "workspace!"
  from webhook_deliveries d
  where d.workspace_id = :workspaceId and d.endpoint_id = :endpointId and d.event_id = :eventId`)

export async function selectMessage(db: Db, workspaceId: string, endpointId: string, eventId: string) {
  const [row] = await read(db, oneMessage, { workspaceId, endpointId, eventId })
  return row && { ...row, shown: fromJson(row.json) }
}

/** False when there is no such message. */
export const makeDueAgain = writes.wroteOne<Sql.MakeDueAgain>('workspaceId, endpointId, eventId, at')(`
  update webhook_deliveries set state = 'pending', step = 0, due_at = :at
  where workspace_id = :workspaceId and endpoint_id = :endpointId and event_id = :eventId`)

const makeFailedDueAgainSql = statement<Sql.MakeFailedDueAgain>(`
  update webhook_deliveries set state = 'pending', step = 0, due_at = :at
  where workspace_id = :workspaceId and endpoint_id = :endpointId and occurred_at >= :since
    and state <> 'delivered' and attempts > 0 and type <> 'endpoint.test'`)

/** Given up, or still to be tried again: both have failed so far. A test is not repeated. */
export async function makeFailedDueAgain(
  tx: Tx,
  workspaceId: string,
  endpointId: string,
  since: Date,
  at: Date,
): Promise<number> {
  const count = await affected(tx, makeFailedDueAgainSql, { workspaceId, at, endpointId, since })
  return Number(count)
}

export interface Attempted {
  at: Date
  url: string
  signature: string
  status: number | null
  answer: string | null
  problem: string | null
  durationMs: number
}

const insertWebhookDeliveriesSql = statement<Sql.InsertWebhookDeliveries>(`
  insert into webhook_deliveries
    (workspace_id, endpoint_id, event_id, type, occurred_at, data, sequence, state, attempts)
  values (:workspaceId, :endpointId, :eventId, :type, :at, :data, :sequence, :state, 1)`)

const insertTestSql = statement<Sql.InsertTest>(`
  insert into webhook_attempts
    (workspace_id, endpoint_id, event_id, attempt, at, url, signature, status, answer, problem, duration_ms)
  values (:workspaceId, :endpointId, :eventId, 1, :at, :url, :signature, :status?, :answer?,
    :problem?, :durationMs)`)

/** A message that was sent already, and only once. Returns its place among those of the endpoint. */
export async function insertTest(
  tx: Tx,
  workspaceId: string,
  test: { endpointId: string; eventId: string; type: WebhookType; data: string; sequence: number; at: Date },
  delivered: boolean,
  { at, url, signature, status, answer, problem, durationMs }: Attempted,
): Promise<void> {
  await write(
    tx,
    insertWebhookDeliveriesSql,
    handedIn({ ...test, workspaceId, state: delivered ? 'delivered' : 'failed' }),
  )
  await write(tx, insertTestSql, {
    workspaceId,
    endpointId: test.endpointId,
    eventId: test.eventId,
    at,
    url,
    signature,
    status,
    answer,
    problem,
    durationMs,
  })
}

export const nextSequence = writes.onlyValue<Sql.NextSequence>('workspaceId, object')(`
  insert into webhook_sequences as s (workspace_id, object, last) values (:workspaceId, :object, 1)
  on conflict (workspace_id, object) do update set last = s.last + 1
  returning last`)

const isAlive = 'exists (select from nodes n where n.id = e.node and n.lease_until > clock_timestamp())'

/** Endpoints with messages that are due, and that no other node works on. */
export const selectQueuesOfAllWorkspaces = reads.many<Sql.SelectQueuesOfAllWorkspaces>('node, now')(`
  select e.id, e.workspace_id as "workspaceId", coalesce(e.node = :node, false) as "isOurs"
  from webhook_endpoints e
  join workspaces w on w.id = e.workspace_id and w.deleted_at is null
  where e.state = 'active' and e.deleted_at is null and (e.not_before is null or e.not_before <= :now)
    and exists (select from webhook_deliveries d where d.endpoint_id = e.id and d.due_at <= :now)
    and (e.node is null or e.node = :node or not ${isAlive})`)

/** Of several nodes that want a queue, one gets it, and has it until it stops or dies. */
export const takeQueuesOfAllWorkspaces = writes.column<Sql.TakeQueuesOfAllWorkspaces>('node, ids')(`
  update webhook_endpoints e set node = :node
  where e.id = any (:ids::uuid[]) and (e.node is null or e.node <> :node and not ${isAlive})
  returning e.id`)

export const releaseQueuesOfAllWorkspaces = writes.run<Sql.ReleaseQueuesOfAllWorkspaces>('node')(
  `update webhook_endpoints set node = null where node = :node`,
)

/** A message that is to be sent now, and where it is in the schedule. */
export interface Due extends StoredMessage {
  step: number
  dueAt: Date
}

type Sealed = Pick<Endpoint, 'id' | 'url' | 'secret' | 'formerSecret' | 'formerUntil'>

const due = statement<Sql.Due, Due & Sealed>(`
  select e.id, e.url, e.secret as "secret!", e.former_secret as "formerSecret", e.former_until as "formerUntil", w.slug as workspace,
    d.event_id as "eventId", d.type, d.occurred_at as "occurredAt", d.data, d.sequence, d.step, d.due_at as "dueAt!"
  from webhook_endpoints e
  join workspaces w on w.id = e.workspace_id
  join webhook_deliveries d on d.endpoint_id = e.id
  where e.workspace_id = :workspaceId and e.id = :id and e.state = 'active' and e.deleted_at is null and e.node = :node
    and (e.not_before is null or e.not_before <= :now)
    and d.due_at <= :now and d.event_id <> all (:busy::uuid[])
  order by d.due_at, d.event_id
  limit #rows`)

/** What an endpoint is to be sent next, without what is under way, and the endpoint, if there is something. */
export async function selectDueMessages(
  db: Db,
  workspaceId: string,
  id: string,
  { node, now, busy, most }: { node: string; now: Date; busy: string[]; most: number },
): Promise<{ endpoint: Sealed; messages: Due[] } | null> {
  const found = await read(db, due, { workspaceId, id, node, now, busy, rows: most })
  if (found.length === 0) return null
  const { url, secret, formerSecret, formerUntil } = found[0]!
  return {
    endpoint: { id, url, secret, formerSecret, formerUntil },
    messages: found.map(({ eventId, type, occurredAt, data, sequence, workspace, step, dueAt }) => ({
      ...{ eventId, type, occurredAt, data, sequence, workspace, step, dueAt },
    })),
  }
}

/** The outcome of a message. */
export interface Outcome extends Attempted {
  workspaceId: string
  endpointId: string
  eventId: string
  /** As it was when the message was taken: if it was requested again since, it is sent again. */
  dueAt: Date
  state: 'pending' | 'delivered' | 'failed'
  nextAt: Date | null
  step: number
  /** The endpoint asks to be left alone until then. */
  notBefore: Date | null
}

const selectWriteOutcomesSql = statement<Sql.SelectWriteOutcomes>(`
  with seen as (
    select * from json_to_recordset(:health::json) as (
      id uuid, ok boolean, at timestamptz, not_before timestamptz)
  ), held as (
    select e.id from webhook_endpoints e where e.id in (select id from seen) order by e.id for no key update
  )
  update webhook_endpoints e
  set failing_since = case when s.ok then null else coalesce(e.failing_since, s.at) end, not_before = s.not_before
  from seen s, held h
  where e.id = s.id and h.id = e.id
    and ((e.failing_since is null) <> s.ok or e.not_before is distinct from s.not_before)`)

const writeOutcomesSql = statement<Sql.WriteOutcomes>(`
  with told as (
    select * from json_to_recordset(:told::json) as (
      workspace_id uuid, endpoint_id uuid, event_id uuid, due_at timestamptz, state text, next_at timestamptz,
      step int, at timestamptz, url text, signature text, status int, answer text, problem text, duration_ms int)
  ), counted as (
    update webhook_deliveries d
    set attempts = d.attempts + 1,
      state = case when d.due_at = t.due_at then t.state else d.state end,
      step = case when d.due_at = t.due_at then t.step else d.step end,
      due_at = case when d.due_at = t.due_at then t.next_at else d.due_at end
    from told t
    where d.workspace_id = t.workspace_id and d.endpoint_id = t.endpoint_id and d.event_id = t.event_id
    returning d.endpoint_id, d.event_id, d.attempts
  )
  insert into webhook_attempts
    (workspace_id, endpoint_id, event_id, attempt, at, url, signature, status, answer, problem, duration_ms)
  select t.workspace_id, t.endpoint_id, t.event_id, c.attempts, t.at, t.url, t.signature, t.status, t.answer, t.problem,
    t.duration_ms
  from told t join counted c on c.endpoint_id = t.endpoint_id and c.event_id = t.event_id`)

/** Records the outcome of messages, of any endpoints, in one statement: first how the endpoints are. */
export async function writeOutcomesOfAllWorkspaces(tx: Tx, outcomes: readonly Outcome[]): Promise<void> {
  const byEndpoint = Map.groupBy(outcomes, ({ endpointId }) => endpointId)
  const health = [...byEndpoint].map(([id, its]) => ({
    id,
    ok: its.some(({ state }) => state === 'delivered'),
    at: new Date(Math.min(...its.map(({ at }) => at.getTime()))),
    not_before: its.map(({ notBefore }) => notBefore).sort((a, b) => Number(b) - Number(a))[0] ?? null,
  }))
  await write(tx, selectWriteOutcomesSql, { health: JSON.stringify(health) })
  const told = outcomes.map((one) => ({
    ...{ workspace_id: one.workspaceId, endpoint_id: one.endpointId, event_id: one.eventId },
    ...{ due_at: one.dueAt, state: one.state, next_at: one.nextAt, step: one.step },
    ...{ at: one.at, url: one.url, signature: one.signature, status: one.status, answer: one.answer },
    ...{ problem: one.problem, duration_ms: one.durationMs },
  }))
  await write(tx, writeOutcomesSql, { told: JSON.stringify(told) })
}

export const selectFailingOfAllWorkspaces = reads.many<Sql.SelectFailingOfAllWorkspaces>('before')(`
  select e.id, e.workspace_id as "workspaceId", e.failing_since as "failingSince!",
    coalesce(e.warned_at >= e.failing_since, false) as "isWarned"
  from webhook_endpoints e
  join workspaces w on w.id = e.workspace_id and w.deleted_at is null
  where e.state = 'active' and e.deleted_at is null and e.failing_since <= :before`)

/** Holds an endpoint that has failed since then. False when it no longer does. */
export const lockFailing = writes.exists<Sql.LockFailing>('workspaceId, id, failingSince')(`
  select from webhook_endpoints
  where workspace_id = :workspaceId and id = :id and state = 'active' and deleted_at is null
    and failing_since = :failingSince
  for no key update`)

/** Attempts are deleted with their message. */
export const deleteMessagesBefore = writes.count<Sql.DeleteMessagesBefore>('workspaceId, before, most')(`
  delete from webhook_deliveries where (endpoint_id, event_id) in (
    select endpoint_id, event_id from webhook_deliveries
    where workspace_id = :workspaceId and occurred_at < :before
    limit #most
  )`)

export const lockSealedOfAllWorkspaces = writes.many<Sql.LockSealedOfAllWorkspaces>('afterId, most')(`
  select id, secret, former_secret as "formerSecret" from webhook_endpoints
  where id > :afterId and num_nonnulls(secret, former_secret) > 0
  order by id
  limit #most
  for no key update`)

export const updateSealedOfAllWorkspaces = writes.run<Sql.UpdateSealedOfAllWorkspaces>(
  '{ id, secret, formerSecret }',
)(`
  update webhook_endpoints set secret = :secret?, former_secret = :formerSecret?
  where id = :id`)
