import type { PagedAlert, Pager, PagerUpdate } from '../../domain/ports/pager.ts'
import { call, refusedWith } from './call.ts'

const tool = 'PagerDuty'
const usualApi = 'https://api.pagerduty.com'

export const pagerduty: Pager = {
  name: tool,
  acknowledge: (alert) => update(alert, 'acknowledged'),
  resolve: (alert) => update(alert, 'resolved'),
}

/** Looks first: to acknowledge an incident that is resolved would open it again. */
async function update(alert: PagedAlert, status: 'acknowledged' | 'resolved'): Promise<PagerUpdate> {
  const url = `${alert.api ?? usualApi}/incidents/${encodeURIComponent(alert.id)}`
  const headers = {
    accept: 'application/vnd.pagerduty+json;version=2',
    authorization: `Token token=${alert.credentials}`,
    ...(alert.from === null ? {} : { from: alert.from }),
  }
  const found = await call(tool, { method: 'GET', url, headers })
  if (found.status !== 200) return refusedWith(found.status)
  const known = statusIn(found.body)
  if (known === status || known === 'resolved') return { outcome: 'unchanged' }
  const body = { incident: { type: 'incident_reference', status } }
  const done = await call(tool, { method: 'PUT', url, headers, body })
  if (done.status === 200) return { outcome: 'changed' }
  // Somebody was quicker.
  if (done.status === 400 && /already/i.test(done.text)) return { outcome: 'unchanged' }
  return refusedWith(done.status)
}

const statusIn = (body: unknown) => (body as { incident?: { status?: unknown } } | null)?.incident?.status
