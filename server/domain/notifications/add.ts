import type { Tx } from '../../infra/db/db.ts'
import { newId } from '../../infra/ids.ts'
import type { Context } from '../context.ts'
import { insertNotifications } from './store.ts'

/** Notifies people in the app: a row for each of them, in the transaction of what they are to hear of. */
export async function notify(
  ctx: Context,
  tx: Tx,
  people: string[],
  about: { incidentId: string; title: string; body: string },
): Promise<void> {
  const at = ctx.clock.now()
  const rows = people.map((personId) => ({ id: newId(at), personId, ...about, at }))
  if (rows.length > 0) await insertNotifications(tx, ctx.workspaceId, rows)
}
