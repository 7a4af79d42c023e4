import type { Tx } from '../../../infra/db/db.ts'
import type { Secrets } from '../../../infra/secrets.ts'
import type { Context } from '../../context.ts'
import { plainLine } from '../../plain-text.ts'
import { ToolRefused } from '../../ports/connection.ts'
import { type Pagers, type PagerUpdate, pagerNames } from '../../ports/pager.ts'
import type { Entry } from '../../record/audit/change.ts'
import { noteBefore } from '../../record/outbox/add.ts'
import type { DueEffect, EffectData } from '../../record/outbox/effect.ts'
import type { Performer } from '../../record/outbox/perform.ts'
import { clearRefusalsOfScope } from '../../tools/connections/clear-refusal.ts'
import { noLongerWanted, parkWhenRefused } from '../../tools/connections/park-when-refused.ts'
import { appendToTimeline } from '../../work/timeline/append.ts'
import { findUpdatableAlert, type UpdatableAlert } from '../alerts/updatable-alerts.ts'
import { credentialsRow } from '../sources/secret-row.ts'

type Update = DueEffect<'update_alert'>

/**
 * Acknowledges or resolves an alert in the tool it came from. The tool then reports that back to us like anyone's
 * change: an acknowledgement changes nothing here, and a recovery adds no wish, because the alert is over by then. What
 * the tool refuses waits until it takes the key of the source again.
 */
export const updateAlertInSource =
  (pagers: Pagers, secrets: Pick<Secrets, 'decrypt'>): Performer<'update_alert'> =>
  async (ctx, effect) => {
    const { incident, alert: id, what } = effect.data
    const alert = await findUpdatableAlert(ctx, incident, id)
    if (!alert || isOver(alert, what)) return noLongerWanted(ctx, effect)
    const source = { sourceId: alert.source.id }
    const update = async () => {
      const { outcome } = await asked(ctx, effect, () => call(pagers, secrets, alert, what))
      if (outcome === 'changed' || mayBeOurs(effect))
        return { settle: (tx: Tx) => written(ctx, tx, effect, alert, null) }
      // Someone else did it. We were let in to see that, but nothing was taken from us.
      await clearRefusalsOfScope(ctx, source, { scope: '', reason: 'unauthorized' })
      return { isMoot: true as const, settle: async () => [] }
    }
    return parkWhenRefused(ctx, effect, { ...source, place: '' }, update, (tx, reason) =>
      written(ctx, tx, effect, alert, reason),
    )
  }

/**
 * Where the tool itself said that it is over, nothing is left to be said to it. Once its incident is resolved, an alert is
 * not acknowledged any more: what waited so long must not follow its end.
 */
const isOver = ({ status, incident }: UpdatableAlert, what: EffectData['update_alert']['what']): boolean =>
  status === 'resolved' || (what === 'acknowledge' && incident.status === 'resolved')

/** An attempt before this got no answer, or could not be recorded: what is done may have been done by it. */
const mayBeOurs = ({ data: { begun }, attempts, parkedBy }: Update): boolean =>
  begun ?? (attempts > 1 && parkedBy === null)

/** Notes that it was asked for, unless the tool says that it was not done. */
async function asked(ctx: Context, effect: Update, work: () => Promise<PagerUpdate>): Promise<PagerUpdate> {
  if (!effect.data.begun) await noteBefore(ctx, effect, { begun: true })
  try {
    return await work()
  } catch (error) {
    if (error instanceof ToolRefused && !mayBeOurs(effect)) await noteBefore(ctx, effect, { begun: false })
    throw error
  }
}

const call = (
  pagers: Pagers,
  secrets: Pick<Secrets, 'decrypt'>,
  { senderId, source: { id, kind, credentials, settings } }: UpdatableAlert,
  what: EffectData['update_alert']['what'],
): Promise<PagerUpdate> =>
  pagers[kind][what]({
    id: senderId,
    api: (settings.api as string | undefined) ?? null,
    from: (settings.from as string | undefined) ?? null,
    credentials: secrets.decrypt(credentials, credentialsRow(id)),
  })

/** Writes into the incident and the log that it was done, or, with the reason, that it waits. */
async function written(
  ctx: Context,
  tx: Tx,
  { data: { incident, what } }: Update,
  alert: UpdatableAlert,
  reason: string | null,
): Promise<Entry[]> {
  const tool = pagerNames[alert.source.kind]
  const title = plainLine(alert.title)
  const did = what === 'acknowledge' ? 'acknowledged' : 'resolved'
  await appendToTimeline(ctx, tx, incident, {
    type: reason === null ? 'alert_updated' : 'alert_update_refused',
    text:
      reason === null
        ? `The alert was ${did} in ${tool}: ${title}`
        : `The alert “${title}” couldn’t be ${did} in ${tool} yet. ${reason}`,
    data: { alert: alert.id, what, tool },
  })
  return [
    {
      event: 'alert_updated_in_source',
      ...(reason === null ? {} : { result: 'failure' as const }),
      team: alert.incident.team,
      entity: { type: 'alert', id: alert.id, name: alert.title },
      details: {
        what,
        tool,
        source: alert.source.name,
        senderId: alert.senderId,
        incident: alert.incident.key,
        ...(reason === null ? {} : { reason }),
      },
    },
  ]
}
