import { ToolRefused } from '../../domain/ports/connection.ts'
import { type PagedAlert, type Pager, type PagerUpdate, pagerNames } from '../../domain/ports/pager.ts'
import { parsedJson } from '../../infra/http/parsed-json.ts'
import { pagerClient, refusedWith } from './client.ts'

const name = pagerNames.pagerduty
const client = pagerClient(name)
const usualApi = 'https://api.pagerduty.com'

export const pagerduty: Pager = {
  name,
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
  if (found.status !== 200) throw refusedWith(name, found.status)
  const known = statusIn(parsedJson(found.text))
  if (known === status || known === 'resolved') return { outcome: 'unchanged' }
  const json = { incident: { type: 'incident_reference', status } }
  const done = await client.request({ method: 'PUT', url, headers, json })
  if (done.status === 200) return { outcome: 'changed' }
  // Someone else was faster.
  if (done.status === 400 && /already/i.test(done.text)) return { outcome: 'unchanged' }
  if (done.status === 400 && /requester/i.test(done.text))
    throw new ToolRefused(
      'forbidden',
      'PagerDuty doesn’t know the user that updates alerts (status 400). Correct “Acts as” on the source’s page.',
      { status: 400 },
    )
  throw refusedWith(name, done.status)
}

const statusIn = (body: unknown) =>
  (body as { incident?: { status?: unknown } } | null | undefined)?.incident?.status
