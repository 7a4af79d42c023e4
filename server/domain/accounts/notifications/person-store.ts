import type { NotificationSettings } from '@signalbox/contract/app/account.ts'
import type { NotificationKind, NotificationWays } from '@signalbox/contract/notifications.ts'
import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import type * as Sql from './person-store.types.ts'

export const selectChosen = reads.many<Sql.SelectChosen, NotificationWays & { kind: NotificationKind }>(
  'personId',
)(`
  select kind, in_app as "inApp", by_mail as "byMail", by_push as "byPush"
  from notification_settings where person_id = :personId`)

export const upsertChoice = writes.run<Sql.UpsertChoice, Nothing, { kind: NotificationKind }>(
  'personId, kind, { inApp, byMail, byPush }',
)(`
  insert into notification_settings (person_id, kind, in_app, by_mail, by_push)
  values (:personId, :kind, :inApp, :byMail, :byPush)
  on conflict (person_id, kind) do update
  set in_app = excluded.in_app, by_mail = excluded.by_mail, by_push = excluded.by_push`)

export const selectReportSettings = reads.one<Sql.SelectReportSettings>('personId')(`
  select hour::int as "hour!", time_zone as "timeZone", by_chat as "byChat"
  from report_settings where person_id = :personId`)

export const upsertReportSettings = writes.run<Sql.UpsertReportSettings>(
  'personId, { hour, timeZone, byChat }',
)(`
  insert into report_settings (person_id, hour, time_zone, by_chat)
  values (:personId, :hour, :timeZone, :byChat)
  on conflict (person_id) do update
  set hour = excluded.hour, time_zone = excluded.time_zone, by_chat = excluded.by_chat`)

/** Whether a chat tool knows them, in any of their workspaces. */
export const isInChat = reads.onlyValue<Sql.IsInChat>('personId')(`
  select exists (
    select from chat_links l
    join connections c on c.workspace_id = l.workspace_id and c.id = l.connection_id and c.deleted_at is null
    join memberships m on m.workspace_id = l.workspace_id and m.person_id = l.person_id
    where l.person_id = :personId
  ) as "isLinked!"`)

export const selectBrowsers = reads.many<Sql.SelectBrowsers, NotificationSettings['browsers'][number]>(
  'personId',
)(`
  select b.id, b.endpoint, s.user_agent as "userAgent", iso(b.created_at) as "createdAt"
  from push_subscriptions b
  join sessions s on s.id = b.session_id
  where b.person_id = :personId
  order by b.id desc`)

/**
 * A browser gets the pushes of the person who turned them on last. Returns whether it had those of another person, or
 * none, before.
 */
export const upsertBrowser = writes.onlyValue<Sql.UpsertBrowser>('personId, ...browser')(`
  with before as (select person_id from push_subscriptions where endpoint = :endpoint)
  insert into push_subscriptions (id, person_id, session_id, endpoint, p256dh, auth, created_at)
  values (:id, :personId, :sessionId, :endpoint, :p256dh, :auth, :at)
  on conflict (endpoint) do update
  set person_id = excluded.person_id, session_id = excluded.session_id, p256dh = excluded.p256dh,
    auth = excluded.auth
  returning not exists (select from before where person_id = :personId) as "isNew"`)

export const deleteOldestBrowsers = writes.run<Sql.DeleteOldestBrowsers>('personId, most')(`
  delete from push_subscriptions where person_id = :personId and id not in (
    select id from push_subscriptions where person_id = :personId order by id desc limit :most
  )`)

/** False when there is none. */
export const deleteBrowser = writes.wroteOne<Sql.DeleteBrowser>('personId, id')(`
  delete from push_subscriptions where person_id = :personId and id = :id`)

/** The browser of a notification's recipient, while its session is valid. */
export const selectBrowserByNotification = reads.one<Sql.SelectBrowserByNotification>(
  'notification, id, now',
)(`
  select b.person_id as "personId", b.endpoint, b.p256dh, b.auth
  from push_subscriptions b
  join sessions s on s.id = b.session_id and s.expires_at > :now
  where b.person_id = (select person_id from notifications where id = :notification) and b.id = :id`)
