import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, statfsSync, statSync } from 'node:fs'
import type { isolationLimits } from '@signalbox/contract/isolation.ts'
import type { Box, Boxed, Limits } from './box.ts'
import { type Cgroup, type Cgroups, findCgroups } from './cgroups.ts'

/** What everything that one order runs at the same time may take of the machine. */
export interface ResourceLimits {
  memoryBytes: number
  /** Processes and threads. */
  processes: number
  /** The largest file it may write. */
  fileBytes: number
}

/** What of it can be had on this machine: programs that set limits before the work starts. */
export interface LimitTools {
  nice: boolean
  prlimit: boolean
  /** What the kernel counts together; null: nothing of it is the runner's to divide. */
  cgroups: Cgroups | null
}

const lookMs = 500
const graceMs = 1_000

export function detectLimitTools(): LimitTools {
  const works = (command: string, ...args: string[]) => {
    try {
      execFileSync(command, [...args, 'true'], { stdio: 'ignore', timeout: 10_000 })
      return true
    } catch {
      return false
    }
  }
  return {
    nice: works('nice', '-n', '10'),
    prlimit: works('prlimit', '--fsize=1000000', '--'),
    cgroups: process.platform === 'linux' ? findCgroups() : null,
  }
}

/**
 * A box that cannot take the machine with it. Where the runner was given a cgroup to divide, the kernel holds memory
 * and processes of each start at every moment, with files in memory and what no process has open. Elsewhere it limits
 * files and, where it counts the processes of the box apart, their number; memory is what all of them hold together,
 * which no limit of a single process says: it is checked twice a second, and a box that holds too much is killed with
 * that as the reason. So is one with too many processes: without a box the kernel would count those of others.
 */
export const withResourceLimits = (box: Box, resourceLimits: ResourceLimits, means: LimitTools): Box => ({
  isolation: { ...box.isolation, limits: limitsBy(means) },
  owner: box.owner,
  start(command, limits) {
    const cgroup = cgroupFor(resourceLimits, means)
    const boxed = box.start([...prefixOf(box, resourceLimits, means, limits), ...command], {
      ...limits,
      scratchBytes: resourceLimits.memoryBytes,
      cgroups: cgroup?.joins ?? [],
    })
    return watched(boxed, limits, resourceLimits, cgroup)
  },
  inside: (file, limits) => box.inside(file, limits),
  gatewayUrl: (gateway) => box.gatewayUrl(gateway),
})

const limitsBy = ({ cgroups, prlimit }: LimitTools): (typeof isolationLimits)[number] =>
  cgroups ? 'cgroup' : prlimit ? 'rlimits' : 'watched'

/** Null also where the last one could be made and this one cannot: then it is watched. */
function cgroupFor(resourceLimits: ResourceLimits, { cgroups }: LimitTools): Cgroup | null {
  try {
    return cgroups?.make(resourceLimits) ?? null
  } catch {
    return null
  }
}

/**
 * Whether the kernel keeps to the number of processes by user: it has a namespace to count in, and is not asked by
 * root.
 */
export const kernelLimitsProcesses = (
  { isolation, owner }: Pick<Box, 'isolation' | 'owner'>,
  { prlimit }: Pick<LimitTools, 'prlimit'>,
  uid = process.getuid?.(),
): boolean => prlimit && isolation.backend === 'bubblewrap' && (owner !== null || uid !== 0)

/** More than programs open, and few enough for what is in them to be looked at. */
const mostOpenFiles = 65_536

/**
 * Not the size of its memory as it asks for it: sanitizers and garbage collectors ask for terabytes of which they use
 * little, and would not start.
 */
function prefixOf(
  box: Box,
  { processes, fileBytes }: ResourceLimits,
  means: LimitTools,
  { image }: Pick<Limits, 'image'>,
): string[] {
  const countsItsOwn = kernelLimitsProcesses(box, means) ? [`--nproc=${processes}`] : []
  const rlimits = [`--fsize=${fileBytes}`, '--core=0', `--nofile=${openFiles()}`, ...countsItsOwn]
  // An image may call anything by these names.
  const called = (name: string) => (image ? (image.brought.command(name) ?? []) : [name])
  return [
    ...(means.nice ? [...called('nice'), '-n', '10'] : []),
    ...(means.prlimit ? [...called('prlimit'), ...rlimits, '--'] : []),
  ]
}

