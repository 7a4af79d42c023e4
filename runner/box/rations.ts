import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import type { Box, Boxed, Limits } from './box.ts'

/** What everything that one order runs at the same time may take of the machine. */
export interface Rations {
  memoryBytes: number
  /** Processes and threads. */
  processes: number
  /** The largest file it may write. */
  fileBytes: number
}

/** What of it can be had on this machine: programs that set limits before the work starts. */
export interface Means {
  nice: boolean
  prlimit: boolean
}

const lookMs = 500
const graceMs = 1_000

export function meansHere(): Means {
  const works = (command: string, ...args: string[]) => {
    try {
      execFileSync(command, [...args, 'true'], { stdio: 'ignore', timeout: 10_000 })
      return true
    } catch {
      return false
    }
  }
  return { nice: works('nice', '-n', '10'), prlimit: works('prlimit', '--fsize=1000000', '--') }
}

/**
 * A box that cannot take the machine with it. The kernel limits files and, where it counts the processes of the box apart,
 * their number; they come after everybody else for a processor. Memory is what all of them hold together, which no limit
 * of a single process says: it is looked at twice a second, and whoever holds too much is ended with that as the reason.
 * So is whoever has too many processes: the kernel never refuses root one, and without a box it would count those of others.
 */
export const rationed = (box: Box, rations: Rations, means: Means): Box => ({
  isolation: box.isolation,
  start(command, limits) {
    const boxed = box.start([...prefixOf(box, rations, means), ...command], limits)
    watch(boxed, limits, rations)
    return boxed
  },
  inside: (file, limits) => box.inside(file, limits),
  gatewayUrl: (gateway) => box.gatewayUrl(gateway),
})

/** Whether the kernel keeps to the number of processes: it has a namespace of users to count in, and is not asked by root. */
export const kernelCounts = (
  isolation: Box['isolation'],
  { prlimit }: Means,
  uid = process.getuid?.(),
): boolean => prlimit && isolation.backend === 'bubblewrap' && uid !== 0

function prefixOf({ isolation }: Box, { processes, fileBytes }: Rations, means: Means): string[] {
  const countsItsOwn = kernelCounts(isolation, means)
  return [
    ...(means.nice ? ['nice', '-n', '10'] : []),
    ...(means.prlimit
      ? ['prlimit', `--fsize=${fileBytes}`, ...(countsItsOwn ? [`--nproc=${processes}`] : []), '--']
      : []),
  ]
}

function watch(boxed: Boxed, { overdrawn }: Limits, rations: Rations): void {
  let pid: number | null = null
  let isOver = false
  const timer = setInterval(() => {
    if (pid === null || isOver) return
    const reason = excessOf(takenBy(pid, rations), rations)
    if (!reason) return
    isOver = true
    overdrawn?.(reason)
    boxed.end(graceMs).catch(() => {})
  }, lookMs)
  timer.unref()
  boxed.pid.then(
    (found) => {
      pid = found
    },
    () => {},
  )
  boxed.ended.finally(() => clearInterval(timer)).catch(() => {})
}

function excessOf(taken: { bytes: number; processes: number }, most: Rations): string | null {
  if (taken.bytes > most.memoryBytes) return `It used more than ${spoken(most.memoryBytes)} of memory.`
  if (taken.processes > most.processes) return `It started more than ${most.processes} processes and threads.`
  return null
}

/**
 * What a process and its descendants hold that no file on the disk backs, and how many they are, threads included; shared
 * programs are not counted again. Whoever has far too many is not counted to the end.
 */
function takenBy(pid: number, most: Rations): { bytes: number; processes: number } {
  const taken = { bytes: 0, processes: 0 }
  const ahead = [pid]
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    const threads = threadsOf(next)
    taken.bytes += ownBytes(next)
    taken.processes += threads.length
    if (excessOf(taken, most)) break
    ahead.push(...threads.flatMap((thread) => childrenOf(next, thread)))
  }
  return taken
}

function ownBytes(pid: number): number {
  const status = read(`/proc/${pid}/status`)
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
  return (kilobytes('RssAnon') + kilobytes('RssShmem')) * 1024
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** Whichever thread started a child is its parent. */
const childrenOf = (pid: number, thread: string): number[] =>
  read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number)

/** Empty where it has ended, or where there is no such thing. */
function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

export const spoken = (bytes: number) =>
  bytes >= 1e9 ? `${Number((bytes / 1e9).toFixed(1))} GB` : `${Math.round(bytes / 1e6)} MB`
