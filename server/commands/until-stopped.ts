import type { App } from '../app/app.ts'

const signals = ['SIGINT', 'SIGTERM'] as const

/** Waits for the first signal to stop, finishes what is under way, and leaves; a second signal leaves at once. */
export async function untilStopped(app: App): Promise<void> {
  const parent = watchParent()
  await Promise.race([
    parent.gone,
    new Promise<void>((resolve) => {
      for (const signal of signals) process.once(signal, () => resolve())
    }),
  ])
  parent.stop()
  for (const signal of signals) process.once(signal, () => process.exit(1))
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
