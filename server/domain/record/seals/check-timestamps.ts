import { openTimestamp } from '../../../infra/timestamps.ts'
import type { Findings } from './findings.ts'

/** A checkpoint with what a timestamp authority has answered about it. */
export interface StampedCheckpoint {
  size: number
  note: string
  response: Buffer
}

/**
 * Holds each timestamp against its checkpoint, and with `authorities` (PEM) against the roots that are trusted. Returns a
 * sentence about those that hold, if there are any.
 */
export async function checkTimestamps(
  stamped: readonly StampedCheckpoint[],
  authorities: string | null,
  findings: Findings,
): Promise<string[]> {
  let holding = 0
  let newest: { size: number; at: Date; by: string } | null = null
  for (const { size, note, response } of stamped) {
    const name = `The timestamp of the checkpoint of size ${size}`
    try {
      const { at, by, trusted } = await openTimestamp(response, Buffer.from(note), authorities)
      if (trusted === false) {
        findings.add(`${name} is signed by ${by}, which does not lead to a certificate in TIMESTAMP_CA.`)
        continue
      }
      holding += 1
      if (!newest || size > newest.size) newest = { size, at, by }
    } catch (error) {
      findings.add(`${name} cannot be trusted: ${(error as Error).message}`)
    }
  }
  if (!newest) return []
  const { size, at, by } = newest
  const asked = authorities === null ? ' Set TIMESTAMP_CA to check who that is.' : ''
  return [
    `${holding} ${holding === 1 ? 'checkpoint has a timestamp' : 'checkpoints have timestamps'}, the newest for ${size} entries at ${at.toISOString()} by ${by}.${asked}`,
  ]
}
