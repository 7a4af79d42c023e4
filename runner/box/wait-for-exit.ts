import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** Resolves when a process has ended, whether or not someone has taken note of it. */
export async function waitForExit(pid: number | null): Promise<void> {
  while (pid !== null && isAlive(pid)) await pause(5)
}

function isAlive(pid: number): boolean {
  try {
    // The name in parentheses may hold anything; the state follows the last of them.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}
