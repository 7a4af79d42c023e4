import { createHash } from 'node:crypto'

/** A wish as it can be written into an issue: short, and the same each time. */
export const shortToken = (key: string): string =>
  `sb-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`

/** RFC 9562, version 5, in a namespace of our own: for tools that take the id of what they create. */
export function uuidOf(key: string): string {
  const hash = createHash('sha1').update(namespace).update(key).digest().subarray(0, 16)
  hash[6] = (hash[6]! & 0x0f) | 0x50
  hash[8] = (hash[8]! & 0x3f) | 0x80
  return hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

const namespace = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex')
