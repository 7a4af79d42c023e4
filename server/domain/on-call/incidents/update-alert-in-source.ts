import type { Secrets } from '../../../infra/secrets.ts'
import type { Context } from '../../context.ts'
import { plainLine } from '../../plain-text.ts'
import type { Pagers, PagerUpdate } from '../../ports/pager.ts'
import type { DueEffect, EffectData } from '../../record/outbox/effect.ts'
import type { Performed, Performer } from '../../record/outbox/perform.ts'
import { appendToTimeline } from '../../work/timeline/append.ts'
import { findUpdatableAlert, type UpdatableAlert } from '../alerts/updatable-alerts.ts'
import { credentialsRow } from '../sources/secret-row.ts'

const nothing: Performed = { settle: async () => [] }

/**
 * Acknowledges or resolves an alert in the tool it came from. The tool then reports that back to us like anyone's
 * change: an acknowledgement changes nothing here, and a recovery adds no wish, because the alert is over by then.
 */
export const updateAlertInSource =
  (pagers: Pagers, secrets: Pick<Secrets, 'decrypt'>): Performer<'update_alert'> =>
  async (ctx, effect) => {
    const { incident, alert: id, what } = effect.data
    const alert = await findUpdatableAlert(ctx, incident, id)
    // Where the tool itself said that it is over, nothing is left to be said to it.
    if (!alert || alert.status === 'resolved') return nothing
    const { id: sourceId, kind, credentials, settings } = alert.source
    const update = await pagers[kind][what]({
      id: alert.senderId,
      api: (settings.api as string | undefined) ?? null,
      from: (settings.from as string | undefined) ?? null,
      credentials: secrets.decrypt(credentials, credentialsRow(sourceId)),
    })
    // On the first attempt someone else did it. On later ones it may have been us, before we could record it.
    if (update.outcome === 'unchanged' && effect.attempts === 1) return nothing
    return written(ctx, effect, alert, { what, update, tool: pagers[kind].name })
  }

interface Attempted {
  what: EffectData['update_alert']['what']
  update: PagerUpdate
  tool: string
}

function written(
  ctx: Context,
  effect: DueEffect<'update_alert'>,
  alert: UpdatableAlert,
  { what, update, tool }: Attempted,
): Performed {
  const isRefused = update.outcome === 'refused'
  const title = plainLine(alert.title)
  const did = what === 'acknowledge' ? 'acknowledged' : 'resolved'
  const text = isRefused
    ? `The alert couldn’t be ${did} in ${tool} (${update.reason}): ${title}`
    : `The alert was ${did} in ${tool}: ${title}`
  return {
    async settle(tx) {
      const { incident } = effect.data
      await appendToTimeline(ctx, tx, incident, {
        type: isRefused ? 'alert_update_refused' : 'alert_updated',
        text,
        data: { alert: alert.id, what, tool },
      })
      return [
        {
          event: 'alert_updated_in_source',
          ...(isRefused ? { result: 'failure' as const } : {}),
          team: alert.incident.team,
          entity: { type: 'alert', id: alert.id, name: alert.title },
          details: {
            what,
            tool,
            source: alert.source.name,
            senderId: alert.senderId,
            incident: alert.incident.key,
            ...(isRefused ? { reason: update.reason } : {}),
          },
        },
      ]
    },
  }
}
