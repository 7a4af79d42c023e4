import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'

const curve = 'prime256v1'
const recordBytes = 4096
/** What the one record holds besides: the end mark and the tag. */
const overheadBytes = 1 + 16
/** Head of the body: salt, size of a record, and our key with its length. */
const headBytes = 16 + 4 + 1 + 65
/** RFC 8291 (4): a push service need not take a larger body. */
export const mostPayloadBytes = recordBytes - overheadBytes - headBytes

/** Encrypts for one browser alone, in one record (RFC 8291, aes128gcm of RFC 8188). Throws when its key is none. */
export function encryptFor(
  browser: { p256dh: string; auth: string },
  payload: Buffer,
  { salt = randomBytes(16), privateKey }: { salt?: Buffer; privateKey?: Buffer } = {},
): Buffer {
  const theirs = Buffer.from(browser.p256dh, 'base64url')
  const pair = createECDH(curve)
  if (privateKey) pair.setPrivateKey(privateKey)
  else pair.generateKeys()
  const ours = pair.getPublicKey()
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), theirs, ours])
  const secret = derived(pair.computeSecret(theirs), Buffer.from(browser.auth, 'base64url'), info, 32)
  const key = derived(secret, salt, 'Content-Encoding: aes128gcm\0', 16)
  const nonce = derived(secret, salt, 'Content-Encoding: nonce\0', 12)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  const head = Buffer.alloc(5)
  head.writeUInt32BE(recordBytes)
  head.writeUInt8(ours.length, 4)
  // 2 marks the last record.
  return Buffer.concat([
    salt,
    head,
    ours,
    cipher.update(payload),
    cipher.update(Buffer.of(2)),
    cipher.final(),
    cipher.getAuthTag(),
  ])
}

const derived = (secret: Buffer, salt: Buffer, info: string | Buffer, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, bytes))
