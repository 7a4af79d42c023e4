import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { History, Merge, MergeDiff } from '../../domain/ports/history.ts'
import { gitReach, type ReachOptions, type Way } from './reach.ts'

const mostMerges = 200
const mostPaths = 500
/** More than are read, so that the oldest commit of a shallow copy, which seems to add every file, is seldom reached. */
const depth = 2 * mostMerges
const branch = 'refs/heads/look'
/** More than a person reads before they answer, and few enough to be stored with the question. */
const mostDiffBytes = 200_000

/** From cheap to certain: not every server can leave file contents or old commits out. */
const waysToFetch = [['--filter=blob:none', `--depth=${depth}`], []]

/** What git is told about the machine. Nothing of ours is among it, and nothing that would send it elsewhere. */
const passedOn = /^(PATH|HOME|USER|TMPDIR|SSH_AUTH_SOCK|GIT_SSH_COMMAND|GIT_SSL_\w+|SSL_CERT_\w+|\w+_proxy)$/i

/** Reads what was merged with git itself, from copies that it keeps in a folder. */
export class GitHistory implements History {
  readonly #folder: string
  readonly #timeoutMs: number
  readonly #reach: ReturnType<typeof gitReach>
  /** The work under way in each copy: two fetches into the same copy would get in each other's way. */
  readonly #busy = new Map<string, Promise<unknown>>()

  constructor(
    folder: string,
    { timeoutMs = 30_000, allow = [], resolve }: { timeoutMs?: number } & Partial<ReachOptions> = {},
  ) {
    this.#folder = folder
    this.#timeoutMs = timeoutMs
    this.#reach = gitReach({ allow, ...(resolve ? { resolve } : {}) })
  }

  recentMerges(repository: { url: string; path: string }, since: Date): Promise<Merge[]> {
    return this.#inTurn(repository.url, (copy) => this.#look(copy, repository, since))
  }

  diffOf({ url }: { url: string }, commit: string): Promise<MergeDiff> {
    return this.#inTurn(url, (copy) => this.#diff(copy, url, commit))
  }

