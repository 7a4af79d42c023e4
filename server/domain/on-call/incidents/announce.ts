import type { Severity } from '@signalbox/contract/signal.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { notify } from '../../accounts/notifications/add.ts'
import type { Context } from '../../context.ts'
import { planMail, planPost } from '../incident-notifications/plan.ts'
import { audienceOf } from '../services/audience.ts'

interface Announced {
  id: string
  key: string
  title: string
  severity: Severity
  service: { id: string; name: string }
}

/**
 * Announces an incident: members in the app and by email when it opens and when it is resolved, and every place of its
 * service also when the investigation has found something.
 */
export async function announce(
  ctx: Context,
  tx: Tx,
  incident: Announced,
  what: 'opened' | 'found' | 'resolved',
): Promise<void> {
  const { members, places } = await audienceOf(tx, ctx.workspaceId, incident.service.id)
  for (const place of places) await planPost(ctx, tx, incident.id, what, place)
  if (what === 'found') return
  const toMail = await notify(ctx, tx, members, {
    kind: 'incident',
    thing: incident.key,
    what,
    title: `${incident.key} ${what === 'opened' ? 'opened' : 'resolved'}: ${incident.title}`,
    body: `${incident.service.name}, severity ${incident.severity}.`,
  })
  for (const person of toMail) await planMail(ctx, tx, incident.id, what, person)
}

/** Tells the places of its service what a person did. */
export async function announceAct(
  ctx: Context,
  tx: Tx,
  incident: Pick<Announced, 'id' | 'service'>,
  done: { step: number; text: string },
): Promise<void> {
  const { places } = await audienceOf(tx, ctx.workspaceId, incident.service.id)
  for (const place of places) await planPost(ctx, tx, incident.id, 'updated', place, done)
}
