import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import path from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Isolation } from '@signalbox/contract/runner/messages.ts'
import { HeldFolder } from '../disk/held-folder.ts'
import { fileOf } from '../programs/own-program.ts'
import type { Box, Boxed, Limits } from './box.ts'
import { environmentIn, environmentOf } from './environment.ts'
import { handOver } from './hand-over.ts'
import { ours } from './host-programs.ts'
import { fileIn, type ImageRoot, imageMounts } from './image-root.ts'
import { childrenOf, killBox, signal } from './kill-box.ts'
import { launchCommand, stageSources } from './launch.ts'
import { marksIn } from './marks.ts'
import type { Owner } from './owner.ts'
import { waitForExit } from './wait-for-exit.ts'

/** Where things of ours are, inside. */
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

/**
 * Files of /etc that programs expect. None of them holds a secret: of certificates only those that everyone may see,
 * never the folder above them, in which private keys lie as well.
 */
const etc = [
  ...['alternatives', 'group', 'hosts', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'localtime'],
  ...['nsswitch.conf', 'passwd', 'ssl/certs', 'ssl/cert.pem', 'ssl/openssl.cnf', 'ca-certificates/extracted'],
  ...['pki/ca-trust/extracted', 'pki/tls/certs', 'pki/tls/cert.pem', 'pki/tls/openssl.cnf'],
  ...['crypto-policies/back-ends'],
]

/**
 * Namespaces of the kernel, by bubblewrap: the program sees the system's own programs, its worktree, its home and its
 * results. There is no network but a loopback with two ports at most, and when it ends, so does all it has started.
 */
export class Bubblewrap implements Box {
  readonly isolation: Isolation
  readonly owner: Owner | null
  readonly #means: Means

  constructor(isolation: Isolation, means: Means) {
    this.isolation = isolation
    this.owner = means.owner
    this.#means = means
  }

  start(command: string[], limits: Limits): Boxed {
    const { owner, keyctl, filter } = this.#means
    if (owner) handOver(owner, limits)
    const named = namesFor(owner, limits)
    const given = [...(filter ? [filter] : []), ...named.map(({ content }) => content)]
    const args = [
      ...argumentsFor(limits),
      ...named.flatMap(({ file }, at) => [
        ...['--ro-bind-data', String(firstGiven + given.length - named.length + at), file],
      ]),
      // Last, for nothing can be mounted below it afterwards.
      ...['--remount-ro', '/', '--info-fd', '3'],
      ...(filter ? ['--seccomp', String(firstGiven)] : []),
    ]
    const { sources, staged } = owner ? stageSources(owner, args) : { sources: [], staged: args }
    const cgroups = limits.cgroups ?? []
    const [program, ...rest] = launchCommand(['bwrap', ...staged, ...innerCommand(command, limits)], {
      ...{ keyctl, owner, cgroups, sources },
    })
    const child = spawn(program!, rest, {
      // bubblewrap itself needs nothing but a PATH; what the program gets is in the arguments.
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin', ...marksIn(limits.environment) },
      stdio: ['pipe', 'pipe', 'pipe', 'pipe', ...given.map(() => 'pipe' as const)],
    })
    for (const [at, content] of given.entries()) hand(child, firstGiven + at, content)
    const init = text(child.stdio[3] as Readable)
      .then(pidOfInit)
      .catch(() => null)
    return boxed(child, init)
  }

  inside(file: string, limits: Limits): string {
    return pathInsideBox(file, limits)
  }

  gatewayUrl(): string {
    return gatewayUrl
  }
}

export function pathInsideBox(file: string, { out, image, programs = [] }: Limits): string {
  if (image && file === process.execPath) return inside.node
  if (image && programs.some((program) => isWithin(file, program))) return beside(file)
  if (out === null) return file
  return file === out || file.startsWith(`${out}/`) ? inside.out + file.slice(out.length) : file
}

const isWithin = (file: string, folder: string) => file === folder || file.startsWith(`${folder}/`)

/** In an image its own files keep their places: what comes along stands apart. */
const beside = (file: string) => `${ours}/machine${file}`

export const gatewayUrl = `http://127.0.0.1:${gatewayPort}`

/** What else this machine has for a box, next to bubblewrap. */
export interface Means {
  /** Null: the runner's own user. */
  owner: Owner | null
  keyctl: boolean
  /** What the kernel refuses, as it takes it; null: it is not told. */
  filter: Buffer | null
}

/** The number of the first file that bubblewrap is handed, after the three of every program and what it tells. */
const firstGiven = 4

/** A file that is handed over by its content. */
interface Handed {
  file: string
  content: Buffer
}

/**
 * Programs ask for the name of their user, and some give up where there is none. An image knows nothing of whom the
 * runner works as; where it has no such file, or a link in its place, there is nothing to replace.
 */
function namesFor(owner: Owner | null, { image }: Limits): Handed[] {
  if (!owner && !image) return []
  const { uid, gid } = owner ?? { uid: process.getuid!(), gid: process.getgid!() }
  const entries = {
    '/etc/passwd': [uid, `signalbox:x:${uid}:${gid}::/tmp:/bin/sh`],
    '/etc/group': [gid, `signalbox:x:${gid}:`],
  } as const
  return Object.entries(entries).flatMap(([file, [id, entry]]) => {
    const text = image
      ? fileIn(image.folder, file.slice(1))
      : existsSync(file)
        ? readFileSync(file, 'utf8')
        : ''
    return text === null ? [] : [{ file, content: withEntry(text, id, entry) }]
  })
}

