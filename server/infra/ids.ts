import { randomFillSync } from 'node:crypto'

/**
 * UUIDv7 minted from the handed-in time, not by the database: an audit entry is hashed with its id before
 * it is inserted, and ids must sort by the clock that stamped the row. A 32-bit counter behind the
 * millisecond keeps ids of one process in the order in which they were made.
 */
let lastMillisecond = -1
let counter = 0

export function newId(at: Date): string {
  const random = tenRandomBytes()
  const millisecond = at.getTime()
  if (millisecond === lastMillisecond) counter += 1
  else {
    lastMillisecond = millisecond
    counter = random.readUInt32BE(0) >>> 1
  }

  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(millisecond, 0, 6)
  bytes.writeUInt16BE(0x7000 | (counter >>> 20), 6)
  bytes.writeUInt16BE(0x8000 | ((counter >>> 6) & 0x3fff), 8)
  random.copy(bytes, 10, 4)
  bytes[10] = ((counter & 0x3f) << 2) | (random[4]! & 0x03)
  return format(bytes)
}

/** Asking for randomness costs more than everything else about an id, so it is asked for in lots. */
const lot = Buffer.alloc(4_000)
let used = lot.length

function tenRandomBytes(): Buffer {
  if (used === lot.length) {
    randomFillSync(lot)
    used = 0
  }
  used += 10
  return lot.subarray(used - 10, used)
}

/** The smallest id a row of that millisecond can have: turns a moment into a bound on ids. */
export function firstIdAt(at: Date): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(at.getTime(), 0, 6)
  bytes.writeUInt16BE(0x7000, 6)
  bytes.writeUInt16BE(0x8000, 8)
  return format(bytes)
}

export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
}

function format(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
