import type { HookDelivery } from '../../../domain/ports/connector.ts'
import { anySame, base64Bytes, hmacSha256 } from '../../../infra/signatures.ts'
import { freshMs, header } from './header.ts'

const prefix = 'whsec_'

/** `webhook-signature: v1,<base64>`, perhaps several, over id, time and body. Returns the id; null: not proven. */
export function standardWebhooksProof(delivery: HookDelivery, secret: string, now: Date): string | null {
  const key = secret.startsWith(prefix) ? base64Bytes(secret.slice(prefix.length), 64) : null
  const [id, timestamp] = [header(delivery, 'webhook-id'), header(delivery, 'webhook-timestamp')]
  if (!key || key.length < 16 || !id || !timestamp || !/^\d{1,12}$/.test(timestamp)) return null
  if (Math.abs(Number(timestamp) * 1000 - now.getTime()) > freshMs) return null
  const received = (header(delivery, 'webhook-signature') ?? '')
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .flatMap((one) => base64Bytes(one.slice(3), 32) ?? [])
  return anySame(received, [hmacSha256(key, `${id}.${timestamp}.`, delivery.body)]) ? id : null
}
