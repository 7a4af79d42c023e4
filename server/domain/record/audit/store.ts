import type { AuditEntry, AuditEvent } from '@signalbox/contract/audit.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import { type Db, pipelined, read, readApart, type Tx, write } from '../../../infra/db/db.ts'
import { presentPosition } from '../../../infra/db/position.ts'
import { type Nothing, reads, readsApart, writes } from '../../../infra/db/queries.ts'
import { RememberedRead, signatureOf } from '../../../infra/db/remembered.ts'
import { handedIn, linesOf, statement } from '../../../infra/db/statement.ts'
import { type Page, type PageRequest, pageFrom, type Rendered, rowsFor } from '../../page.ts'
import type { EntryFilter } from './filter.ts'
import { type PersonalValue, referencesIn, reveal, type Stored } from './personal.ts'
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

// Entries stay as they are; what they refer to can be erased.
const version = `xmin::text || coalesce((
  select '.' || erasure from audit_personal
  where workspace_id = :workspaceId and erasure is not null order by erasure desc limit 1), '')`

/** What a program that follows the log asks for again and again, mostly to find nothing new. */
const newestVersions = statement<Sql.NewestVersions>(
  signatureOf(`select id::text as key, ${version} as version from audit_entries ${matching}`),
)
const newestRows = statement<Sql.NewestRows, Rendered<AuditEntry>>(
  `select id, entry as json, id::text as key, ${version} as "version!" from audit_entries ${matching}`,
)
const newest = new RememberedRead<Page<AuditEntry>, Sql.NewestRows['parameters'], typeof newestRows.row>(
  newestVersions,
  newestRows,
  { most: 50 },
)

/** In one text: as rows, thousands of ids would cost more than the rest of the export. */
const found = statement<Sql.Found>(`
  select coalesce(string_agg(id::text, ',' order by id desc), '') as "ids!"
  from (select id from audit_entries ${matching}) as matched`)

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
  const make = async (rows: readonly Rendered<AuditEntry>[]) => {
    const { data, next } = pageFrom(rows, { after, limit })
    return { data: await revealed(db, workspaceId, data), next }
  }
  // Later pages are read once as a person pages through the log, so only the first is cached.
  return after === null ? newest.read(db, parameters, limit, make) : make(await read(db, page, parameters))
}

/** Of some events within a span of ids, newest first; without what happened in practice projects. */
const ofSpan = statement<Sql.OfSpan, { json: Json<AuditEntry> }>(`
  select entry as json from audit_entries
  where workspace_id = :workspaceId and id >= :fromId and id < :beforeId and event = any(:events::text[])
    and (team is null or team not in (select slug from teams where workspace_id = :workspaceId and hidden))
  order by id desc
  limit #rows`)

export async function selectSpan(
  db: Db,
  workspaceId: string,
  span: { fromId: string; beforeId: string; events: AuditEvent[]; rows: number },
): Promise<Json<AuditEntry>[]> {
  const rows = await readApart(db, ofSpan, handedIn({ ...span, workspaceId }))
  return revealed(
    db,
    workspaceId,
    rows.map(({ json }) => json),
  )
}

/** Sources that delivered at least so often within ten minutes, of the newest deliveries of a span. */
export const selectStorms = readsApart.many<Sql.SelectStorms>('workspaceId, fromId, beforeId, least, rows')(`
  select id as "source!", max(name) as name, sum(n)::int as "deliveries!", max(at)::timestamptz as "at!"
  from (
    select entry::json #>> '{entity,id}' as id, max(entry::json #>> '{entity,name}') as name, count(*) as n,
      max((entry::json ->> 'timestamp')::timestamptz) as at
    from (
      select entry from audit_entries
      where workspace_id = :workspaceId and event = 'signal_received' and id >= :fromId and id < :beforeId
      order by id desc
      limit #rows
    ) as newest
    group by 1, date_bin('10 minutes', (entry::json ->> 'timestamp')::timestamptz, timestamptz 'epoch')
    having count(*) >= :least
  ) as busy
  group by id
  order by 3 desc`)

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

/** The newest entries that match, up to `rows`. */
export async function selectIds(
  db: Db,
  workspaceId: string,
  filter: EntryFilter,
  rows: number,
): Promise<string[]> {
  const [{ ids }] = (await readApart(db, found, handedIn({ ...filter, workspaceId, rows }))) as [
    Sql.Found['row'],
  ]
  return ids === '' ? [] : ids.split(',')
}

