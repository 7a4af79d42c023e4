import type { PagedAlert, Pager, PagerUpdate } from '../../domain/ports/pager.ts'
import { parsedJson } from '../../infra/http/parsed-json.ts'
import { pagerClient, refusedWith } from './client.ts'

const client = pagerClient('PagerDuty')
const usualApi = 'https://api.pagerduty.com'

export const pagerduty: Pager = {
  name: 'PagerDuty',
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
  const found = await client.request({ url, headers })
  if (found.status !== 200) return refusedWith(found.status)
  const known = statusIn(parsedJson(found.text))
  if (known === status || known === 'resolved') return { outcome: 'unchanged' }
  const json = { incident: { type: 'incident_reference', status } }
  const done = await client.request({ method: 'PUT', url, headers, json })
  if (done.status === 200) return { outcome: 'changed' }
  // Someone else was faster.
  if (done.status === 400 && /already/i.test(done.text)) return { outcome: 'unchanged' }
  return refusedWith(done.status)
}

const statusIn = (body: unknown) =>
  (body as { incident?: { status?: unknown } } | null | undefined)?.incident?.status
