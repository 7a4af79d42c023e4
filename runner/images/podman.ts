import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, lchownSync, mkdirSync, readFileSync, realpathSync, statfsSync } from 'node:fs'
import path from 'node:path'
import type { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { killBox } from '../box/kill-box.ts'
import { launchCommand, stageSources } from '../box/launch.ts'
import type { Owner } from '../box/owner.ts'
import { tailOf } from '../box/tail.ts'

/** Something that podman, or what it was asked for, did not do; the message is what it said. */
export class PodmanError extends Error {}

export interface PodmanOptions {
  /** A folder of its own, for everything it keeps. */
  folder: string
  /** Whom a runner that is root works as. */
  owner: Owner | null
  environment: NodeJS.ProcessEnv
  /** By which it is found when it outlives its runner. */
  mark: Record<string, string>
}

interface Bounds {
  /** Of the disk. */
  mostBytes: number
  longestMs: number
  cancelled?: AbortSignal
}

/** Files of `/etc` that a program needs to reach a registry, and to know whom to believe. */
const etc = [
  ...['ssl/certs', 'ssl/openssl.cnf', 'pki/tls/certs', 'pki/ca-trust/extracted', 'ca-certificates/extracted'],
  ...['containers', 'crypto-policies/back-ends', 'hosts', 'nsswitch.conf', 'passwd', 'group', 'localtime'],
]

/** Variables of the operator's that say how a registry is reached. */
const passed = /^(?:https?_proxy|no_proxy|all_proxy)$/i

/** What must stay free for the rest of the machine, and how often it is looked at. */
const leastFreeBytes = 1_000_000_000
const lookMs = 500

/**
 * podman, in a box of its own. What it unpacks was written by strangers, and unpacking is where such programs have had
 * their holes: so it is never root, sees the system's programs and its own folder and nothing else of the machine, and
 * starts nothing of the image. It does reach the network: that is what it is for.
 */
export class Podman {
  readonly #options: PodmanOptions
  readonly #given: { at: string; content: Buffer }[]

  constructor(options: PodmanOptions) {
    this.#options = options
    const { folder, owner } = options
    for (const made of [
      folder,
      ...['storage', 'run', 'home', 'tmp', 'roots'].map((name) => path.join(folder, name)),
    ])
      mkdirSync(made, { recursive: true, mode: 0o700 })
    if (owner)
      for (const name of ['.', 'storage', 'run', 'home', 'tmp', 'roots'])
        lchownSync(path.join(folder, name), owner.uid, owner.gid)
    this.#given = [
      { at: '/etc/signalbox-storage.conf', content: Buffer.from(this.#storage()) },
      ...handed('/etc/signalbox-auth.json', signInFiles(options.environment)),
      ...handed('/etc/signalbox-registries.conf', registryFiles(options.environment)),
    ]
  }

  /** Its version; null: it is not there, or does not work here. */
  async version(): Promise<string | null> {
    try {
      const bounds = { mostBytes: Number.POSITIVE_INFINITY, longestMs: 60_000 }
      return (await this.run('podman info --format "{{.Version.Version}}"', [], bounds)).trim() || null
    } catch {
      return null
    }
  }

  /** A few lines for a shell, with arguments. Says what they printed. */
  async run(lines: string, args: readonly string[], bounds: Bounds): Promise<string> {
    const child = this.#start(['sh', '-ec', lines, 'sh', ...args])
    const errors = tailOf(child.stderr!)
    let why: string | null = null
    const end = (reason: string) => {
      why ??= reason
      killBox(child)
    }
    const free = freeIn(this.#options.folder)
    const looking = setInterval(() => {
      const left = freeIn(this.#options.folder)
      if (left < leastFreeBytes) end('There is no room for it on the disk.')
      else if (free - left > bounds.mostBytes)
        end(`It takes more than ${Math.round(bounds.mostBytes / 1e9)} GB of the disk.`)
    }, lookMs)
    const patience = setTimeout(
      () => end(`It took more than ${Math.round(bounds.longestMs / 60_000)} minutes.`),
      bounds.longestMs,
    )
    const cancel = () => end('It was cancelled.')
    bounds.cancelled?.addEventListener('abort', cancel)
    if (bounds.cancelled?.aborted) cancel()
    try {
      const ended = new Promise<number | null>((resolve) => {
        child.once('error', () => resolve(127))
        child.once('close', resolve)
      })
      const [printed, code] = await Promise.all([text(child.stdout!).catch(() => ''), ended])
      if (why !== null) throw new PodmanError(why)
      if (code !== 0) throw new PodmanError(lastWords(errors()) || `podman ended with ${code}.`)
      return printed
    } finally {
      clearInterval(looking)
      clearTimeout(patience)
      bounds.cancelled?.removeEventListener('abort', cancel)
    }
  }

  #start(command: string[]): ChildProcess {
    const { owner } = this.#options
    const args = this.#arguments()
    const { sources, staged } = owner ? stageSources(owner, args) : { sources: [], staged: args }
    const [program, ...rest] = launchCommand(['bwrap', ...staged, '--', ...command], {
      ...{ keyctl: false, owner, cgroups: [], sources },
    })
    const child = spawn(program!, rest, {
      env: { PATH: this.#options.environment.PATH ?? '/usr/bin:/bin', ...this.#options.mark },
      stdio: ['ignore', 'pipe', 'pipe', ...this.#given.map(() => 'pipe' as const)],
    })
    for (const [at, { content }] of this.#given.entries())
      (child.stdio[firstGiven + at] as Writable | null)?.on('error', () => {}).end(content)
    return child
  }

  #arguments(): string[] {
    const { folder, environment } = this.#options
    const proxies = Object.entries(environment).filter(([name]) => passed.test(name))
    const given = (at: string) => (this.#given.some((each) => each.at === at) ? at : null)
    const variables = {
      PATH: '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin',
      HOME: path.join(folder, 'home'),
      TMPDIR: path.join(folder, 'tmp'),
      // It is in a namespace of its own already, and does not leave a process behind to keep one.
      _CONTAINERS_USERNS_CONFIGURED: 'done',
      _CONTAINERS_ROOTLESS_UID: '0',
      CONTAINERS_STORAGE_CONF: '/etc/signalbox-storage.conf',
      REGISTRY_AUTH_FILE: given('/etc/signalbox-auth.json'),
      CONTAINERS_REGISTRIES_CONF: given('/etc/signalbox-registries.conf'),
      ...Object.fromEntries(proxies),
    }
    return [
      ...['--unshare-user', '--uid', '0', '--gid', '0', '--unshare-pid', '--unshare-ipc', '--unshare-uts'],
      ...['--die-with-parent', '--new-session', '--cap-add', 'ALL'],
      ...['--ro-bind', '/usr', '/usr'],
      ...['bin', 'sbin', 'lib', 'lib64'].flatMap((name) =>
        existsSync(`/${name}`) ? ['--ro-bind', realpathSync(`/${name}`), `/${name}`] : [],
      ),
      ...etc.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
      ...(existsSync('/etc/resolv.conf')
        ? ['--ro-bind', realpathSync('/etc/resolv.conf'), '/etc/resolv.conf']
        : []),
      ...this.#given.flatMap(({ at }, index) => ['--ro-bind-data', String(firstGiven + index), at]),
      ...['--proc', '/proc', '--dev', '/dev', '--ro-bind-try', '/sys/fs/cgroup', '/sys/fs/cgroup'],
      ...['--tmpfs', '/tmp', '--tmpfs', '/run', '--tmpfs', '/var', '--bind', folder, folder],
      '--clearenv',
      ...Object.entries(variables).flatMap(([name, value]) => (value ? ['--setenv', name, value] : [])),
      ...['--chdir', folder],
    ]
  }

  /** Owners in the image do not matter: there is one user in this namespace. */
  #storage(): string {
    const at = (name: string) => JSON.stringify(path.join(this.#options.folder, name))
    return [
      '[storage]',
      'driver = "overlay"',
      `graphroot = ${at('storage')}`,
      `runroot = ${at('run')}`,
      '[storage.options]',
      'ignore_chown_errors = "true"',
      '',
    ].join('\n')
  }
}

/** The number of the first file that bubblewrap is handed, after the three of every program. */
const firstGiven = 3

const handed = (at: string, files: readonly (string | null)[]) => {
  const file = files.find((each) => each !== null && existsSync(each))
  return file ? [{ at, content: readFileSync(file) }] : []
}

/** Where `podman login` of the operator has left what opens registries, and where Docker has. */
function signInFiles({ REGISTRY_AUTH_FILE, XDG_RUNTIME_DIR, HOME }: NodeJS.ProcessEnv): (string | null)[] {
  const runtime = XDG_RUNTIME_DIR ?? `/run/containers/${process.getuid?.() ?? 0}`
  if (REGISTRY_AUTH_FILE) return [REGISTRY_AUTH_FILE]
  return [
    path.join(runtime, XDG_RUNTIME_DIR ? 'containers/auth.json' : 'auth.json'),
    HOME ? path.join(HOME, '.config/containers/auth.json') : null,
    HOME ? path.join(HOME, '.docker/config.json') : null,
  ]
}

const registryFiles = ({ CONTAINERS_REGISTRIES_CONF, HOME }: NodeJS.ProcessEnv): (string | null)[] => [
  CONTAINERS_REGISTRIES_CONF ?? null,
  HOME ? path.join(HOME, '.config/containers/registries.conf') : null,
]

function freeIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** It says much, and last what matters. */
const lastWords = (said: string): string =>
  said
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('time='))
    .slice(-2)
    .join(' ')
    .slice(0, 1_000)
