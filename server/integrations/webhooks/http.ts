import { asksFor } from '@signalbox/contract/remedy.ts'
import { Webhook } from 'standardwebhooks'
import type { WebhookAnswer, WebhookCall, WebhookSender } from '../../domain/ports/webhook-sender.ts'
import { CallFailed } from '../../infra/http/call-failed.ts'
import { createClient, retryAfterMs } from '../../infra/http/client.ts'
import { isPublic } from '../../infra/http/public-address.ts'
import { guard, hostOf, type Resolve } from '../../infra/http/reach.ts'

export interface HttpWebhooksOptions {
  /** Hosts and networks that may be reached although they are not on the public internet. */
  allow: readonly string[]
  resolve?: Resolve
  timeoutMs?: number
}

const keptBytes = 4_096

/** Standard Webhooks 1.0, to addresses that people of a workspace chose, from a machine that can see more than they may. */
export function httpWebhooks({ allow, resolve, timeoutMs = 15_000 }: HttpWebhooksOptions): WebhookSender {
  const client = createClient({
    allow,
    timeoutMs,
    maxBytes: keptBytes,
    whenLarger: 'cut',
    // A message may arrive twice, and says by its id that it did.
    keepsConnections: true,
    userAgent: 'Signalbox-Webhooks',
    ...(resolve ? { resolve } : {}),
  })
  const reach = guard(allow, resolve)
  return {
    async refusalOf(url) {
      const found = await reach(url).catch(() => 'no address' as const)
      if (found === 'not public')
        return `${hostOf(url)} is not on the public internet. ${asksFor('WEBHOOK_ALLOW', hostOf(url))}`
      // What has no address yet may have one when the first event is sent; it is looked at then, too.
      const isInside = found !== 'no address' && found.every(({ address }) => !isPublic(address))
      if (url.protocol === 'http:' && !isInside) return 'The URL must begin with https://.'
      return null
    },
    async send(call) {
      const signature = signatureOf(call)
      try {
        const { status, headers, text } = await client.request({
          method: 'POST',
          url: call.url,
          headers: {
            'content-type': 'application/json',
            'webhook-id': call.id,
            'webhook-timestamp': `${Math.floor(call.at.getTime() / 1000)}`,
            'webhook-signature': signature,
          },
          body: call.body,
          // Whatever comes back is an answer to be shown; that it leads elsewhere is a failure, and is not followed.
          accept: () => true,
          ...(call.signal ? { signal: call.signal } : {}),
        })
        // PostgreSQL keeps no NUL.
        const body = text.replaceAll('\0', '\u{fffd}')
        return { signature, status, body, problem: null, retryAfterMs: retryAfterMs(headers) }
      } catch (error) {
        if (!(error instanceof CallFailed)) throw error
        return { signature, status: null, body: null, problem: problemOf(error), retryAfterMs: null }
      }
    },
  }
}

/** One for each secret, so that a receiver finds its own while they are being changed. */
const signatureOf = ({ secrets, id, at, body }: WebhookCall): WebhookAnswer['signature'] =>
  secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' ')

function problemOf({ because, host, what, code }: CallFailed): string {
  if (because === 'not public')
    return `${host} is not on the public internet. ${asksFor('WEBHOOK_ALLOW', host)}`
  if (because === 'unreachable') return `${host} could not be reached${code ? ` (${code})` : ''}.`
  return `${host} ${what}.`
}
