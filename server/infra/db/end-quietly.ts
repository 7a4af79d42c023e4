import { setTimeout as sleep } from 'node:timers/promises'

const patienceMs = 1_000

/** Ends a connection that may be dead already: the library then waits for a farewell that never comes. */
export async function endQuietly(client: { end(): Promise<void> }): Promise<void> {
  const patience = new AbortController()
  await Promise.race([
    client.end().catch(() => {}),
    sleep(patienceMs, undefined, { signal: patience.signal }).catch(() => {}),
  ])
  patience.abort()
}
