import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Ends bubblewrap and the first process of its box. That one ends with bubblewrap as soon as it has asked the kernel
 * for it; until then it waits to be told that it may begin, and would wait forever.
 */
export function killBox(child: ChildProcess): void {
  // Held, so that it starts nothing between the look and the end.
  child.kill('SIGSTOP')
  const first = childrenOf(child.pid)
  child.kill('SIGKILL')
  for (const pid of first) signal(pid, 'SIGKILL')
}

export function childrenOf(pid: number | null | undefined): number[] {
  if (pid === null || pid === undefined) return []
  try {
    const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return listed.split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // Gone already.
  }
}
