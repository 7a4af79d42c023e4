import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** How a process of git is let out: to one kind of address, with one header. */
export interface Reach {
  protocol: 'https' | 'http' | 'file'
  header: string | null
  /** A file with the authorities whose certificates are believed; otherwise those of the machine. */
  authorities?: string | null
}

export interface GitOptions {
  /** A folder of the runner's own. What an agent can write is never one. */
  gitDir: string
  /** Null: git reaches nothing but this disk. */
  reach?: Reach | null
  /** More of the environment: where objects go, who commits. */
  environment?: Record<string, string>
  input?: string | Buffer | Readable
  timeoutMs?: number
  maxBytes?: number
  /** What is over `maxBytes` is cut instead of refused. */
  cuts?: boolean
  /** Others go first. */
  isPatient?: boolean
}

/** Git did not do it. The message is what it said, and has no secret in it. */
export class GitError extends Error {
  readonly code: number | null

  constructor(command: string, code: number | null, said: string) {
    super(`git ${command}: ${said.trim() || `ended with ${code}`}`)
    this.code = code
  }
}

const minute = 60_000
const mostSaid = 10_000

/**
 * Nothing of a machine's or a repository's configuration is heard, no hook, filter or helper runs, and what is looked
 * at cannot be made to look different. An empty environment is the only safe list against `GIT_…`.
 */
const settings = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.untrackedCache': 'false',
  'core.attributesFile': '/dev/null',
  'core.excludesFile': '/dev/null',
  'core.fileMode': 'true',
  'core.symlinks': 'true',
  'core.ignoreCase': 'false',
  'core.autocrlf': 'false',
  'core.protectHFS': 'true',
  'core.protectNTFS': 'true',
  'core.trustctime': 'true',
  'submodule.recurse': 'false',
  'core.splitIndex': 'false',
  'protocol.allow': 'never',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'safe.directory': '*',
}

const settingsOutside = {
  'credential.helper': '',
  'http.followRedirects': 'false',
  'transfer.fsckObjects': 'true',
  'push.recurseSubmodules': 'no',
}

const environment = {
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_NO_LAZY_FETCH: '1',
}

/** The same for a process in a box, which calls git by its name alone. */
export function boxedEnvironment(folders: Record<string, string>): Record<string, string> {
  const all = Object.entries({ ...settings, 'diff.ignoreSubmodules': 'all' })
  const keys = all.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ])
  return { ...environment, GIT_CONFIG_COUNT: String(all.length), ...Object.fromEntries(keys), ...folders }
}

/** The one line by which git is called. The header goes into the environment of the one process that needs it. */
export function invocation(args: string[], options: GitOptions) {
  const { gitDir, reach } = options
  const outside = reach ? { ...settingsOutside, [`protocol.${reach.protocol}.allow`]: 'always' } : {}
  return {
    args: [
      `--git-dir=${gitDir}`,
      ...Object.entries({ ...settings, ...outside }).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
      ...args,
    ],
    environment: {
      PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
      ...environment,
      ...(reach?.header
        ? { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'http.extraHeader', GIT_CONFIG_VALUE_0: reach.header }
        : {}),
      ...(reach?.authorities ? { GIT_SSL_CAINFO: reach.authorities } : {}),
      ...options.environment,
    },
  }
}

/** What git prints, once it has ended well. */
export function git(args: string[], options: GitOptions): Promise<Buffer> {
  const { timeoutMs = 5 * minute, maxBytes = 64 * 1024 * 1024, gitDir, input } = options
  const line = invocation(args, options)
  const command = args.find((arg) => !arg.startsWith('-')) ?? ''
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  // A process group of its own, so that git's helpers end with it.
  const child = spawn('git', line.args, {
    cwd: gitDir,
    env: line.environment,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  if (options.isPatient && child.pid) setPriority(child.pid, constants.priority.PRIORITY_LOW)
  const printed: Buffer[] = []
  let bytes = 0
  let said = ''
  let ended: string | null = null
  const end = (why: string) => {
    ended ??= why
    // It may be gone on its own.
    if (child.pid && child.exitCode === null) signalGroup(child.pid)
  }
  const timer = setTimeout(() => end(`took longer than ${timeoutMs / 1_000} s`), timeoutMs)

  child.stdout.on('data', (chunk: Buffer) => {
    if (bytes < maxBytes) printed.push(chunk.subarray(0, maxBytes - bytes))
    bytes += chunk.length
    if (bytes > maxBytes) end(`printed more than ${maxBytes} bytes`)
  })
  child.stderr.on('data', (chunk: Buffer) => {
    if (said.length < mostSaid) said += chunk.toString()
  })
  // Git may end without having read everything; how it ended says why.
  child.stdin.on('error', () => {})
  if (input instanceof Readable) void pipeline(input, child.stdin).catch((error) => end(error.message))
  else child.stdin.end(input ?? '')
  child.on('error', (error) => {
    clearTimeout(timer)
    reject(error)
  })
  child.on('close', (code) => {
    clearTimeout(timer)
    const isWhole = code === 0 && bytes <= maxBytes
    if (isWhole || (bytes > maxBytes && options.cuts)) resolve(Buffer.concat(printed))
    else reject(new GitError(command, code, ended ?? withoutHeader(said, options.reach)))
  })
  return promise
}

/** One line of what git prints. */
export const gitLine = async (args: string[], options: GitOptions): Promise<string> =>
  (await git(args, options)).toString().trimEnd()

function signalGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // No process is left in it.
  }
}

const withoutHeader = (text: string, reach: Reach | null | undefined) =>
  reach?.header ? text.replaceAll(reach.header, '…').replaceAll(reach.header.split(' ').at(-1)!, '…') : text
