/**
 * Deadlines are the server's, and a browser's clock may be minutes off. Every answer says what time it is there, so
 * that what is left of a deadline, and how long ago something was, are counted by the server's clock.
 */
let aheadMs = 0

/** Less is the time an answer takes, and the half second that its date leaves out. */
const noiseMs = 3_000

/** How far the server's clock is ahead of the browser's, by the `date` of an answer; 0 where that is within the noise. */
export function aheadBy(date: string | null, sentAt: number, receivedAt: number): number | null {
  const said = date === null ? Number.NaN : Date.parse(date)
  if (Number.isNaN(said)) return null
  // An answer that took long was given at some time in between, and does not tell when.
  if (receivedAt - sentAt > 2 * noiseMs) return null
  const ahead = said + 500 - (sentAt + receivedAt) / 2
  return Math.abs(ahead) < noiseMs ? 0 : ahead
}

export function hearTime(date: string | null, sentAt: number, receivedAt: number): void {
  aheadMs = aheadBy(date, sentAt, receivedAt) ?? aheadMs
}

/** What time it is on the server. */
export const serverNow = (): number => Date.now() + aheadMs
