import type { Severity } from '@signalbox/contract/signal.ts'
import type { Tx } from '../../infra/db/db.ts'
import { newId } from '../../infra/ids.ts'
import type { Context } from '../context.ts'
import { addEffect } from '../outbox/add.ts'
import { insertNotifications, selectAudience } from './store.ts'

export interface Told {
  id: string
  key: string
  title: string
  severity: Severity
  service: { id: string; name: string }
}

/**
 * Tells of an incident: members in the app and by e-mail when it opens and when it is resolved, and every place of its
 * service also when the investigation has found something.
 */
export async function tell(
  ctx: Context,
  tx: Tx,
  incident: Told,
  what: 'opened' | 'found' | 'resolved',
): Promise<void> {
  const { members, places } = await selectAudience(tx, ctx.workspaceId, incident.service.id)
  for (const place of places) {
    await addEffect(ctx, tx, {
      kind: 'post_incident',
      key: `post_incident/${incident.id}/${what}/${place}`,
      data: { incident: incident.id, what, place },
    })
  }
  if (what === 'found' || members.length === 0) return
  const at = ctx.clock.now()
  await insertNotifications(
    tx,
    members.map((personId) => ({
      id: newId(at),
      workspaceId: ctx.workspaceId,
      personId,
      incidentId: incident.id,
      title: `${incident.key} ${what === 'opened' ? 'opened' : 'is resolved'}: ${incident.title}`,
      body: `${incident.service.name}, severity ${incident.severity}.`,
      at,
    })),
  )
  for (const person of members) {
    await addEffect(ctx, tx, {
      kind: 'mail_member',
      key: `mail_member/${incident.id}/${what}/${person}`,
      data: { incident: incident.id, what, person },
    })
  }
}
