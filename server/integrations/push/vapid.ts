import { createECDH, createHash } from 'node:crypto'
import webpush from 'web-push'

/** Long enough for a clock that is wrong; RFC 8292 allows a day. */
const lifeSeconds = 12 * 3_600

export interface Vapid {
  /** The uncompressed point, base64url. */
  publicKey: string
  /** The value of the Authorization header for a push service (RFC 8292). */
  authorization(endpoint: URL, at: Date): string
}

/** Says who pushes, with a key that grows from a secret: the same on every node, and after every start. */
export function vapidFrom(seed: Buffer, contact: string): Vapid {
  const pair = pairFrom(seed)
  const publicKey = pair.getPublicKey('base64url')
  const privateKey = fixed(pair.getPrivateKey()).toString('base64url')
  return {
    publicKey,
    authorization({ origin }, at) {
      const until = Math.floor(at.getTime() / 1000) + lifeSeconds
      return webpush.getVapidHeaders(origin, contact, publicKey, privateKey, 'aes128gcm', until).Authorization
    },
  }
}

/** One in four billion numbers of 32 bytes is no key of the curve; then the next one is taken. */
function pairFrom(seed: Buffer): ReturnType<typeof createECDH> {
  const pair = createECDH('prime256v1')
  try {
    pair.setPrivateKey(seed)
    return pair
  } catch {
    return pairFrom(createHash('sha256').update(seed).digest())
  }
}

/** With its leading zeros, which the library wants. */
const fixed = (key: Buffer) => Buffer.concat([Buffer.alloc(32 - key.length), key])
