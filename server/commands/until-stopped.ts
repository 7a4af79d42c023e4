import type { App } from '../app.ts'

/** Waits for the first signal to stop, finishes what is under way, and leaves; a second signal leaves at once. */
export async function untilStopped(app: App): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  await app.stop()
}
