import { WebhookError } from './errors.ts'
import type { WebhookMessages } from './openapi.ts'

export type WebhookMessage = WebhookMessages[keyof WebhookMessages]

/** As a server has them: of the Fetch API, of Node, or any object with lower-case names. */
export type ReceivedHeaders = Headers | Record<string, string | string[] | undefined>

/** Messages older than this, or from further in the future, are refused: someone may have recorded them. */
const toleranceSeconds = 300

/**
 * What a webhook says, once it is proven to come from the holder of the secret (`whsec_…`), and to be recent. Give it the
 * body exactly as it came, before anything has parsed it. The signatures are those of Standard Webhooks; while a secret
 * is rotated, one for each of both is there.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: ReceivedHeaders,
  secret: string,
  now: Date = new Date(),
): Promise<WebhookMessage> {
  const header = (name: string) => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name]
    if (typeof value !== 'string' || value === '') throw new WebhookError(`The header ${name} is missing.`)
    return value
  }
  const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')]
  const age = now.getTime() / 1_000 - Number(timestamp)
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(age) > toleranceSeconds)
    throw new WebhookError('The message is more than five minutes old, or the clocks differ by that much.')
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', keyBytes(secret), hmac, false, ['verify'])
  for (const signature of header('webhook-signature').split(' ')) {
    const [version, value = ''] = signature.split(',')
    const given = version === 'v1' ? bytesOf(value) : null
    if (given && (await crypto.subtle.verify('HMAC', key, given, signed)))
      return JSON.parse(new TextDecoder().decode(bytes))
  }
  throw new WebhookError('The signature was not made with this secret.')
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}

function keyBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''))
  if (!bytes || bytes.length === 0) throw new WebhookError('This is not the secret of a webhook endpoint.')
  return bytes
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  } catch {
    return null
  }
}
