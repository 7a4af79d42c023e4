import { createHmac, hash, timingSafeEqual } from 'node:crypto'

/** What proving a message takes: a keyed hash, strict reading of written bytes, comparison that tells nothing. */

/** Over the parts one after the other, so that a large body need not be copied behind a small head. */
export function hmacSha256(secret: string | Buffer, ...parts: readonly (string | Buffer)[]): Buffer {
  if (sizeOf(parts) <= copiedAtMost) return hmacAtOnce(secret, parts)
  const hmac = createHmac('sha256', secret)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}

const copiedAtMost = 8_192
const blockBytes = 64

const sizeOf = (parts: readonly (string | Buffer)[]) => {
  let size = 0
  // A character is three bytes at most.
  for (const part of parts) size += typeof part === 'string' ? part.length * 3 : part.length
  return size
}

/**
 * RFC 2104 by two hashes at once: of a small text, making an object that hashes takes several times as long as hashing.
 * The key is in front of both, filled up with zeros, as it is or hashed if it is longer than a block.
 */
function hmacAtOnce(secret: string | Buffer, parts: readonly (string | Buffer)[]): Buffer {
  const given = typeof secret === 'string' ? Buffer.from(secret) : secret
  const key = given.length > blockBytes ? hash('sha256', given, 'buffer') : given
  let end = blockBytes
  for (const part of parts) end += typeof part === 'string' ? room.write(part, end) : part.copy(room, end)
  pad(key, 0x36)
  const inner = hash('sha256', room.subarray(0, end), 'buffer')
  pad(key, 0x5c)
  inner.copy(room, blockBytes)
  const outer = hash('sha256', room.subarray(0, blockBytes + inner.length), 'buffer')
  // The key does not stay there.
  room.fill(0, 0, blockBytes)
  return outer
}

/** One hash is made at a time. */
const room = Buffer.alloc(blockBytes + copiedAtMost)

function pad(key: Buffer, byte: number): void {
  room.fill(byte, 0, blockBytes)
  for (let at = 0; at < key.length; at += 1) room[at] = byte ^ key[at]!
}

/** Of another length is a plain no; of the same length, it takes as long wherever they differ. */
export function sameBytes(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Whether one of these is one of those. Every pair is compared, so that the time does not tell which one it was. */
export function anySame(received: readonly Buffer[], expected: readonly Buffer[]): boolean {
  let found = false
  for (const one of received) {
    for (const other of expected) found = sameBytes(one, other) || found
  }
  return found
}

// Buffer.from skips or stops at what it cannot read; a signature with such a thing in it is none.
const onlyHex = /^[0-9a-f]*$/i
const onlyBase64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Null unless the text is exactly so many bytes, in either case. */
export function hexBytes(text: string, bytes: number): Buffer | null {
  return text.length === bytes * 2 && onlyHex.test(text) ? Buffer.from(text, 'hex') : null
}

/** Null unless the text is padded base64 of at most so many bytes. */
export function base64Bytes(text: string, mostBytes: number): Buffer | null {
  if (text.length > Math.ceil(mostBytes / 3) * 4 || text.length % 4 !== 0 || !onlyBase64.test(text))
    return null
  return Buffer.from(text, 'base64')
}
