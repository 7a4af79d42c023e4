import { createECDH, createHash, createPrivateKey, sign } from 'node:crypto'

/** Long enough for a clock that is wrong; RFC 8292 allows a day. */
const lifeSeconds = 12 * 3_600

export interface Vapid {
  /** The uncompressed point, base64url. */
  publicKey: string
  /** The value of the Authorization header for a push service (RFC 8292). */
  authorization(endpoint: URL, at: Date): string
}

/** Says who pushes, with a key that grows from a secret: the same on every node, and after every start. */
export function vapidFrom(seed: Buffer, contact: string | null): Vapid {
  const pair = pairFrom(seed)
  const point = pair.getPublicKey()
  const publicKey = point.toString('base64url')
  const key = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      d: fixed(pair.getPrivateKey()).toString('base64url'),
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  })
  return {
    publicKey,
    authorization({ origin }, at) {
      const exp = Math.floor(at.getTime() / 1000) + lifeSeconds
      const claims = { aud: origin, exp, ...(contact ? { sub: contact } : {}) }
      const signed = `${encoded({ typ: 'JWT', alg: 'ES256' })}.${encoded(claims)}`
      const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
      return `vapid t=${signed}.${signature.toString('base64url')}, k=${publicKey}`
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

/** Without its leading zeros it would be no key for a JWK. */
const fixed = (key: Buffer) => Buffer.concat([Buffer.alloc(32 - key.length), key])

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
