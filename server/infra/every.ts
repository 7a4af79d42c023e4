import type { Logger } from './log.ts'

/** Runs `work` again and again, never twice at once; a failure is logged and the next turn tries again. */
export function every(
  milliseconds: number,
  name: string,
  log: Logger,
  work: () => Promise<unknown>,
): { stop(): Promise<void> } {
  let running: Promise<unknown> = Promise.resolve()
  let busy = false
  const timer = setInterval(() => {
    if (busy) return
    busy = true
    running = work()
      .catch((error) => log.error({ err: error, work: name }, 'background work failed'))
      .finally(() => {
        busy = false
      })
  }, milliseconds)
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
