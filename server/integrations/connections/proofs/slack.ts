import { createHmac } from 'node:crypto'
import type { Connector } from '../../../domain/ports/connector.ts'
import { hexBytes, sameBytes } from '../../../infra/signatures.ts'
import { digestOf, header } from './header.ts'

/** Slack asks for it: what is older may be a recording. */
const mostSkewMs = 5 * 60_000

/** `X-Slack-Signature: v0=<hex>` over `v0:<time>:<body>`, with the app's signing secret. */
export const slackProof: Connector['proof'] = (delivery, secret, now) => {
  const at = header(delivery, 'x-slack-request-timestamp')
  const [, hex] = /^v0=([0-9a-f]{64})$/i.exec(header(delivery, 'x-slack-signature') ?? '') ?? []
  const signature = hex && hexBytes(hex, 32)
  if (!signature || !at || !/^\d{1,12}$/.test(at)) return null
  if (Math.abs(now.getTime() - Number(at) * 1000) > mostSkewMs) return null
  const expected = createHmac('sha256', secret).update(`v0:${at}:`).update(delivery.body).digest()
  return sameBytes(signature, expected) ? { id: digestOf(delivery), event: 'slack' } : null
}
