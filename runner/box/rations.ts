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
 * A box that cannot take the machine with it. The kernel limits files and, where the box counts its own processes, their
 * number; they come after everybody else for a processor. Memory is what all of them hold together, which no limit of a
 * single process says: it is looked at twice a second, and whoever holds too much is ended with that as the reason.
 */
export const rationed = (box: Box, rations: Rations, means: Means): Box => ({
  isolation: box.isolation,
  start(command, limits) {
    const boxed = box.start([...prefixOf(box, rations, means), ...command], limits)
    watchMemory(boxed, limits, rations.memoryBytes)
    return boxed
  },
  inside: (file, limits) => box.inside(file, limits),
  gatewayUrl: (gateway) => box.gatewayUrl(gateway),
})

function prefixOf({ isolation }: Box, { processes, fileBytes }: Rations, { nice, prlimit }: Means): string[] {
  // Without a namespace of users, the kernel would count whatever else runs under the runner's user.
  const countsItsOwn = isolation.backend === 'bubblewrap'
  return [
    ...(nice ? ['nice', '-n', '10'] : []),
    ...(prlimit
      ? ['prlimit', `--fsize=${fileBytes}`, ...(countsItsOwn ? [`--nproc=${processes}`] : []), '--']
      : []),
  ]
}

function watchMemory(boxed: Boxed, { overdrawn }: Limits, most: number): void {
  let pid: number | null = null
  let isOver = false
  const timer = setInterval(() => {
    if (pid === null || isOver || heldBy(pid) <= most) return
    isOver = true
    overdrawn?.(`It used more than ${spoken(most)} of memory.`)
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

/** What a process and its descendants hold that no file on the disk backs; shared programs are not counted again. */
function heldBy(pid: number): number {
  let bytes = 0
  const ahead = [pid]
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    bytes += ownBytes(next)
    ahead.push(...childrenOf(next))
  }
  return bytes
}

function ownBytes(pid: number): number {
  const status = read(`/proc/${pid}/status`)
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
  return (kilobytes('RssAnon') + kilobytes('RssShmem')) * 1024
}

/** Of every thread: whichever started a child is its parent. */
function childrenOf(pid: number): number[] {
  let threads: string[]
  try {
    threads = readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
  return threads.flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  )
}

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
