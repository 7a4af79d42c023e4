import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** What the kernel counts for one box, and holds it to. */
export interface Cgroup {
  /** A process joins the cgroup by writing to it. */
  joins: string[]
  /** How often it ended a process because the memory was used up. */
  ended(): number
  remove(): Promise<void>
}

/** What everything in one may take together. */
interface Share {
  memoryBytes: number
  processes: number
}

/** What the runner was given of the machine to divide, and can. */
export interface Cgroups {
  version: 1 | 2
  make(share: Share): Cgroup
}

/** Of `/proc/self`, as text. */
export interface Own {
  cgroup: string
  mountinfo: string
}

const ownHere = (): Own => ({ cgroup: read('/proc/self/cgroup'), mountinfo: read('/proc/self/mountinfo') })

/**
 * The part of the tree that the runner was delegated: it may write there, and memory and processes are counted. Null:
 * there is none, and other means have to do. Version 2 is what systemd and containers give; version 1 where only that
 * has the controllers. Memory counts files in memory too, whether or not a process has them open.
 */
export function findCgroups(own: Own = ownHere()): Cgroups | null {
  try {
    return ofVersionTwo(own) ?? ofVersionOne(own)
  } catch {
    return null
  }
}

const needed = ['memory', 'pids']
const wanted = [...needed, 'cpu', 'io']
const mine = `signalbox-${process.pid}`
let made = 0

function ofVersionTwo(own: Own): Cgroups | null {
  const folder = folderOf(own, (kind) => kind.type === 'cgroup2', '')
  if (!folder) return null
  const has = read(path.join(folder, 'cgroup.controllers')).split(/\s+/)
  if (!needed.every((name) => has.includes(name))) return null
  removeStale(folder)
  // A cgroup that is divided must hold no process itself: the runner moves into a child first.
  const leaf = path.join(folder, `${mine}-runner`)
  const isDivided = () => {
    const enabled = read(path.join(folder, 'cgroup.subtree_control')).split(/\s+/)
    return needed.every((name) => enabled.includes(name))
  }
  if (!isDivided()) {
    mkdirSync(leaf)
    put(path.join(leaf, 'cgroup.procs'), String(process.pid))
    for (const name of wanted.filter((each) => has.includes(each)))
      tryPut(path.join(folder, 'cgroup.subtree_control'), `+${name}`)
    if (!isDivided()) {
      // Someone else is in it too, whom it is not ours to move.
      put(path.join(folder, 'cgroup.procs'), String(process.pid))
      rmdirSync(leaf)
      return null
    }
  }
  return {
    version: 2,
    make({ memoryBytes, processes }) {
      const at = path.join(folder, `${mine}-${++made}`)
      mkdirSync(at)
      put(path.join(at, 'memory.max'), String(memoryBytes))
      put(path.join(at, 'pids.max'), String(processes))
      // Nothing escapes to the disk, everything ends together, and everyone else comes first.
      for (const [name, value] of [
        ['memory.swap.max', '0'],
        ['memory.oom.group', '1'],
        ['cpu.weight', '50'],
        ['io.weight', '50'],
      ] as const)
        tryPut(path.join(at, name), value)
      return {
        joins: [path.join(at, 'cgroup.procs')],
        ended: () => countIn(path.join(at, 'memory.events'), /^oom_kill (\d+)/m),
        remove: () => removed([at]),
      }
    },
  }
}

/** Each controller has a tree of its own, and a process that may write to it may divide it. */
function ofVersionOne(own: Own): Cgroups | null {
  const tree = (name: string) =>
    folderOf(own, (kind) => kind.type === 'cgroup' && kind.options.includes(name), name)
  const [memory, pids, cpu] = [tree('memory'), tree('pids'), tree('cpu')]
  if (!memory || !pids) return null
  for (const folder of [memory, pids, ...(cpu ? [cpu] : [])]) removeStale(folder)
  const make = ({ memoryBytes, processes }: Share): Cgroup => {
    const name = `${mine}-${++made}`
    const [ofMemory, ofPids] = [path.join(memory, name), path.join(pids, name)]
    const ofCpu = cpu ? path.join(cpu, name) : null
    const all = [ofMemory, ofPids, ...(ofCpu ? [ofCpu] : [])]
    for (const folder of all) mkdirSync(folder)
    put(path.join(ofMemory, 'memory.limit_in_bytes'), String(memoryBytes))
    tryPut(path.join(ofMemory, 'memory.memsw.limit_in_bytes'), String(memoryBytes))
    put(path.join(ofPids, 'pids.max'), String(processes))
    if (ofCpu) tryPut(path.join(ofCpu, 'cpu.shares'), '512')
    return {
      joins: all.map((folder) => path.join(folder, 'cgroup.procs')),
      ended: () => countIn(path.join(ofMemory, 'memory.oom_control'), /^oom_kill (\d+)/m),
      remove: () => removed(all),
    }
  }
  // What may be looked at need not be ours to divide: it is tried.
  const tried = make({ memoryBytes: 1e9, processes: 100 })
  void tried.remove()
  return { version: 1, make }
}

interface Kind {
  type: string
  options: string[]
}

/** Where the runner's own part is mounted; null: it is not, or someone else's is mounted in its place. */
function folderOf(
  { cgroup, mountinfo }: Own,
  is: (kind: Kind) => boolean,
  controller: string,
): string | null {
  const mount = mountinfo
    .split('\n')
    .map((line) => {
      const [before = '', after = ''] = line.split(' - ')
      const [type = '', , options = ''] = after.split(' ')
      return { root: before.split(' ')[3]!, at: before.split(' ')[4]!, type, options: options.split(',') }
    })
    .find(is)
  const line = cgroup.split('\n').find((each) => each.split(':')[1]?.split(',').includes(controller))
  if (!mount || !line) return null
  const within = path.relative(mount.root, line.split(':').slice(2).join(':'))
  return within.startsWith('..') ? null : path.join(mount.at, within)
}

/** Of runners that were killed. One that is still in use does not go. */
function removeStale(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, pid] = /^signalbox-(\d+)-/.exec(name) ?? []
    if (!pid || isAlive(Number(pid))) continue
    try {
      rmdirSync(path.join(folder, name))
    } catch {
      // Someone is still in it.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The last of its processes takes a moment to be gone. */
async function removed(folders: string[]): Promise<void> {
  for (const folder of folders)
    for (let left = 100; left > 0; left--) {
      try {
        rmdirSync(folder)
        break
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EBUSY') break
        await pause(20)
      }
    }
}

const countIn = (file: string, pattern: RegExp) => Number(pattern.exec(read(file))?.[1] ?? 0)

const put = (file: string, value: string) => writeFileSync(file, value)

/** What not every kernel has. */
function tryPut(file: string, value: string): void {
  try {
    put(file, value)
  } catch {
    // Then not.
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
