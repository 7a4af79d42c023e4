import type { Connector } from '../../../domain/ports/connector.ts'
import { hexBytes, hmacSha256, sameBytes } from '../../../infra/signatures.ts'
import { bodyOf, digestOf, header } from './header.ts'

/** WebSub, in the cloud as in a data center: `X-Hub-Signature: sha256=<hex>` over the raw body. */
export const jiraProof: Connector['proof'] = (delivery, secret) => {
  const [, hex] = /^sha256=([0-9a-f]{64})$/i.exec(header(delivery, 'x-hub-signature') ?? '') ?? []
  const signature = hex && hexBytes(hex, 32)
  if (!signature || !sameBytes(signature, hmacSha256(secret, delivery.body))) return null
  const { webhookEvent } = bodyOf(delivery)
  return {
    id: header(delivery, 'x-atlassian-webhook-identifier') ?? digestOf(delivery),
    event: typeof webhookEvent === 'string' ? webhookEvent.slice(0, 100) : 'unknown',
  }
}
