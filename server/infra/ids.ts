import { randomFillSync } from 'node:crypto'

/**
 * UUIDv7 minted from the handed-in time, not by the database: an audit entry is hashed with its id before
 * it is inserted, and ids must sort by the clock that stamped the row. A 32-bit counter behind the
 * millisecond keeps ids of one process in the order in which they were made.
 */
let lastMillisecond = -1
let millisecondDigits = ''
let counter = 0

/**
 * Where the counters of other milliseconds stand: ids are also made for the moment at which something arrived, in between
 * those of now. The oldest go.
 */
const counters = new Map<number, number>()
const mostCounters = 64

export function newId(at: Date): string {
  const random = takeRandom()
  const millisecond = at.getTime()
  if (millisecond === lastMillisecond) counter += 1
  else {
    counter = turnTo(millisecond) ?? lot.readUInt32BE(random) >>> 1
    lastMillisecond = millisecond
    const digits = millisecond.toString(16).padStart(12, '0')
    millisecondDigits = `${digits.slice(0, 8)}-${digits.slice(8)}`
  }
  const low = ((counter & 0x3f) << 2) | (lot[random + 4]! & 0x03)
  // Version and variant are in front, so both have four digits.
  const high = (0x7000 | (counter >>> 20)).toString(16)
  const middle = (0x8000 | ((counter >>> 6) & 0x3fff)).toString(16)
  const tail = digitsOfLot.slice((random + 5) * 2, (random + 10) * 2)
  return `${millisecondDigits}-${high}-${middle}-${low < 16 ? '0' : ''}${low.toString(16)}${tail}`
}

/** The next count of that millisecond, if there are ids of it. Notes where the last one's stands. */
function turnTo(millisecond: number): number | undefined {
  counters.set(lastMillisecond, counter)
  const known = counters.get(millisecond)
  counters.delete(millisecond)
  if (counters.size > mostCounters) counters.delete(counters.keys().next().value!)
  return known === undefined ? undefined : known + 1
}

/**
 * Asking for randomness costs more than everything else about an id, so it is asked for in lots, and written out once.
 */
const lot = Buffer.alloc(4_000)
let digitsOfLot = ''
let used = lot.length

/** Where the next ten unused random bytes begin. */
function takeRandom(): number {
  if (used === lot.length) {
    randomFillSync(lot)
    digitsOfLot = lot.toString('hex')
    used = 0
  }
  used += 10
  return used - 10
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
