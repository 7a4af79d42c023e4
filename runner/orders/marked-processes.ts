import { readdirSync, readFileSync } from 'node:fs'
import { orderMark, runnerMark } from '../box/marks.ts'

/** In the environment of what a runner starts for itself, such as git. */
export const markOfRunner = (instance: string) => ({ [runnerMark]: instance })

/** In the environment of whatever is started for an order: it finds children that have left their process group. */
export const markOf = (instance: string, { run, fence }: { run: string; fence: number }) => ({
  [orderMark]: `${instance}/${run}/${fence}`,
})

/**
 * Ends whatever still runs for an order, gently never: who is polite has been polite before. Hygiene, not a boundary:
 * a process can drop the mark. The box is the boundary.
 */
export function killMarked(mark: Record<string, string>): number {
  const wanted = `${orderMark}=${mark[orderMark]}`
  return killAll((entry) => entry === wanted)
}

/** Ends whatever an earlier start has left running, a push that is under way included. */
export function killLeft(instance: string): number {
  const [own, orders] = [`${runnerMark}=${instance}`, `${orderMark}=${instance}/`]
  return killAll((entry) => entry === own || entry.startsWith(orders))
}

function killAll(isWanted: (entry: string) => boolean): number {
  let killed = 0
  // What is killed may have just started another: looked at again until nothing is found.
  for (let round = 0; round < 10; round += 1) {
    const found = processes().filter((pid) => environmentOf(pid).some(isWanted))
    if (found.length === 0) break
    for (const pid of found) if (kill(pid)) killed += 1
  }
  return killed
}

const processes = () => {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => pid !== process.pid)
  } catch {
    return []
  }
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0')
  } catch {
    return []
  }
}

function kill(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL')
    return true
  } catch {
    return false
  }
}
