import type { NotificationSettings } from '@signalbox/contract/app/account.ts'
import type { NotificationKind, NotificationWays } from '@signalbox/contract/notifications.ts'
import { sql } from 'kysely'
import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'

const chosen = statement<NotificationWays & { kind: NotificationKind }>(`
  select kind, in_app as "inApp", by_mail as "byMail", by_push as "byPush"
  from notification_settings where person_id = :personId`)

export const selectChosen = (db: Db | Tx, personId: string) => read(db, chosen, { personId })

export async function upsertChoice(
  tx: Tx,
  personId: string,
  kind: NotificationKind,
  { inApp, byMail, byPush }: NotificationWays,
): Promise<void> {
  await sql`
    insert into notification_settings (person_id, kind, in_app, by_mail, by_push)
    values (${personId}, ${kind}, ${inApp}, ${byMail}, ${byPush})
    on conflict (person_id, kind) do update
    set in_app = excluded.in_app, by_mail = excluded.by_mail, by_push = excluded.by_push
  `.execute(tx)
}

const browsers = statement<NotificationSettings['browsers'][number]>(`
  select b.id, b.endpoint, s.user_agent as "userAgent", iso(b.created_at) as "createdAt"
  from push_subscriptions b
  join sessions s on s.id = b.session_id
  where b.person_id = :personId
  order by b.id desc`)

export const selectBrowsers = (db: Db, personId: string) => read(db, browsers, { personId })

/**
 * A browser that another person used takes the pushes of whoever turned them on last. Returns whether it took those of
 * somebody else, or none, before.
 */
export async function upsertBrowser(
  tx: Tx,
  personId: string,
  browser: { id: string; sessionId: string; endpoint: string; p256dh: string; auth: string; at: Date },
): Promise<boolean> {
  const { rows } = await sql<{ isNew: boolean }>`
    with before as (select person_id from push_subscriptions where endpoint = ${browser.endpoint})
    insert into push_subscriptions (id, person_id, session_id, endpoint, p256dh, auth, created_at)
    values (${browser.id}, ${personId}, ${browser.sessionId}, ${browser.endpoint}, ${browser.p256dh},
      ${browser.auth}, ${browser.at})
    on conflict (endpoint) do update
    set person_id = excluded.person_id, session_id = excluded.session_id, p256dh = excluded.p256dh,
      auth = excluded.auth
    returning not exists (select from before where person_id = ${personId}) as "isNew"
  `.execute(tx)
  return rows[0]!.isNew
}

export async function deleteOldestBrowsers(tx: Tx, personId: string, most: number): Promise<void> {
  await sql`
    delete from push_subscriptions where person_id = ${personId} and id not in (
      select id from push_subscriptions where person_id = ${personId} order by id desc limit ${most}
    )
  `.execute(tx)
}

/** False when there is none. */
export async function deleteBrowser(tx: Tx, personId: string, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from push_subscriptions where person_id = ${personId} and id = ${id}
  `.execute(tx)
  return numAffectedRows === 1n
}

interface Browser {
  personId: string
  endpoint: string
  p256dh: string
  auth: string
}

const browser = statement<Browser>(`
  select b.person_id as "personId", b.endpoint, b.p256dh, b.auth
  from push_subscriptions b
  join sessions s on s.id = b.session_id and s.expires_at > :now
  where b.person_id = (select person_id from notifications where id = :notification) and b.id = :id`)

/** The browser of whoever a notification is for, while its session lives. */
export async function selectBrowserByNotification(db: Db, notification: string, id: string, now: Date) {
  return (await read(db, browser, { notification, id, now }))[0]
}
