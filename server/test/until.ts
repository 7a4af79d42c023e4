import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { patienceMs } from './patience.ts'

/** Waits for a condition instead of a time, and says what it waited for when it gives up. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + patienceMs
  while (!(await condition())) {
    if (Date.now() > deadline) assert.fail(`waited in vain: ${what}`)
    await sleep(5)
  }
}