/** Fixes which entries a file holds, in this order. Returns the slug of the workspace. */
export const insertExport = writes.onlyValue<Sql.InsertExport>('workspaceId, exportId, entries')(`
  insert into audit_exports (id, workspace_id, entries)
  values (:exportId, :workspaceId, :entries::uuid[])
  returning (select slug from workspaces w where w.id = workspace_id) as "workspace!"`)

/** A piece of an export; its positions are counted from 1. */
interface Piece {
  exportId: string
  first: number
  last: number
}

/** Stored texts, one in a line. */
const selectPieceText = reads.onlyValue<Sql.SelectPieceText, Nothing, Piece>('workspaceId, ...piece')(
  `select string_agg(e.entry, E'\\n' order by e.id desc) as "text!" ${piece}`,
)

export async function selectPiece(db: Db, workspaceId: string, piece: Piece): Promise<Json<AuditEntry>[]> {
  const text = await selectPieceText(db, workspaceId, piece)
  return revealed(db, workspaceId, text.split('\n') as Json<AuditEntry>[])
}

const selectValues = reads.many<Sql.SelectValues>('workspaceId, refs')(`
  select ref, value as "value!" from audit_personal
  where workspace_id = :workspaceId and ref = any(:refs::text[]) and erasure is null`)

/** Stored texts as readers see them: with the values that they refer to. */
export async function revealed(
  db: Db | Tx,
  workspaceId: string,
  texts: Json<AuditEntry>[],
): Promise<Json<AuditEntry>[]> {
  const refs = referencesIn(texts)
  const found = refs.length > 0 ? await selectValues(db, workspaceId, refs) : []
  const values = new Map(found.map(({ ref, value }) => [ref, value]))
  return texts.map((text) => reveal(text, values) as Json<AuditEntry>)
}

// Held against an erasure: what it does not see yet is not stored behind it.
const insertPersonalSql = statement<Sql.InsertPersonal>(`
  with named as (
    select id, erased_at from people where id = any(:people::uuid[]) order by id for key share
  )
  insert into audit_personal (workspace_id, ref, person_id, salt, value)
  select workspace_id, ref, person_id, salt, value
  from json_to_recordset(:rows::json) as (workspace_id uuid, ref text, person_id uuid, salt text, value text)
  where not exists (select from named where named.id = person_id and named.erased_at is not null)`)

export async function insertPersonalOfAllWorkspaces(tx: Tx, values: readonly PersonalValue[]): Promise<void> {
  const rows = values.map(({ workspaceId, ref, personId, salt, value }) => ({
    ...{ workspace_id: workspaceId, ref, person_id: personId, salt, value },
  }))
  const people = [...new Set(values.flatMap(({ personId }) => personId ?? []))]
  await write(tx, insertPersonalSql, { rows: JSON.stringify(rows), people })
}

/** Tells a client that an entry was written, so that it reads again; has none of its content. */
export interface News {
  event: AuditEvent
  userId: string | null
  /** Of the request that made the change; null for what the service did on its own. */
  requestId: string | null
}

/** What has been committed since `after` was seen, and what can be seen now. */
export const selectNews = reads.only<Sql.SelectNews, { now: string; isKnown: boolean; news: News[] }>(
  'workspaceId, after, most',
)(`
  select pg_current_snapshot()::text as now, ${presentPosition} as "position!",
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
  select pg_current_snapshot()::text as now, ${presentPosition} as "position!", (
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

/** The newest of the last seconds. */
export const selectLatestNews = reads.only<Sql.SelectLatestNews, { news: News[] }>(
  'workspaceId, seconds, most',
)(`
  select ${presentPosition} as "position!", (
    select coalesce(json_agg(written), '[]') from (
      select e.event, e.entry::json #>> '{actor,userId}' as "userId",
        e.entry::json #>> '{details,origin,requestId}' as "requestId"
      from (
        select entry_id, written_at from audit_news where workspace_id = :workspaceId
        order by written_by desc limit #most
      ) as n
      join audit_entries e on e.workspace_id = :workspaceId and e.id = n.entry_id
      where n.written_at > now() - make_interval(secs => :seconds::float8)
    ) as written
  ) as news`)

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

/** Entries in numbers, with their texts. */
export async function insertEntries(
  tx: Tx,
  workspaceId: string,
  entries: readonly { entry: Stored; text: string }[],
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

/** The newest month whose entries are in a file and no longer here. */
export const newestArchivedMonth = reads.value<Sql.NewestArchivedMonth>('workspaceId')(`
  select month from audit_months where workspace_id = :workspaceId order by month desc limit 1`)

export const removeExports = writes.onlyValue<Sql.RemoveExports>('workspaceId, beforeId, most')(`
  select remove_audit_exports(:workspaceId, :beforeId, :most) as "removed!"`)