  async #inTurn<T>(url: string, work: (copy: string) => Promise<T>): Promise<T> {
    const copy = path.join(this.#folder, createHash('sha256').update(url).digest('hex').slice(0, 32))
    const before = this.#busy.get(copy) ?? Promise.resolve()
    const look = before.then(() => work(copy))
    const settled = look.catch(() => {})
    this.#busy.set(copy, settled)
    try {
      return await look
    } finally {
      if (this.#busy.get(copy) === settled) this.#busy.delete(copy)
    }
  }

  async #look(copy: string, repository: { url: string; path: string }, since: Date): Promise<Merge[]> {
    const way = await this.#reach(repository.url)
    const git = commandLine(copy, way, AbortSignal.timeout(this.#timeoutMs))
    await this.#fetch(git, copy, way.address)
    const mark = randomBytes(16).toString('hex')
    const log = await git([
      'log',
      '--first-parent',
      '-m',
      '--name-only',
      '--no-renames',
      '-z',
      `--max-count=${mostMerges}`,
      `--since=${Math.floor(since.getTime() / 1000)}`,
      `--format=${mark}%x00%H%x00%ct%x00%an%x00%s`,
      branch,
      ...(repository.path === '' ? [] : ['--', repository.path]),
    ])
    const cut = new Set((await readFile(path.join(copy, 'shallow'), 'utf8').catch(() => '')).split('\n'))
    return mergesIn(log, mark).filter(({ commit }) => !cut.has(commit))
  }

  /** From what the look at its history has fetched; contents that were left out then are fetched by git now. */
  async #diff(copy: string, url: string, commit: string): Promise<MergeDiff> {
    if (!/^[0-9a-f]{40,64}$/.test(commit)) throw new Error(`${commit} is not a commit`)
    const git = commandLine(copy, await this.#reach(url), AbortSignal.timeout(this.#timeoutMs))
    const text = await git(
      [
        'show',
        '--format=',
        '--first-parent',
        '-m',
        '-M',
        '--no-color',
        '--no-ext-diff',
        '--no-textconv',
        commit,
      ],
      { cutAt: mostDiffBytes },
    )
    const isCut = Buffer.byteLength(text) > mostDiffBytes
    // The database takes no NUL, which a file that git takes for text may have far down.
    const whole = text.replaceAll('\0', '\uFFFD')
    return { text: isCut ? whole.slice(0, whole.lastIndexOf('\n') + 1) : whole, isCut }
  }

  async #fetch(git: Git, copy: string, address: string): Promise<void> {
    for (const [index, way] of waysToFetch.entries()) {
      try {
        if (!(await isFolder(copy))) {
          await mkdir(this.#folder, { recursive: true })
          // Without a template there are no hooks.
          await git(['init', '--quiet', '--bare', '--template=', '--', copy], { inCopy: false })
        }
        // Set it every time: the copy may have been made with an address that is no longer allowed.
        await git(['config', 'remote.origin.url', address])
        await git([
          'fetch',
          '--quiet',
          '--no-tags',
          '--no-recurse-submodules',
          '--no-write-fetch-head',
          ...way,
          'origin',
          `+HEAD:${branch}`,
        ])
        return
      } catch (error) {
        // Whatever is wrong with the copy is gone with it.
        await rm(copy, { recursive: true, force: true })
        if (index === waysToFetch.length - 1) throw error
      }
    }
  }
}

/** `cutAt`: what git says after that many bytes is not waited for. */
type Git = (command: string[], options?: { inCopy?: boolean; cutAt?: number }) => Promise<string>

/** Git on one copy: never prompts for a password, runs no hook, and speaks no protocol that could run something. */
const commandLine =
  (copy: string, way: Way, signal: AbortSignal): Git =>
  (command, { inCopy = true, cutAt } = {}) =>
    output(
      [
        ...[...settings, ...way.settings].flatMap((setting) => ['-c', setting]),
        '--literal-pathspecs',
        ...(inCopy ? [`--git-dir=${copy}`] : []),
        ...command,
      ],
      environment(way),
      signal,
      cutAt,
    )

const settings = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'gc.autoDetach=false',
  'protocol.ext.allow=never',
  // The target of a redirect has not been checked.
  'http.followRedirects=false',
  'http.lowSpeedLimit=1',
  'http.lowSpeedTime=20',
]

async function output(
  command: string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  cutAt = Number.POSITIVE_INFINITY,
): Promise<string> {
  signal.throwIfAborted()
  // A process group of its own, so that killing git also kills its helpers, which would go on waiting for the server.
  const git = spawn('git', command, {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env,
  })
  const giveUp = () => {
    try {
      process.kill(-git.pid!, 'SIGKILL')
    } catch {
      // It has ended, or was never there.
    }
  }
  signal.addEventListener('abort', giveUp, { once: true })
  const ended = once(git, 'close')
  // It may reject before it is awaited.
  ended.catch(() => {})
  try {
    const parts: Buffer[] = []
    let bytes = 0
    for await (const part of git.stdout as AsyncIterable<Buffer>) {
      bytes += part.length
      if (bytes > mostBytes) throw new Error('git says more than can be read')
      parts.push(part)
      if (bytes > cutAt) {
        giveUp()
        return Buffer.concat(parts)
          .subarray(0, cutAt + 1)
          .toString('utf8')
      }
    }
    const [code] = await ended
    signal.throwIfAborted()
    if (code !== 0) throw new Error(`git ${command.find((word) => /^[a-z]+$/.test(word))} failed`)
    return Buffer.concat(parts).toString('utf8')
  } catch (error) {
    giveUp()
    throw error
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}
const mostBytes = 64 * 1024 * 1024

const environment = ({ protocol, sshOptions }: Way): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => passedOn.test(name))),
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  // A shell reads it, so the options are in quotes; they are made of names and addresses, which hold none.
  GIT_SSH_COMMAND: [
    process.env.GIT_SSH_COMMAND ?? 'ssh -o BatchMode=yes',
    ...sshOptions.map((option) => `-o '${option}'`),
  ].join(' '),
  GIT_ALLOW_PROTOCOL: protocol,
  LC_ALL: 'C',
})

const isFolder = async (name: string) =>
  stat(name).then(
    (found) => found.isDirectory(),
    () => false,
  )

/** The mark is new each time, so that no file name passes for the next commit. */
function mergesIn(log: string, mark: string): Merge[] {
  const merges: Merge[] = []
  const words = log.split('\0')
  for (let at = 0; at < words.length; at += 1) {
    if (words[at] === mark) {
      const [commit = '', seconds = '', author = '', title = ''] = words.slice(at + 1, at + 5)
      const mergedAt = new Date(Number(seconds) * 1000)
      merges.push({ commit, mergedAt, author, title, paths: [], pullRequest: pullRequestOf(title) })
      at += 4
      continue
    }
    const name = words[at]!.replace(/^\n/, '')
    const paths = merges.at(-1)?.paths
    if (name !== '' && paths && paths.length < mostPaths) paths.push(name)
  }
  return merges
}

function pullRequestOf(title: string): number | null {
  const number = /\(#(\d{1,9})\)\s*$/.exec(title)?.[1] ?? /^Merge pull request #(\d{1,9})\b/.exec(title)?.[1]
  return number ? Number(number) : null
}
