import type { Preview } from '@signalbox/contract/app/services.ts'
import type { Severity } from '@signalbox/contract/signal.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { momentIn } from '../../moments.ts'
import { selectPreviewed } from './store.ts'
import { triageAlert } from './triage.ts'

/** What would happen to an alert of this severity, by the rules that alerts go through. */
export async function previewAlert(
  ctx: Context,
  id: string,
  severity: Severity,
  moment?: string,
): Promise<Preview> {
  const service = await selectPreviewed(ctx.db, ctx.workspaceId, id)
  if (!service) throw notFound('service', id)
  const now = ctx.clock.now()
  const at = moment === undefined ? now : new Date(momentIn('at', moment).start)
  const { openIncident } = service
  const fate = triageAlert(
    service,
    { severity, isTest: false, updateOnly: false },
    { hasOpen: openIncident !== null, at },
  )
  const base = { at: at.toISOString(), incident: fate === 'joins' ? openIncident : null }
  if (typeof fate === 'object')
    return {
      ...base,
      fate: 'nothing',
      sentence: `No. It would be recorded but not open an incident. ${fate.reason}`,
    }
  if (fate === 'joins')
    return {
      ...base,
      fate,
      sentence: `No, it would join ${openIncident}, which is already open. Severity and hours don’t matter then.`,
    }
  const observed = service.observeOnly
    ? ' The service is set to observe only, so it would only be investigated and announced.'
    : ''
  return { ...base, fate, sentence: `Yes. It would open an incident with severity ${severity}.${observed}` }
}
