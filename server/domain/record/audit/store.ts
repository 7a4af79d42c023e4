import type { AuditEntry, AuditEvent } from '@signalbox/contract/audit.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import { type Db, pipelined, read, type Tx, write } from '../../../infra/db/db.ts'
import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import { RememberedRead, signatureOf } from '../../../infra/db/remembered.ts'
import { handedIn, linesOf, statement } from '../../../infra/db/statement.ts'
import { type Page, type PageRequest, pageFrom, type Rendered, rowsFor } from '../../page.ts'
import type { EntryFilter } from './filter.ts'
import type { PublicEvent } from './public-events.ts'
import type * as Sql from './store.types.ts'

const matching = `
  where workspace_id = :workspaceId
    [[and team = :team]]
    [[and actor_type = :actor]]
    [[and event = :event]]
    [[and run_key = :run]]
    [[and id >= :fromId]]
    [[and id < :beforeId]]
    [[and id < :after]]
    [[and id > :newerThan]]
  order by id desc
  limit #rows
`
const page = statement<Sql.Page, Rendered<AuditEntry>>(
  `select id, entry as json from audit_entries ${matching}`,
)

/** What a program that follows the log asks for again and again, mostly to find nothing new. */
const newestVersions = statement<Sql.NewestVersions>(
  signatureOf(`select id::text as key, xmin::text as version from audit_entries ${matching}`),
)
const newestRows = statement<Sql.NewestRows, Rendered<AuditEntry>>(
  `select id, entry as json, id::text as key, xmin::text as version from audit_entries ${matching}`,
)
const newest = new RememberedRead<Page<AuditEntry>, Sql.NewestRows['parameters'], typeof newestRows.row>(
  newestVersions,
  newestRows,
  { most: 50 },
)

// The entries stay in the database: five thousand ids would cost more on their way than the file itself. The digest is
// the one of export-digest.ts.
const recorded = statement<Sql.Recorded>(`
  insert into audit_exports (id, workspace_id, entries)
  values (:exportId, :workspaceId, array(select id from audit_entries ${matching}))
  returning (select slug from workspaces w where w.id = workspace_id) as "workspace!", cardinality(entries) as count, entries[cardinality(entries)] as oldest, (
    select encode(sha256(convert_to(coalesce(string_agg(entry || E'\\n', '' order by position), ''), 'UTF8')), 'base64')
    from unnest(entries::text[]) with ordinality as listed (entry, position)
  ) as digest`)

const older = statement<Sql.Older>(`select from audit_entries ${matching}`)

const piece = `
  from audit_entries e
  where e.workspace_id = :workspaceId and e.id = any (array(
    select unnest(entries[:first::int : :last::int]) from audit_exports where id = :exportId and workspace_id = :workspaceId
  ))
`
export async function selectEntries(
  db: Db,
  workspaceId: string,
  { team, actor, event, run, fromId, beforeId }: EntryFilter,
  { after, limit }: PageRequest,
): Promise<Page<AuditEntry>> {
  const filter = { team, actor, event, run, fromId, beforeId }
  const parameters = { workspaceId, ...filter, after, rows: rowsFor({ limit }) }
  const make = (rows: readonly Rendered<AuditEntry>[]) => pageFrom(rows, { after, limit })
  // Later pages are read once as a person pages through the log, so only the first is cached.
  return after === null ? newest.read(db, parameters, limit, make) : make(await read(db, page, parameters))
}

const counted = statement<Sql.Counted>(
  `select count(*)::int as count from (select from audit_entries ${matching}) as matched`,
)

/** How many match, counted no further than `rows`. */
export async function countEntries(
  db: Db,
  workspaceId: string,
  filter: EntryFilter & { newerThan?: string | undefined },
  rows: number,
): Promise<number> {
  return (await read(db, counted, handedIn({ ...filter, workspaceId, rows })))[0]!.count
}

export type RecordedExport = Sql.Recorded['row']

/** Fixes which entries a file holds, newest first. */
export async function recordExport(
  tx: Tx,
  workspaceId: string,
  exportId: string,
  filter: EntryFilter,
  rows: number,
): Promise<RecordedExport> {
  return (await write(tx, recorded, handedIn({ ...filter, workspaceId, exportId, rows })))[0]!
}

