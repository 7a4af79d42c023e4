import type { Connector } from '../../../domain/ports/connector.ts'
import { hmacSha256, sameBytes } from '../../../infra/signatures.ts'
import { digestOf, header } from './header.ts'
import { standardWebhooksProof } from './standard-webhooks.ts'

/**
 * GitLab 19 signs as Standard Webhooks say; earlier ones send the secret itself. Only the signature's own header tells
 * which: id and time come either way. What carries a signature must pass it.
 */
export const gitlabProof: Connector['proof'] = (delivery, secret, now) => {
  const event = header(delivery, 'x-gitlab-event') ?? 'unknown'
  if (delivery.headers['webhook-signature'] !== undefined) {
    const id = standardWebhooksProof(delivery, secret, now)
    return id ? { id, event } : null
  }
  const token = header(delivery, 'x-gitlab-token')
  // Of both a hash is compared, so that not even the length is told.
  if (!token || !sameBytes(hmacSha256(secret, token), hmacSha256(secret, secret))) return null
  // X-Gitlab-Event-UUID is shared by several deliveries, so it is none.
  return {
    id: header(delivery, 'idempotency-key') ?? header(delivery, 'webhook-id') ?? digestOf(delivery),
    event,
  }
}