/** Never more than the runner itself may have: only root could. */
function openFiles(): string {
  const [, soft, hard] = /^Max open files\s+(\d+)\s+(\d+)/m.exec(read('/proc/self/limits')) ?? []
  const most = (own: string | undefined) => Math.min(Number(own ?? mostOpenFiles), mostOpenFiles)
  return `${most(soft)}:${most(hard)}`
}

function watched(
  boxed: Boxed,
  { overdrawn }: Limits,
  resourceLimits: ResourceLimits,
  cgroup: Cgroup | null,
): Boxed {
  let pid: number | null = null
  let isOver = false
  const tell = (reason: string) => {
    if (isOver) return
    isOver = true
    overdrawn?.(reason)
  }
  const timer = setInterval(() => {
    if (pid === null || isOver) return
    const reason = cgroup?.ended()
      ? tooMuch(resourceLimits)
      : excessOf(takenBy(pid, resourceLimits), resourceLimits)
    if (!reason) return
    tell(reason)
    boxed.end(graceMs).catch(() => {})
  }, lookMs)
  timer.unref()
  boxed.pid.then(
    (found) => {
      pid = found
    },
    () => {},
  )
  const ended = boxed.ended.finally(async () => {
    clearInterval(timer)
    // The kernel may have ended it between two looks.
    if (cgroup?.ended()) tell(tooMuch(resourceLimits))
    await cgroup?.remove()
  })
  ended.catch(() => {})
  return { ...boxed, ended }
}

function excessOf(taken: { bytes: number; processes: number }, most: ResourceLimits): string | null {
  if (taken.bytes > most.memoryBytes) return tooMuch(most)
  if (taken.processes > most.processes) return `It started more than ${most.processes} processes and threads.`
  return null
}

const tooMuch = ({ memoryBytes }: ResourceLimits) =>
  `It used more than ${formatBytes(memoryBytes)} of memory.`

/**
 * What a process and its descendants hold that no file on the disk backs, and how many they are, threads included;
 * shared programs are not counted again, and a file in memory that is mapped is the same memory. A box with far too
 * many is not counted to the end.
 */
function takenBy(pid: number, most: ResourceLimits): { bytes: number; processes: number } {
  const taken = { bytes: 0, processes: 0 }
  const seen = new Set<string>()
  let [own, mapped, files] = [0, 0, scratchBytes(pid)]
  const ahead = [pid]
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    const threads = threadsOf(next)
    const held = heldBy(next)
    own += held.own
    mapped += held.mapped
    files += fileBytes(next, seen)
    taken.bytes = own + Math.max(mapped, files)
    taken.processes += threads.length
    if (excessOf(taken, most)) break
    ahead.push(...threads.flatMap((thread) => childrenOf(next, thread)))
  }
  return taken
}

/** Files in the folders of a box that are made of memory. Without a box they belong to the whole machine. */
function scratchBytes(init: number): number {
  const isBoxed = viewOf(init) !== viewOf('self')
  return isBoxed
    ? sum(['/tmp', '/dev/shm', '/run'].map((folder) => usedIn(`/proc/${init}/root${folder}`)))
    : 0
}

function usedIn(folder: string): number {
  try {
    const { type, blocks, bfree, bsize } = statfsSync(folder)
    return type === tmpfs ? (blocks - bfree) * bsize : 0
  } catch {
    return 0
  }
}

const tmpfs = 0x0102_1994
const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0)

/** By which it is known whether a process sees the disk as the runner does. */
function viewOf(pid: number | 'self'): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`)
  } catch {
    return null
  }
}

/** Files without a name are in memory, and in no process's share of it until they are mapped. Each counts once. */
function fileBytes(pid: number, seen: Set<string>): number {
  const folder = `/proc/${pid}/fd`
  return sum(
    namesIn(folder).map((name) => {
      try {
        const file = `${folder}/${name}`
        if (!readlinkSync(file).startsWith('/memfd:')) return 0
        const { dev, ino, blocks } = statSync(file)
        if (seen.has(`${dev}:${ino}`)) return 0
        seen.add(`${dev}:${ino}`)
        return blocks * 512
      } catch {
        return 0
      }
    }),
  )
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function heldBy(pid: number): { own: number; mapped: number } {
  const status = read(`/proc/${pid}/status`)
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) * 1024
  return { own: bytes('RssAnon'), mapped: bytes('RssShmem') }
}

const threadsOf = (pid: number): string[] => namesIn(`/proc/${pid}/task`)

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

export const formatBytes = (bytes: number) =>
  bytes >= 1e9 ? `${Number((bytes / 1e9).toFixed(1))} GB` : `${Math.round(bytes / 1e6)} MB`