export async function hasOlder(
  tx: Tx,
  workspaceId: string,
  filter: EntryFilter,
  after: string,
): Promise<boolean> {
  return (await read(tx, older, handedIn({ ...filter, workspaceId, after, rows: 1 }))).length > 0
}

/** A piece of an export; its positions are counted from 1. */
interface Piece {
  exportId: string
  first: number
  last: number
}

export const selectPiece = reads.column<Sql.SelectPiece, { entry: Json<AuditEntry> }, Piece>(
  'workspaceId, ...piece',
)(`select e.entry ${piece} order by e.id desc`)

/** The same, with commas between the entries. */
export const selectPieceText = reads.onlyValue<Sql.SelectPieceText, Nothing, Piece>('workspaceId, ...piece')(
  `select string_agg(e.entry, E',\\n' order by e.id desc) as "text!" ${piece}`,
)

/** Tells a client that an entry was written, so that it reads again; has none of its content. */
export interface News {
  event: AuditEvent
  userId: string | null
  /** Of the request that made the change; null for what the service did of its own accord. */
  requestId: string | null
}

/** What has been committed since `after` was seen, and what can be seen now. */
export const selectNews = reads.only<Sql.SelectNews, { now: string; isKnown: boolean; news: News[] }>(
  'workspaceId, after, most',
)(`
  select pg_current_snapshot()::text as now,
    -- What was seen in the future was seen in another database. What is older than all that is kept may lack something:
    -- while there is still something that was seen then, and is not about to be forgotten, nothing later has been.
    pg_snapshot_xmax(:after::pg_snapshot) <= pg_snapshot_xmax(pg_current_snapshot()) and exists (
      select from audit_news
      where workspace_id = :workspaceId and written_by < pg_snapshot_xmax(:after::pg_snapshot)
        and pg_visible_in_snapshot(written_by, :after::pg_snapshot)
        and written_at > now() - interval '23 hours'
    ) as "isKnown!",
    (
      select coalesce(json_agg(written), '[]') from (
        select e.event, e.entry::json #>> '{actor,userId}' as "userId",
          e.entry::json #>> '{details,origin,requestId}' as "requestId"
        from audit_news n
        join audit_entries e on e.workspace_id = n.workspace_id and e.id = n.entry_id
        where n.workspace_id = :workspaceId and n.written_by >= pg_snapshot_xmin(:after::pg_snapshot)
          and not pg_visible_in_snapshot(n.written_by, :after::pg_snapshot)
        order by n.written_by, n.entry_id
        limit #most
      ) as written
    ) as news`)

const newsOfMany = statement<Sql.NewsOfMany, { now: string; told: { workspaceId: string; news: News[] }[] }>(`
  select pg_current_snapshot()::text as now, (
    select coalesce(json_agg(json_build_object('workspaceId', w.id, 'news', found.news)), '[]')
    from unnest(:workspaceIds::uuid[], :moments::pg_snapshot[]) as w (id, moment)
    cross join lateral (
      select json_agg(written) as news from (
        select e.event, e.entry::json #>> '{actor,userId}' as "userId",
          e.entry::json #>> '{details,origin,requestId}' as "requestId"
        from audit_news n
        join audit_entries e on e.workspace_id = n.workspace_id and e.id = n.entry_id
        where n.workspace_id = w.id and n.written_by >= pg_snapshot_xmin(w.moment)
          and not pg_visible_in_snapshot(n.written_by, w.moment)
        order by n.written_by, n.entry_id
        limit #most
      ) as written
    ) as found
    where found.news is not null
  ) as told`)

/** The same for many workspaces, each since its own moment, in one question; those without news are not among them. */
export async function selectNewsOfAllWorkspaces(db: Db, since: ReadonlyMap<string, string>, most: number) {
  const places = { workspaceIds: [...since.keys()], moments: [...since.values()] }
  return (await read(db, newsOfMany, handedIn({ ...places, most })))[0]!
}

export const selectSnapshotOfAllWorkspaces = reads.onlyValue<Sql.SelectSnapshotOfAllWorkspaces>()(
  'select pg_current_snapshot()::text as now',
)

