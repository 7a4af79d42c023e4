import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { closedEnvironment, closedSettings } from '../closed-git.ts'

/**
 * Closed git for bundles that we do not trust, with no more memory, time or disk space than an honest change takes.
 * Whatever kills it, only this process dies.
 */

const settings = [
  ...closedSettings,
  'pack.threads=1',
  // Larger ones are streamed, never held.
  'core.bigFileThreshold=16m',
]

const environment = { ...closedEnvironment, GIT_ALLOC_LIMIT: '268435456' }

const mostMemoryKilobytes = 1_500_000
const mostCpuSeconds = 20
/** In blocks of 512 bytes: what it writes is the pack that it was given, with an index. */
const mostFileBlocks = 300_000
const mostWaitedMs = 120_000

// Where a system knows no such limit, the others hold: macOS has none on memory.
const limited = `ulimit -v ${mostMemoryKilobytes} 2>/dev/null
ulimit -t ${mostCpuSeconds}
ulimit -f ${mostFileBlocks}
ulimit -c 0
exec git "$@"`

/** Git did not do it: what it said, or that it needed more than it was given. */
export class GitGaveUp extends Error {
  readonly isOverLimit: boolean

  constructor(message: string, isOverLimit: boolean) {
    super(message)
    this.isOverLimit = isOverLimit
  }
}

interface Options {
  gitDir: string
  input?: string | Buffer
  maxBytes?: number
  /** What is over `maxBytes` is cut instead of refused. */
  cuts?: boolean
}

/** What git prints, once it has ended well. */
export function limitedGit(args: readonly string[], options: Options): Promise<Buffer> {
  const { gitDir, input, maxBytes = 64_000_000, cuts = false } = options
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const all = [`--git-dir=${gitDir}`, ...settings.flatMap((setting) => ['-c', setting]), ...args]
  const child = spawn('/bin/sh', ['-c', limited, 'git', ...all], {
    cwd: gitDir,
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // Answering requests comes first.
  if (child.pid) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  const printed: Buffer[] = []
  let bytes = 0
  let said = ''
  let isEnded = false
  const end = () => {
    isEnded = true
    child.kill('SIGKILL')
  }
  const timer = setTimeout(end, mostWaitedMs)
  child.stdout.on('data', (chunk: Buffer) => {
    if (bytes < maxBytes) printed.push(chunk.subarray(0, maxBytes - bytes))
    bytes += chunk.length
    if (bytes > maxBytes) end()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    if (said.length < 2_000) said += chunk.toString()
  })
  // It may end without having read everything; how it ended says why.
  child.stdin.on('error', () => {})
  child.stdin.end(input ?? '')
  child.on('error', (error) => {
    clearTimeout(timer)
    reject(error)
  })
  child.on('close', (code, signal) => {
    clearTimeout(timer)
    const isWhole = code === 0 && bytes <= maxBytes
    if (isWhole || (bytes > maxBytes && cuts)) return resolve(Buffer.concat(printed))
    const isOverLimit =
      isEnded || signal !== null || /out of memory|attempting to allocate|mmap failed|too large/i.test(said)
    reject(new GitGaveUp(said.trim().slice(0, 500) || `git ended with ${code ?? signal}`, isOverLimit))
  })
  return promise
}
