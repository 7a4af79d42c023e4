import type { AlertActivity } from '@signalbox/contract/app/incidents.ts'
import { firstIdAt } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { selectAlertActivity, selectOpenTime } from './store.ts'

const parts = 48
/** Deliveries of each source that are looked through. */
const most = 2_000

/** How often the alerts of an incident were reported as firing while it was open: whether it goes on, and how hard. */
export async function readAlertActivity(ctx: Context, key: string): Promise<AlertActivity> {
  const incident = await selectOpenTime(ctx.db, ctx.workspaceId, key)
  if (!incident) throw notFound('incident', key)
  const from = incident.openedAt
  const to = incident.resolvedAt ?? ctx.clock.now()
  const rows = await selectAlertActivity(ctx.db, ctx.workspaceId, incident.id, {
    from,
    // An incident of no length has parts all the same.
    to: new Date(Math.max(to.getTime(), from.getTime() + parts)),
    fromId: firstIdAt(from),
    toId: firstIdAt(new Date(to.getTime() + 1)),
    parts,
    most,
  })
  const counts = Array.from(
    { length: parts },
    (_, part) => rows.find((row) => row.part === part + 1)?.count ?? 0,
  )
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    counts,
    isCut: rows.some(({ part }) => part === 0),
  }
}
