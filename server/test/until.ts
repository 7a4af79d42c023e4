import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for a condition instead of a time, and says what it waited for when it gives up. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  seconds = 30,
): Promise<void> {
  const deadline = Date.now() + seconds * 1000
  while (!(await condition())) {
    if (Date.now() > deadline) assert.fail(`waited ${seconds} seconds in vain: ${what}`)
    await sleep(5)
  }
}