/** Also those that a restored backup has brought from another database, whose transactions had other numbers. */
export const deleteNewsOfAllWorkspaces = writes.run<Sql.DeleteNewsOfAllWorkspaces>()(`
  delete from audit_news
  where written_at < now() - interval '1 day' or written_by >= pg_snapshot_xmax(pg_current_snapshot())`)

const added = statement<Sql.Added>(`
  insert into audit_entries (id, workspace_id, team, actor_type, event, run_key, entry)
  select id, :workspaceId::uuid, team, actor_type, event, run_key, entry
  from unnest(:ids::uuid[], :teams::text[], :actors::text[], :events::text[], :runs::text[],
    string_to_array(:texts, E'\\n')) as e (id, team, actor_type, event, run_key, entry)`)

/** Entries in numbers; `text` is the entry as every reader sees it. */
export async function insertEntries(
  tx: Tx,
  workspaceId: string,
  entries: readonly { entry: AuditEntry; text: string }[],
): Promise<void> {
  await write(tx, added, {
    workspaceId,
    ids: entries.map(({ entry }) => entry.id),
    teams: entries.map(({ entry }) => entry.team),
    actors: entries.map(({ entry }) => entry.actor.type),
    events: entries.map(({ entry }) => entry.event),
    runs: entries.map(({ entry }) => entry.runKey),
    texts: linesOf(entries.map(({ text }) => text)),
  })
}

export const insertUnsealed = writes.run<Sql.InsertUnsealed>('workspaceId, ids')(`
  insert into audit_unsealed (workspace_id, entry_id) select :workspaceId::uuid, unnest(:ids::uuid[])`)

export const insertNews = writes.run<Sql.InsertNews>('workspaceId, ids')(`
  insert into audit_news (workspace_id, entry_id) select :workspaceId::uuid, unnest(:ids::uuid[])`)

const insertMessagesSql = statement<Sql.InsertMessages>(`
  with events as (
    select e.*, row_number() over (partition by workspace_id, object order by place desc)::int - 1 as before_last
    from json_to_recordset(:rows::json) as e (
      event_id uuid, workspace_id uuid, type text, at timestamptz, team text, object text, place int, data text)
    where exists (
      select from webhook_endpoints w where w.workspace_id = e.workspace_id and w.deleted_at is null)
  ), counted as (
    insert into webhook_sequences as s (workspace_id, object, last)
    select workspace_id, object, count(*) from events
    group by workspace_id, object
    order by workspace_id, object
    on conflict (workspace_id, object) do update set last = s.last + excluded.last
    returning workspace_id, object, last
  )
  insert into webhook_deliveries
    (workspace_id, endpoint_id, event_id, type, occurred_at, data, sequence, state, due_at)
  select e.workspace_id, w.id, e.event_id, e.type, e.at, e.data, c.last - e.before_last, 'pending', e.at
  from events e
  join counted c on c.workspace_id = e.workspace_id and c.object = e.object
  join webhook_endpoints w on w.workspace_id = e.workspace_id and w.deleted_at is null
    and e.type = any (w.event_types)
    and (w.team_ids is null or exists (
      select from teams t where t.workspace_id = e.workspace_id and t.slug = e.team and t.id = any (w.team_ids)))`)

/**
 * One message for each endpoint that wants it. Objects are counted last and in one order, so a transaction that waits
 * for a count holds nothing that the one before it needs.
 */
export async function insertMessagesOfAllWorkspaces(
  tx: Tx,
  messages: readonly (PublicEvent & { workspaceId: string })[],
): Promise<void> {
  const rows = messages.map(({ id, workspaceId, type, at, team, object, data }, place) => ({
    ...{ event_id: id, workspace_id: workspaceId, type, at, team, object, place },
    data: JSON.stringify(data),
  }))
  await write(pipelined(tx), insertMessagesSql, { rows: JSON.stringify(rows) })
}

export const removeExports = writes.onlyValue<Sql.RemoveExports>('workspaceId, beforeId, most')(`
  select remove_audit_exports(:workspaceId, :beforeId, :most) as "removed!"`)
