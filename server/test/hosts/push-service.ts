import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { request as tlsRequest } from 'node:https'
import type { TestContext } from 'node:test'
import type { PushMessage } from '../../domain/ports/push.ts'
import { httpsHost } from './https-host.ts'

interface Taken {
  headers: IncomingMessage['headers']
  /** What the JWT says, once its signature has been checked. */
  claims: { aud: string; exp: number; sub?: string }
  message: PushMessage
}

const host = 'push.example.com'

/** A push service on this machine, with the browser behind it: it checks who pushes, and decrypts what it gets. */
export async function pushService(t: TestContext, status = 201) {
  const taken: Taken[] = []
  const service = { status }
  const { request, asked } = await httpsHost(t, async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    if (service.status < 300)
      taken.push({
        headers: incoming.headers,
        claims: claimsIn(incoming.headers.authorization!),
        message: JSON.parse(decrypted(Buffer.concat(chunks))),
      })
    response.writeHead(service.status).end()
  })
  const pair = createECDH('prime256v1')
  pair.generateKeys()
  const auth = randomBytes(16)
  const browser = {
    endpoint: `https://${host}/${randomBytes(8).toString('hex')}`,
    p256dh: pair.getPublicKey('base64url'),
    auth: auth.toString('base64url'),
  }

  /** RFC 8291, from the browser's side. */
  function decrypted(body: Buffer): string {
    const [salt, theirs] = [body.subarray(0, 16), body.subarray(21, 21 + body.readUInt8(20))]
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), pair.getPublicKey(), theirs])
    const secret = hkdf(pair.computeSecret(theirs), auth, info, 32)
    const sealed = body.subarray(21 + theirs.length)
    const key = hkdf(secret, salt, 'Content-Encoding: aes128gcm\0', 16)
    const decipher = createDecipheriv('aes-128-gcm', key, hkdf(secret, salt, 'Content-Encoding: nonce\0', 12))
    decipher.setAuthTag(sealed.subarray(-16))
    const opened = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
    return opened.subarray(0, opened.lastIndexOf(2)).toString('utf8')
  }

  // The name leads to this machine, and the list of what may be reached says that it may.
  const options = {
    request: certified(request),
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    allow: [host],
    contact: null,
  }
  return { browser, taken, asked, options, service }
}

/** The certificate of the host that is played is for a name of its own. */
const certified = (request: typeof tlsRequest) =>
  ((to: URL, options: object, receive: never) =>
    request(to, { ...options, servername: 'sns.eu-central-1.amazonaws.com' }, receive)) as typeof tlsRequest

const hkdf = (secret: Buffer, salt: Buffer, info: string | Buffer, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, bytes))

/** RFC 8292: the key comes along with the token that it signs. */
function claimsIn(authorization: string): Taken['claims'] {
  const [, head, claims, signature, point] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(authorization) ?? []
  const bytes = Buffer.from(point!, 'base64url')
  const [x, y] = [bytes.subarray(1, 33).toString('base64url'), bytes.subarray(33).toString('base64url')]
  const key = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } })
  const signed = Buffer.from(`${head}.${claims}`)
  const isGenuine = verify(
    'sha256',
    signed,
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature!, 'base64url'),
  )
  if (!isGenuine) throw new Error('the signature is not of that key')
  return JSON.parse(Buffer.from(claims!, 'base64url').toString())
}
