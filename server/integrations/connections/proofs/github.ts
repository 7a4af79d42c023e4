import type { Connector } from '../../../domain/ports/connector.ts'
import { hexBytes, hmacSha256, sameBytes } from '../../../infra/signatures.ts'
import { header } from './header.ts'

/** `X-Hub-Signature-256: sha256=<hex>` over the raw body. The header with SHA-1 is not looked at. */
export const githubProof: Connector['proof'] = (delivery, secret) => {
  const [, hex] = /^sha256=([0-9a-f]{64})$/i.exec(header(delivery, 'x-hub-signature-256') ?? '') ?? []
  const signature = hex && hexBytes(hex, 32)
  if (!signature || !sameBytes(signature, hmacSha256(secret, delivery.body))) return null
  const id = header(delivery, 'x-github-delivery')
  return id ? { id, event: header(delivery, 'x-github-event') ?? 'unknown' } : null
}
