import type { App } from '../app/app.ts'

const signals = ['SIGINT', 'SIGTERM'] as const

const asked = Promise.withResolvers<void>()
let isAsked = false
let running: Pick<App, 'abandon'> | null = null

/** From here on a signal to stop is heard; one that comes while the server starts stops it when it has, a second at once. */
export function hearSignals(): void {
  for (const signal of signals)
    process.on(signal, () => {
      if (isAsked) {
        running?.abandon()
        process.exit(1)
      }
      isAsked = true
      asked.resolve()
    })
}

/** Waits for the first signal to stop, finishes what is under way, and leaves; a second signal leaves at once. */
export async function untilStopped(app: Pick<App, 'stop' | 'abandon'>): Promise<void> {
  running = app
  const parent = watchParent()
  await Promise.race([parent.gone, asked.promise])
  isAsked = true
  parent.stop()
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