function withEntry(text: string, id: number, entry: string): Buffer {
  const lines = text.split('\n')
  const isThere = lines.some((line) => line.split(':')[2] === String(id))
  return Buffer.from([...lines.filter(Boolean), ...(isThere ? [] : [entry]), ''].join('\n'))
}

/** A process that did not start does not take it, and says so by its exit code. */
function hand(child: ChildProcess, at: number, content: Buffer): void {
  const stream = child.stdio[at] as Writable | null
  stream?.on('error', () => {}).end(content)
}

/** Throws where bubblewrap ended before it could say. */
const pidOfInit = (info: string): number | null => JSON.parse(info)['child-pid'] ?? null

function boxed(child: ChildProcess, init: Promise<number | null>): Boxed {
  const exit = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('error', () => resolve({ code: 127, signal: null }))
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  const ended = exit.then(async (result) => {
    // The kernel ends what is left in the namespace when its first process goes; that takes a moment.
    await waitForExit(await init)
    return result
  })
  const end = async (graceMs: number) => {
    // The first process of a namespace takes no signals; the program is its child.
    const [program] = childrenOf(await init)
    if (program !== undefined) signal(program, 'SIGTERM')
    const timer = setTimeout(() => killBox(child), program === undefined ? 0 : graceMs)
    await ended
    clearTimeout(timer)
  }
  return {
    stdin: child.stdin!.on('error', () => {}),
    stdout: child.stdout!,
    stderr: child.stderr!,
    pid: init,
    ended,
    end,
  }
}

/** A forwarder goes first where something leads out. */
export function innerCommand(command: string[], limits: Limits): string[] {
  const { gateway, network, proxy, image } = limits
  const program = image ? command.map((word) => pathInsideBox(word, { ...limits, out: null })) : command
  const node = image?.brought.command('node') ?? [inside.node]
  const ways = [
    ...(gateway === null ? [] : [`${gatewayPort}=${inside.gateway}`]),
    ...(network !== 'none' && proxy ? [`${proxyPort}=${inside.proxy}`] : []),
  ]
  return ways.length === 0 ? ['--', ...program] : ['--', ...node, inside.forward, ...ways, '--', ...program]
}

export function argumentsFor(limits: Limits): string[] {
  const { worktree, home, out, readable, programs = [], tools = [], denied, gateway, proxy, image } = limits
  const leadsOut = limits.network !== 'none' && proxy !== undefined
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
    ...(image ? imageMounts(image.folder, pointsOf(limits)) : systemMounts()),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...scratch(limits.scratchBytes ?? usualScratchBytes),
    ...['--ro-bind', realpathSync(process.execPath), inside.node],
    ...['--ro-bind', fileOf('box/forward.mjs'), inside.forward],
    ...(image ? broughtMounts(image, programs) : [...tools, ...programs].flatMap(shown)),
    ...readable.flatMap(shown),
    ...bound(home),
    ...(limits.isWorktreeReadOnly ? shown(worktree) : bound(worktree)),
    ...(limits.beside ?? []).flatMap(({ folder }) => bound(folder)),
    ...(limits.writable ?? []).flatMap(bound),
    ...(out === null ? [] : ['--bind', out, inside.out]),
    ...deniedMounts(worktree, denied),
    ...(limits.beside ?? []).flatMap((other) => deniedMounts(other.folder, other.denied)),
    ...(gateway === null ? [] : ['--bind', gateway, inside.gateway]),
    ...(leadsOut ? ['--bind', proxy, inside.proxy] : []),
    '--clearenv',
    ...Object.entries({
      ...environmentFor(limits),
      ...(leadsOut ? proxyVariables : {}),
    }).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--chdir', worktree],
  ]
}

/** The machine's own programs, and of `/etc` what they expect. */
const systemMounts = (): string[] => [
  ...['--ro-bind', '/usr', '/usr'],
  ...rootLinks(),
  ...etc.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
]

/** Where something of ours will stand, whatever an image has there. */
const pointsOf = ({ worktree, home, readable, writable = [], beside = [] }: Limits): string[] => [
  ...['/proc', '/sys', '/dev', '/tmp', '/run', inside.out],
  ...[worktree, home, ...readable, ...writable, ...beside.map(({ folder }) => folder)],
]

const broughtMounts = ({ brought }: ImageRoot, programs: readonly string[]): string[] => [
  ...brought.files.filter(([, at]) => at !== inside.node).flatMap(([file, at]) => ['--ro-bind', file, at]),
  ...programs.flatMap((file) => ['--ro-bind', file, beside(file)]),
]

function environmentFor(limits: Limits): Record<string, string> {
  const { home, environment, readable, programs = [], tools = [], image } = limits
  if (!image) return environmentOf(home, environment, [...readable, ...programs, ...tools])
  const folders = (environment.PATH ?? '').split(path.delimiter)
  const PATH = folders.map((folder) => pathInsideBox(folder, { ...limits, out: null })).join(path.delimiter)
  return environmentIn(image, home, { ...environment, PATH })
}

const usualScratchBytes = 2e9

/** What lies here lies in memory: each has a size, and nothing else that is made of memory can be written to. */
const scratch = (bytes: number): string[] => [
  ...['--size', String(Math.ceil(bytes / 2)), '--perms', '1777', '--tmpfs', '/tmp'],
  ...['--size', String(Math.ceil(bytes / 4)), '--perms', '1777', '--tmpfs', '/dev/shm'],
  ...['--size', String(16 * 1024 * 1024), '--tmpfs', '/run', '--remount-ro', '/dev'],
]

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
 * parent and building it again would go around the mount. A path that leads through a link is left to the diff guard.
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
