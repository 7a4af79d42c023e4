import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Time as the runner measures it: in seconds, by a monotonic clock. The server's clock only informs. `pace`
 * shortens or stretches every interval alike, the server's too, so that a test need not wait for a real minute.
 */
export interface Time {
  /** Seconds since some moment. */
  now(): number
  /** Resolves early, without an error, when the caller has gone. */
  wait(seconds: number, signal?: AbortSignal): Promise<void>
  milliseconds(seconds: number): number
  /** What the clock on the wall says, for people and the server to read. */
  date(): Date
}

export const timeAt = (pace = 1): Time => ({
  now: () => performance.now() / 1000 / pace,
  wait: (seconds, signal) =>
    sleep(seconds * 1000 * pace, undefined, signal ? { signal } : {}).catch(() => undefined),
  milliseconds: (seconds) => Math.round(seconds * 1000 * pace),
  date: () => new Date(),
})
