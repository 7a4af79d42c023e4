import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { addEffect } from '../../record/outbox/add.ts'
import { insertNotification, type What } from './store.ts'

/** Has a member mailed when an incident opens, or is resolved. */
export async function planMail(
  ctx: Context,
  tx: Tx,
  incidentId: string,
  what: 'opened' | 'resolved',
  personId: string,
): Promise<void> {
  const effectId = await addEffect(ctx, tx, {
    kind: 'mail_member',
    key: `mail_member/${incidentId}/${what}/${personId}`,
    data: { incident: incidentId, what, person: personId },
  })
  if (effectId) await insert(ctx, tx, { incidentId, what, personId, placeId: null, effectId })
}

/** Has it posted in a place. What people do is posted as often as they do it, each by the number of its step. */
export async function planPost(
  ctx: Context,
  tx: Tx,
  incidentId: string,
  what: What,
  placeId: string,
  done?: { step: number; text: string },
): Promise<void> {
  const effectId = await addEffect(ctx, tx, {
    kind: 'post_incident',
    key: `post_incident/${incidentId}/${what}${done ? `-${done.step}` : ''}/${placeId}`,
    data: { incident: incidentId, what, place: placeId, ...(done ? { text: done.text } : {}) },
  })
  if (effectId) await insert(ctx, tx, { incidentId, what, personId: null, placeId, effectId })
}

const insert = (
  ctx: Context,
  tx: Tx,
  notification: Omit<Parameters<typeof insertNotification>[2], 'id' | 'at'>,
) => {
  const at = ctx.clock.now()
  return insertNotification(tx, ctx.workspaceId, { ...notification, id: newId(at), at })
}
