import { type NotificationKind, notificationDefaults } from '@signalbox/contract/notifications.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { plainLine } from '../../plain-text.ts'
import { addEffect } from '../../record/outbox/add.ts'
import { insertNotifications, type Written } from './store.ts'

export interface NotificationContent {
  kind: NotificationKind
  /** The key of a decision, an incident or a run; the id of a token or a runner; the morning of a report; the team of a suggestion; the page of a source. */
  thing: string
  /** Told twice of the same thing, a person hears it once. */
  what: string
  title: string
  body: string
}

/**
 * Notifies people: a row for each of them, in the transaction of the event. A push or a mail follows where they have
 * asked for one. Returns whom to mail about an incident or a report, whose mails say more and are written there.
 */
export async function notify(
  ctx: Context,
  tx: Tx,
  people: readonly string[],
  told: NotificationContent,
): Promise<string[]> {
  if (people.length === 0) return []
  const at = ctx.clock.now()
  const written = await insertNotifications(tx, ctx.workspaceId, {
    ...told,
    title: plainLine(told.title),
    body: plainLine(told.body, 500),
    people: people.map((personId) => ({ id: newId(at), personId })),
    ways: notificationDefaults[told.kind],
    at,
  })
  for (const one of written) await send(ctx, tx, one, told.kind)
  return written.filter(({ byMail }) => byMail).map(({ personId }) => personId)
}

const writtenElsewhere = new Set<NotificationKind>(['incident', 'report'])

async function send(ctx: Context, tx: Tx, { id, byMail, browsers }: Written, kind: NotificationKind) {
  for (const browser of browsers)
    await addEffect(ctx, tx, {
      kind: 'push_notification',
      key: `push_notification/${id}/${browser}`,
      data: { notification: id, browser },
    })
  if (byMail && !writtenElsewhere.has(kind))
    await addEffect(ctx, tx, {
      kind: 'mail_notification',
      key: `mail_notification/${id}`,
      data: { notification: id },
    })
}
