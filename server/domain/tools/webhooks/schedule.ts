/** How long after an attempt that failed the next one is made; after the last there is none. */
const delaysSeconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]

/** The longest Retry-After that we follow. */
export const longestAskedMs = 86_400_000

/** So that what failed together does not come back together. Never earlier than the schedule says. */
const jitter = 0.1

/** When a message that failed is tried again; null when its schedule is over. */
export function nextAttemptAt(
  failed: { step: number; at: Date; retryAfterMs: number | null },
  random: () => number = Math.random,
): Date | null {
  const delay = delaysSeconds[failed.step]
  if (delay === undefined) return null
  const scheduledMs = Math.round(delay * 1_000 * (1 + jitter * random()))
  const askedMs = Math.min(failed.retryAfterMs ?? 0, longestAskedMs)
  return new Date(failed.at.getTime() + Math.max(scheduledMs, askedMs))
}
