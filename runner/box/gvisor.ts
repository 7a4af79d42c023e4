import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Isolation } from '@signalbox/contract/runner/messages.ts'
import type { Box, Boxed, Limits } from './box.ts'
import { argumentsFor, gatewayUrl, innerCommand, pathInsideBox } from './bubblewrap.ts'
import { giveTree, handOver } from './hand-over.ts'
import { argumentCount, launchCommand, stageSources } from './launch.ts'
import { marksIn } from './marks.ts'
import type { Owner } from './owner.ts'

/**
 * A kernel of its own in place of the machine's, by gVisor: what the program asks of a kernel is answered by a process that
 * has next to no rights itself. What it sees is what it sees in the other box; the same list makes both.
 */
export class Gvisor implements Box {
  readonly isolation: Isolation
  readonly owner: Owner | null

  constructor(isolation: Isolation, owner: Owner | null) {
    this.isolation = isolation
    this.owner = owner
  }

  start(command: string[], limits: Limits): Boxed {
    const { owner } = this
    // It has not been tried: no runner with gVisor says that it can.
    if (limits.image) throw new Error('There is no image in a box of gVisor.')
    if (owner) handOver(owner, limits)
    const args = argumentsFor(limits)
    const { sources, staged } = owner ? stageSources(owner, args) : { sources: [], staged: args }
    const [, ...program] = innerCommand(command, limits)
    const folder = mkdtempSync(path.join(owner ? reachedByAll() : os.tmpdir(), 'signalbox-gvisor-'))
    const id = `signalbox-${randomBytes(8).toString('hex')}`
    const bundle = layOut(folder, args, staged, program)
    if (owner) giveTree(owner, folder)
    const runsc = (...words: string[]) => [
      ...['runsc', '--root', path.join(folder, 'state'), '--rootless', '--network=none'],
      // What the program's kernel opens it asks for at a door of the runner's making, where read-only means so.
      ...['--host-uds=open', '--ignore-cgroups', '--directfs=false', ...words],
    ]
    const before = { keyctl: false, owner, cgroups: limits.cgroups ?? [], sources }
    const child = spawnIn(
      folder,
      launchCommand(runsc('run', '--bundle', bundle, id), before),
      marksIn(limits.environment),
    )
    // It takes no signal for the program; it has to be told.
    const ask = () =>
      spawnIn(folder, launchCommand(runsc('kill', id, 'TERM'), { ...before, cgroups: [], sources: [] }))
    return boxed(child, folder, ask)
  }

  inside(file: string, limits: Limits): string {
    return pathInsideBox(file, limits)
  }

  gatewayUrl(): string {
    return gatewayUrl
  }
}

/** For what the owner has to find by its path. */
const reachedByAll = () => (existsSync('/run') ? '/run' : '/tmp')

function spawnIn(folder: string, [program, ...args]: string[], marks: Record<string, string> = {}) {
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: folder, ...marks }
  return spawn(program!, args, { env, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
}

function boxed(child: ChildProcess, folder: string, ask: () => ChildProcess): Boxed {
  const exit = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('error', () => resolve({ code: 127, signal: null }))
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  const ended = exit.then((result) => {
    // Its parts end with it; what the first of them left behind is in the group.
    signalGroup(child.pid, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true })
    return result
  })
  const end = async (graceMs: number) => {
    ask().on('error', () => {})
    const timer = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), graceMs)
    await ended
    clearTimeout(timer)
  }
  const pid = Promise.resolve(child.pid ?? null)
  return {
    stdin: child.stdin!.on('error', () => {}),
    stdout: child.stdout!,
    stderr: child.stderr!,
    pid,
    ended,
    end,
  }
}

function signalGroup(pid: number | undefined, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name)
  } catch {
    // Gone already.
  }
}

interface Mount {
  destination: string
  type: string
  source: string
  options: string[]
}

/** What bubblewrap is told in arguments, as a bundle of the Open Container Initiative. Returns where it is. */
function layOut(folder: string, args: string[], staged: string[], program: string[]): string {
  const root = path.join(folder, 'rootfs')
  mkdirSync(root)
  const mounts: Mount[] = []
  const environment: string[] = []
  let cwd = '/'
  let size = ''
  for (let at = 0; at < args.length; at += 1 + argumentCount(args[at]!)) {
    const [option, first = '', second = ''] = args.slice(at, at + 3)
    if (option === '--size') size = first
    else if (option === '--setenv') environment.push(`${first}=${second}`)
    else if (option === '--chdir') cwd = first
    else if (option === '--symlink') symlinkSync(first, path.join(root, second))
    else if (option === '--proc')
      mounts.push({ destination: first, type: 'proc', source: 'proc', options: [] })
    else if (option === '--tmpfs' || option === '--dev') {
      const options = ['nosuid', 'nodev', 'mode=1777', ...(size ? [`size=${size}`] : [])]
      // It brings a `/dev` of its own.
      if (option === '--tmpfs') mounts.push({ destination: first, type: 'tmpfs', source: 'tmpfs', options })
      size = ''
    } else if (option?.endsWith('bind') || option === '--ro-bind-try') {
      if (!existsSync(first)) continue
      const isReadOnly = option !== '--bind'
      mounts.push({
        ...{ destination: second, type: 'bind', source: staged[at + 1]! },
        options: ['rbind', isReadOnly ? 'ro' : 'rw'],
      })
      makePoint(root, second, statSync(first).isDirectory())
    }
  }
  writeFileSync(
    path.join(folder, 'config.json'),
    JSON.stringify({
      ociVersion: '1.0.0',
      process: {
        ...{ terminal: false, user: { uid: 0, gid: 0 }, args: program, env: environment, cwd },
        ...{ noNewPrivileges: true, capabilities: {} },
      },
      root: { path: 'rootfs', readonly: true },
      hostname: 'box',
      mounts,
      linux: { namespaces: ['pid', 'mount', 'network', 'ipc', 'uts'].map((type) => ({ type })) },
    }),
  )
  return folder
}

/** Below what is mounted there is one already. */
function makePoint(root: string, destination: string, isFolder: boolean): void {
  const point = path.join(root, destination)
  if (existsSync(point)) return
  mkdirSync(isFolder ? point : path.dirname(point), { recursive: true })
  if (!isFolder) writeFileSync(point, '')
}
