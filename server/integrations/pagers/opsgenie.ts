import { type PagedAlert, type Pager, type PagerUpdate, pagerNames } from '../../domain/ports/pager.ts'
import { pagerClient, refusedWith } from './client.ts'

const name = pagerNames.opsgenie
const client = pagerClient(name)
const usualApi = 'https://api.opsgenie.com'

export const opsgenie: Pager = {
  name,
  acknowledge: (alert) => update(alert, 'acknowledge'),
  resolve: (alert) => update(alert, 'close'),
}

/** Opsgenie takes the request and does it a little later; what it did comes back as a delivery. */
async function update(alert: PagedAlert, verb: 'acknowledge' | 'close'): Promise<PagerUpdate> {
  const { status, text } = await client.request({
    method: 'POST',
    url: `${alert.api ?? usualApi}/v2/alerts/${encodeURIComponent(alert.id)}/${verb}?identifierType=id`,
    headers: { authorization: `GenieKey ${alert.credentials}` },
    json: { source: 'Signalbox' },
  })
  if (status === 200 || status === 202) return { outcome: 'changed' }
  if ((status === 409 || status === 422) && /already/i.test(text)) return { outcome: 'unchanged' }
  throw refusedWith(name, status)
}
