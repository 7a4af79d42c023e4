import { createHash } from 'node:crypto'
import { asksFor } from '@signalbox/contract/remedy.ts'
import webpush from 'web-push'
import type { Push, PushMessage } from '../../domain/ports/push.ts'
import { CallFailed } from '../../infra/http/call-failed.ts'
import { type ClientOptions, createClient } from '../../infra/http/client.ts'
import { guard, hostOf } from '../../infra/http/reach.ts'
import { vapidFrom } from './vapid.ts'

export interface WebPushOptions extends Pick<ClientOptions, 'resolve' | 'request'> {
  /** Hosts and networks that may be reached although they are not on the public internet. */
  allow: readonly string[]
  /** An address under which a push service can complain: mailto: or https:. */
  contact: string | null
}

/** A server that was told no address has none to name, and push services want one. */
const unknownContact = 'mailto:signalbox@localhost'

/** RFC 8291 (4): one record of 4,096 bytes, without its head, end mark and tag. */
const mostPayloadBytes = 4_096 - 86 - 17

/** What was not fetched within a day is old. */
const keptSeconds = 86_400

/** Pushes to addresses that browsers have named, from a machine that can see more than they may. */
export function webPush(seed: Buffer, { contact, ...options }: WebPushOptions): Push {
  const vapid = vapidFrom(seed, contact ?? unknownContact)
  const client = createClient({
    ...options,
    httpsOnly: true,
    timeoutMs: 10_000,
    maxBytes: 4_096,
    whenLarger: 'cut',
    maxConnections: 20,
  })
  const reach = guard(options.allow, options.resolve)
  return {
    publicKey: vapid.publicKey,
    async refusalOf(endpoint) {
      const found = await reach(endpoint).catch(() => 'no address' as const)
      const host = hostOf(endpoint)
      return found === 'not public'
        ? `The push service ${host} is not on the public internet. ${asksFor('PUSH_ALLOW', host)}`
        : null
    },
    async send({ to, key, urgent, at, message }) {
      const body = encrypted(to, message)
      if (!body) return 'gone'
      const url = new URL(to.endpoint)
      try {
        await client.request({
          method: 'POST',
          url,
          headers: {
            authorization: vapid.authorization(url, at),
            'content-encoding': 'aes128gcm',
            'content-type': 'application/octet-stream',
            ttl: `${keptSeconds}`,
            urgency: urgent ? 'high' : 'normal',
            topic: createHash('sha256').update(key).digest('base64url').slice(0, 32),
          },
          body,
          accept: (status) => status >= 200 && status < 300,
        })
        return 'sent'
      } catch (error) {
        if (!(error instanceof CallFailed) || error.mayPass) throw error
        // An address that may not be called will not be one tomorrow.
        const isGone = error.because === 'status' ? [404, 410].includes(error.status!) : true
        return isGone ? 'gone' : 'refused'
      }
    },
  }
}

/** Null when the browser's key is none. */
function encrypted(to: { p256dh: string; auth: string }, message: PushMessage): Buffer | null {
  const whole = Buffer.from(JSON.stringify(message))
  const payload =
    whole.length <= mostPayloadBytes ? whole : Buffer.from(JSON.stringify({ ...message, body: '' }))
  try {
    return webpush.encrypt(to.p256dh, to.auth, payload, 'aes128gcm').cipherText
  } catch {
    return null
  }
}
