import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseAway } from './db/away.ts'
import { holdBackErrors, type Logger } from './log.ts'

const askEveryMs = 1_000
/** What was under way still fails for a moment after the database is back. */
const aftermathMs = 5_000

interface OutageOptions {
  log: Logger
  /** Fails while the database is out of reach. */
  ping: () => Promise<unknown>
  askMs?: number
}

/**
 * Says once that the database is out of reach, and once that it is back, instead of everything that fails in between: a
 * node does dozens of things a second that need it. Another system may refuse connections too, so the database is asked
 * first: while it answers, such errors are logged as all others.
 */
export function watchOutages({ log, ping, askMs = askEveryMs }: OutageOptions): { close(): void } {
  const closing = new AbortController()
  let asking: Promise<boolean> | null = null
  let isAway = false
  let quietUntil = 0

  const ask = () => {
    asking ??= ping()
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        asking = null
      })
    return asking
  }

  const waitFor = async (error: Error) => {
    const since = performance.now()
    isAway = true
    log.warn(
      { reason: error.message || (error as { code?: string }).code },
      'the database cannot be reached; trying again',
    )
    while (!closing.signal.aborted && !(await ask()))
      await sleep(askMs, undefined, { ref: false, signal: closing.signal }).catch(() => {})
    isAway = false
    if (closing.signal.aborted) return
    quietUntil = performance.now() + aftermathMs
    log.info({ seconds: Math.round((performance.now() - since) / 1_000) }, 'the database is back')
  }

  holdBackErrors(log, (error, write) => {
    if (closing.signal.aborted || !isDatabaseAway(error)) return false
    if (isAway || performance.now() < quietUntil) return true
    ask().then((isThere) => {
      if (isThere) write()
      else if (!isAway && !closing.signal.aborted) void waitFor(error)
    })
    return true
  })
  return { close: () => closing.abort() }
}
