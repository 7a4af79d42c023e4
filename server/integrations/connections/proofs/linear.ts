import type { Connector } from '../../../domain/ports/connector.ts'
import { hexBytes, hmacSha256, sameBytes } from '../../../infra/signatures.ts'
import { bodyOf, freshMs, header } from './header.ts'

/** `Linear-Signature: <hex>` over the raw body. When it was sent is in the body, so it is signed. */
export const linearProof: Connector['proof'] = (delivery, secret, now) => {
  const signature = hexBytes(header(delivery, 'linear-signature') ?? '', 32)
  if (!signature || !sameBytes(signature, hmacSha256(secret, delivery.body))) return null
  const { webhookTimestamp } = bodyOf(delivery)
  if (typeof webhookTimestamp !== 'number' || Math.abs(webhookTimestamp - now.getTime()) > freshMs)
    return null
  const id = header(delivery, 'linear-delivery')
  return id ? { id, event: header(delivery, 'linear-event') ?? 'unknown' } : null
}
