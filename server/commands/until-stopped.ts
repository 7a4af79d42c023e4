import { once } from 'node:events'
import type { App } from '../app/app.ts'

const signals = ['SIGINT', 'SIGTERM'] as const

const asked = new AbortController()
let isHurried = false
let running: Pick<App, 'abandon'> | null = null
/** Stopping finishes what is under way. What takes longer than this is found by the next start. */
const longestStopMs = 10_000

/**
 * From here on a signal to stop is heard; one that comes while the server starts stops it when it has, or when it waits
 * for its database, a second at once.
 */
export function trapSignals(): AbortSignal {
  for (const signal of signals)
    process.on(signal, () => {
      if (asked.signal.aborted) leave()
      // Ctrl-C: there is no load balancer that would have to notice.
      isHurried = signal === 'SIGINT'
      asked.abort(new Stopped())
    })
  return asked.signal
}

/** Someone wanted it to stop before it had started: nothing that has to be explained. */
export class Stopped extends Error {}

function leave(): never {
  running?.abandon()
  process.exit(1)
}

let isStopping = false

/**
 * Called when stopping begins: a process that then stays for long, for whatever reason, is ended. A primary gives its
 * workers their grace as well.
 */
export function exitAfterGrace(graceMs = 0): void {
  if (isStopping) return
  isStopping = true
  setTimeout(() => {
    process.stderr.write(
      'Stopping took too long and was cut short. The next start continues what was in progress.\n',
    )
    leave()
  }, longestStopMs + graceMs).unref()
}

/** Waits for the first signal to stop, finishes what is under way, and leaves; a second signal leaves at once. */
export async function untilStopped(
  app: Pick<App, 'stop' | 'abandon'> & Partial<Pick<App, 'drain'>>,
  graceMs = 0,
): Promise<void> {
  running = app
  const parent = watchParent()
  const isAsked = asked.signal.aborted ? null : once(asked.signal, 'abort')
  await Promise.race([parent.gone, isAsked])
  // From here on a signal is the second.
  asked.abort(new Stopped())
  parent.stop()
  if (!isHurried) await app.drain?.()
  exitAfterGrace(graceMs)
  await app.stop()
}

/**
 * npm puts a shell between itself and us. A signal to npm ends that shell, which does not pass it on; that it is gone
 * is then all we learn. Without npm the parent may come and go as it likes.
 */
function watchParent(): { gone: Promise<void>; stop(): void } {
  const parent = process.ppid
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setInterval(() => {
    if (process.env.npm_lifecycle_event && process.ppid !== parent) resolve()
  }, 250)
  return { gone: promise, stop: () => clearInterval(timer) }
}
