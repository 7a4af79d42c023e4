import type { Notification, Unread } from '@signalbox/contract/app/notifications.ts'
import type { NotificationKind, NotificationWays } from '@signalbox/contract/notifications.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import { sql } from 'kysely'
import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import { type PageRequest, type Rendered, rowsFor } from '../page.ts'

export interface NewNotifications {
  people: { id: string; personId: string }[]
  kind: NotificationKind
  thing: string
  what: string
  title: string
  body: string
  at: Date
  /** For those who have chosen nothing. */
  ways: NotificationWays
}

/** One that was written, and in which other ways its person wants to hear of it. */
export interface Written {
  id: string
  personId: string
  byMail: boolean
  /** Ids of the browsers that take pushes. */
  browsers: string[]
}

/** Those that were written: not for whoever wants to hear nothing of it, nor for whoever has it already. */
export async function insertNotifications(
  tx: Tx,
  workspaceId: string,
  { people, kind, thing, what, title, body, at, ways }: NewNotifications,
): Promise<Written[]> {
  const { rows } = await sql<Written>`
    with told as (
      select p.id, p."personId", coalesce(s.in_app, ${ways.inApp}) as in_app,
        coalesce(s.by_mail, ${ways.byMail}) as by_mail, coalesce(s.by_push, ${ways.byPush}) as by_push
      from json_to_recordset(${JSON.stringify(people)}::json) as p (id uuid, "personId" uuid)
      left join notification_settings s on s.person_id = p."personId" and s.kind = ${kind}
    ), written as (
      insert into notifications (id, workspace_id, person_id, kind, thing, what, title, body, in_app, created_at)
      select id, ${workspaceId}, "personId", ${kind}, ${thing}, ${what}, ${title}, ${body}, in_app, ${at}
      from told where in_app or by_mail or by_push
      on conflict do nothing
      returning id
    )
    select t.id, t."personId", t.by_mail as "byMail",
      array(select b.id from push_subscriptions b where t.by_push and b.person_id = t."personId" order by b.id)
        as browsers
    from told t join written using (id)
  `.execute(tx)
  return rows
}

// A decision that waits no longer asks for nobody's attention, whoever has answered it.
const ofPerson = `
  from notifications n
  left join decisions d on n.kind = 'decision' and d.workspace_id = n.workspace_id and d.key = n.thing
  where n.workspace_id = :workspaceId and n.person_id = :personId and n.in_app`
const isUnread = `n.read_at is null and (n.kind <> 'decision' or d.status = 'pending')`
const notification = `
  n.id, n.kind, n.thing, n.title, n.body, iso(n.created_at) as "createdAt", ${isUnread} as unread`

const list = statement<Rendered<Notification>>(`
  select id, row_to_json(one)::text as json
  from (select ${notification} ${ofPerson} [[and n.id < :after]] order by n.id desc limit #rows) as one`)

export async function selectNotifications(
  db: Db,
  workspaceId: string,
  personId: string,
  { after, ...page }: PageRequest,
): Promise<readonly Rendered<Notification>[]> {
  return read(db, list, { workspaceId, personId, after, rows: rowsFor(page) })
}

const unread = statement<{ json: Json<Unread> }>(`
  with unread as materialized (select ${notification} ${ofPerson} and ${isUnread})
  select json_build_object(
    'count', (select count(*) from unread),
    'newest', coalesce((
      select json_agg(row_to_json(one)) from (select * from unread order by id desc limit 10) as one
    ), '[]')
  )::text as json`)

export async function selectUnread(db: Db, workspaceId: string, personId: string): Promise<Json<Unread>> {
  return (await read(db, unread, { workspaceId, personId }))[0]!.json
}

export async function markShown(
  tx: Tx,
  workspaceId: string,
  personId: string,
  ids: string[],
  at: Date,
): Promise<void> {
  await sql`
    update notifications set shown_at = ${at}
    where workspace_id = ${workspaceId} and person_id = ${personId} and id = any(${ids}) and shown_at is null
  `.execute(tx)
}

/** One of them, or all. */
export async function markRead(
  tx: Tx,
  workspaceId: string,
  personId: string,
  id: string | null,
  at: Date,
): Promise<void> {
  await sql`
    update notifications set read_at = ${at}, shown_at = coalesce(shown_at, ${at})
    where workspace_id = ${workspaceId} and person_id = ${personId} and read_at is null and in_app
      ${id === null ? sql`` : sql`and id = ${id}`}
  `.execute(tx)
}

export interface Sendable extends Pick<Notification, 'kind' | 'thing' | 'title' | 'body'> {
  workspace: string
  personName: string
  email: string
}

const sendable = statement<Sendable>(`
  select n.kind, n.thing, n.title, n.body, w.slug as workspace, p.name as "personName", p.email
  from notifications n
  join workspaces w on w.id = n.workspace_id and w.deleted_at is null
  join memberships m on m.workspace_id = n.workspace_id and m.person_id = n.person_id
  join people p on p.id = n.person_id
  left join decisions d on n.kind = 'decision' and d.workspace_id = n.workspace_id and d.key = n.thing
  where n.workspace_id = :workspaceId and n.id = :id
    and n.created_at > :since and ${isUnread}`)

/** One that is still worth sending: lately written, not read yet, and its person still in the workspace. */
export async function selectSendable(
  db: Db,
  workspaceId: string,
  id: string,
  since: Date,
): Promise<Sendable | undefined> {
  return (await read(db, sendable, { workspaceId, id, since }))[0]
}

/** The first time counts. */
export async function markPushed(tx: Tx, workspaceId: string, id: string, at: Date): Promise<void> {
  await sql`
    update notifications set pushed_at = ${at}
    where workspace_id = ${workspaceId} and id = ${id} and pushed_at is null
  `.execute(tx)
}
