import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Isolation } from '@signalbox/contract/runner/messages.ts'
import { HeldFolder } from '../disk/held-folder.ts'
import type { Box, Boxed, Limits } from './box.ts'
import { environmentOf } from './environment.ts'
import { reapedBy } from './reaped.ts'

/** Where things of ours are, inside. */
const ours = '/run/signalbox'
const inside = {
  node: `${ours}/node`,
  forward: `${ours}/forward.mjs`,
  gateway: `${ours}/model.sock`,
  proxy: `${ours}/proxy.sock`,
  out: '/out',
}
/** Which ports of the loopback inside lead out. */
const gatewayPort = 4411
const proxyPort = 4412

const forwarder = path.join(import.meta.dirname, 'forward.mjs')

/** Files of /etc that programs expect. None of them holds a secret. */
const etc = [
  'alternatives',
  'group',
  'hosts',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'nsswitch.conf',
  'passwd',
  'pki',
  'ssl',
]

/**
 * Namespaces of the kernel, by bubblewrap: the program sees the system's own programs, its worktree, its home and its
 * results. There is no network but a loopback with two ports at most, and when it ends, so does all it has started.
 */
export class Bubblewrap implements Box {
  readonly isolation: Isolation
  readonly #program: string

  constructor(isolation: Isolation, program = 'bwrap') {
    this.isolation = isolation
    this.#program = program
  }

  start(command: string[], limits: Limits): Boxed {
    const child = spawn(
      this.#program,
      [...argumentsFor(limits), '--info-fd', '3', ...innerCommand(command, limits)],
      {
        // bubblewrap itself needs nothing but a PATH; what the program gets stands in the arguments.
        env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
        stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      },
    )
    const init = text(child.stdio[3] as Readable).then(pidOfInit, () => null)
    return boxed(child, init)
  }

  inside(file: string, limits: Limits): string {
    if (limits.out === null) return file
    return file === limits.out || file.startsWith(`${limits.out}/`)
      ? inside.out + file.slice(limits.out.length)
      : file
  }

  gatewayUrl(): string {
    return `http://127.0.0.1:${gatewayPort}`
  }
}

const pidOfInit = (info: string): number | null => JSON.parse(info)['child-pid'] ?? null

function boxed(child: ChildProcess, init: Promise<number | null>): Boxed {
  const exit = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('error', () => resolve({ code: 127, signal: null }))
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  const ended = exit.then(async (result) => {
    // The kernel ends what is left in the namespace when its first process goes; that takes a moment.
    await reapedBy(await init)
    return result
  })
  const end = async (graceMs: number) => {
    const program = programIn(await init)
    if (program !== null) signal(program, 'SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), program === null ? 0 : graceMs)
    await ended
    clearTimeout(timer)
  }
  return { stdin: child.stdin!, stdout: child.stdout!, stderr: child.stderr!, pid: init, ended, end }
}

/** The first process of a namespace takes no signals; the program is its child. */
function programIn(init: number | null): number | null {
  if (init === null) return null
  try {
    const [first] = readFileSync(`/proc/${init}/task/${init}/children`, 'utf8').split(' ')
    return first ? Number(first) : null
  } catch {
    return null
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // Gone already.
  }
}

/** A forwarder goes first where something leads out. */
function innerCommand(command: string[], { gateway, network, proxy }: Limits): string[] {
  const ways = [
    ...(gateway === null ? [] : [`${gatewayPort}=${inside.gateway}`]),
    ...(network !== 'none' && proxy ? [`${proxyPort}=${inside.proxy}`] : []),
  ]
  return ways.length === 0
    ? ['--', ...command]
    : ['--', inside.node, inside.forward, ...ways, '--', ...command]
}

function argumentsFor(limits: Limits): string[] {
  const { worktree, home, out, readable, denied, environment, gateway, network, proxy } = limits
  const bound = (file: string) => ['--bind', file, file]
  const shown = (file: string) => ['--ro-bind', file, file]
  return [
    ...[
      '--unshare-user',
      '--unshare-pid',
      '--unshare-ipc',
      '--unshare-uts',
      '--unshare-cgroup-try',
      '--unshare-net',
    ],
    ...['--disable-userns', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...shown('/usr'),
    ...rootLinks(),
    ...etc.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--tmpfs', '/run'],
    ...['--ro-bind', realpathSync(process.execPath), inside.node, '--ro-bind', forwarder, inside.forward],
    ...readable.flatMap(shown),
    ...bound(home),
    ...(limits.isWorktreeReadOnly ? shown(worktree) : bound(worktree)),
    ...(limits.writable ?? []).flatMap(bound),
    ...(out === null ? [] : ['--bind', out, inside.out]),
    ...deniedMounts(worktree, denied),
    ...(gateway === null ? [] : ['--bind', gateway, inside.gateway]),
    ...(network !== 'none' && proxy ? ['--bind', proxy, inside.proxy] : []),
    '--clearenv',
    ...Object.entries({
      ...environmentOf(home, environment, readable),
      ...(network !== 'none' && proxy ? proxyVariables : {}),
    }).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--chdir', worktree],
  ]
}

const proxyAddress = `http://127.0.0.1:${proxyPort}`
const proxyVariables = Object.fromEntries(
  ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => [name, proxyAddress]),
)

/** `/bin` and the like as they are here: a link into `/usr` on most systems, a folder on some. */
function rootLinks(): string[] {
  return ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'].flatMap((name) => {
    const file = `/${name}`
    if (!existsSync(file)) return []
    return lstatSync(file).isSymbolicLink()
      ? ['--symlink', readlinkSync(file), file]
      : ['--ro-bind', file, file]
  })
}

/**
 * What may not be changed is mounted read-only, and every folder above it is a mount of its own: otherwise renaming a
 * parent and building it anew would go around the mount. A path that leads through a link is left to the diff guard.
 */
function deniedMounts(worktree: string, denied: readonly string[]): string[] {
  using held = HeldFolder.open(worktree)
  const parents = new Set<string>()
  const targets: string[] = []
  for (const file of denied) {
    const kind = held.kind(path.relative(worktree, path.resolve(worktree, file)))
    if (kind !== 'file' && kind !== 'folder') continue
    const full = path.resolve(worktree, file)
    targets.push(full)
    for (let above = path.dirname(full); above.length > worktree.length; above = path.dirname(above))
      parents.add(above)
  }
  // From the outside in: a mount would hide those made below it before.
  const mounts = [
    ...[...parents].map((file) => ({ file, how: '--bind' })),
    ...targets.map((file) => ({ file, how: '--ro-bind' })),
  ].sort((a, b) => a.file.length - b.file.length)
  // A folder that is denied as a whole stays so, whatever lies in it.
  const covered = (file: string) => targets.some((target) => file !== target && file.startsWith(`${target}/`))
  return mounts.filter(({ file }) => !covered(file)).flatMap(({ file, how }) => [how, file, file])
}
