import type { Notification, Unread } from '@signalbox/contract/app/notifications.ts'
import type { NotificationKind, NotificationWays } from '@signalbox/contract/notifications.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import { type Tx, write } from '../../../infra/db/db.ts'
import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import { handedIn, statement } from '../../../infra/db/statement.ts'
import type { Rendered } from '../../page.ts'
import type * as Sql from './store.types.ts'

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

/** A notification that was written, and the other ways its person wants to be told. */
export interface Written {
  id: string
  personId: string
  byMail: boolean
  /** Ids of the browsers that take pushes. */
  browsers: string[]
}

const insertNotificationsSql = statement<Sql.InsertNotifications, Written>(`
  with told as (
    select p.id, p."personId", coalesce(s.in_app, :inApp) as in_app,
      coalesce(s.by_mail, :byMail) as by_mail, coalesce(s.by_push, :byPush) as by_push
    from json_to_recordset(:people::json) as p (id uuid, "personId" uuid)
    left join notification_settings s on s.person_id = p."personId" and s.kind = :kind
  ), written as (
    insert into notifications (id, workspace_id, person_id, kind, thing, what, title, body, in_app, created_at)
    select id, :workspaceId, "personId", :kind, :thing, :what, :title, :body, in_app, :at
    from told where in_app or by_mail or by_push
    on conflict do nothing
    returning id
  )
  select t.id as "id!", t."personId" as "personId!", t.by_mail as "byMail!",
    array(select b.id from push_subscriptions b where t.by_push and b.person_id = t."personId" order by b.id)
      as browsers
  from told t join written using (id)`)

/** Returns those that were written: people who turned it off or already have it are skipped. */
export async function insertNotifications(
  tx: Tx,
  workspaceId: string,
  { people, kind, thing, what, title, body, at, ways }: NewNotifications,
): Promise<Written[]> {
  return write(
    tx,
    insertNotificationsSql,
    handedIn({
      ...ways,
      workspaceId,
      people: JSON.stringify(people),
      kind,
      thing,
      what,
      title,
      body,
      at,
    }),
  )
}

// A decision that is no longer pending does not count as unread, no matter who answered it.
const ofPerson = `
  from notifications n
  left join decisions d on n.kind = 'decision' and d.workspace_id = n.workspace_id and d.key = n.thing
  where n.workspace_id = :workspaceId and n.person_id = :personId and n.in_app`
const isUnread = `n.read_at is null and (n.kind <> 'decision' or d.status = 'pending')`
const notification = `
  n.id, n.kind, n.thing, n.title, n.body, iso(n.created_at) as "createdAt", ${isUnread} as unread`

export const selectNotifications = reads.many<Sql.SelectNotifications, Rendered<Notification>>(
  'workspaceId, personId, { after, rows }',
)(`
  select id, row_to_json(one)::text as "json!"
  from (select ${notification} ${ofPerson} [[and n.id < :after]] order by n.id desc limit #rows) as one`)

export const selectUnread = reads.onlyValue<Sql.SelectUnread, { json: Json<Unread> }>(
  'workspaceId, personId',
)(`
  with unread as materialized (select ${notification} ${ofPerson} and ${isUnread})
  select json_build_object(
    'count', (select count(*) from unread),
    'newest', coalesce((
      select json_agg(row_to_json(one)) from (select * from unread order by id desc limit 10) as one
    ), '[]')
  )::text as json`)

export const markShown = writes.run<Sql.MarkShown>('workspaceId, personId, ids, at')(`
  update notifications set shown_at = :at
  where workspace_id = :workspaceId and person_id = :personId and id = any(:ids) and shown_at is null`)

/** One of them, or all. */
export const markRead = writes.run<Sql.MarkRead>('workspaceId, personId, id, at')(`
  update notifications set read_at = :at, shown_at = coalesce(shown_at, :at)
  where workspace_id = :workspaceId and person_id = :personId and read_at is null and in_app [[and id = :id]]`)

/** Everyone's about one thing. */
export const markReadByAll = writes.run<Sql.MarkReadByAll, Nothing, { kind: NotificationKind }>(
  'workspaceId, { kind, thing }, at',
)(`
  update notifications set read_at = :at
  where workspace_id = :workspaceId and kind = :kind and thing = :thing and read_at is null`)

export interface Sendable extends Pick<Notification, 'kind' | 'thing' | 'title' | 'body'> {
  workspace: string
  personName: string
  email: string
}

/** One that is still worth sending: lately written, not read yet, and its person still in the workspace. */
export const selectSendable = reads.one<Sql.SelectSendable, Sendable>('workspaceId, id, since')(`
  select n.kind, n.thing, n.title, n.body, w.slug as workspace, p.name as "personName", p.email
  from notifications n
  join workspaces w on w.id = n.workspace_id and w.deleted_at is null
  join memberships m on m.workspace_id = n.workspace_id and m.person_id = n.person_id
  join people p on p.id = n.person_id
  left join decisions d on n.kind = 'decision' and d.workspace_id = n.workspace_id and d.key = n.thing
  where n.workspace_id = :workspaceId and n.id = :id
    and n.created_at > :since and ${isUnread}`)

/** The first time counts. */
export const markPushed = writes.run<Sql.MarkPushed>('workspaceId, id, at')(`
  update notifications set pushed_at = :at
  where workspace_id = :workspaceId and id = :id and pushed_at is null`)

export const deleteNotificationsBefore = writes.count<Sql.DeleteNotificationsBefore>(
  'workspaceId, beforeId, most',
)(`
  delete from notifications
  where id in (
    select id from notifications
    where workspace_id = :workspaceId and id < :beforeId
    limit #most
  )`)
