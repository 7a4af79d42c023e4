import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { patienceMs } from './patience.ts'

/** Waits for a condition instead of a time, and says what it waited for when it gives up. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + patienceMs
  let pauseMs = 5
  while (!(await condition())) {
    if (Date.now() > deadline) assert.fail(`waited in vain: ${what}`)
    await sleep(pauseMs)
    // What takes longer is asked for less often: asking is work, too, for the one that is waited for.
    pauseMs = Math.min(pauseMs * 1.25, 25)
  }
}
