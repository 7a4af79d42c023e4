import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import path from 'node:path'
import { DecoyServices } from './decoy-services.ts'
import { FakeProvider } from './provider.ts'
import { Repository } from './repository.ts'

/** Where everyone may write, or root may: a trace is looked for in each. */
const shared = ['/', '/tmp', '/var/tmp', '/dev/shm', '/run', '/usr', '/etc', '/opt', '/mnt', '/sys/fs/cgroup']
const keyName = (nonce: string) => `signalbox-kit-${nonce}`

/**
 * A machine around a runner, with things in it that are no one's business: secrets to be read, folders to be changed,
 * services to be reached. Everything is looked at from outside, before and after.
 */
export class World {
  readonly nonce = randomBytes(4).toString('hex')
  readonly folder = mkdtempSync(path.join(tmpdir(), 'kit-'))
  /** The runner's own. */
  readonly data = this.#made('data')
  /** Of the operator whose user the runner is. */
  readonly home = this.#made('home')
  readonly beside = this.#made('beside')
  /** One folder for each attempt, with keys in it. */
  readonly precious = this.#made('precious')
  /** Where a file appears when something ran that should not have. */
  readonly ran = this.#made('ran')
  readonly repository = new Repository(path.join(this.#made('git'), 'origin.git'))
  readonly listeners = new DecoyServices(this.folder, this.nonce)
  readonly provider = new FakeProvider()
  readonly token = `tk_${this.nonce.padEnd(32, 'k')}`
  /** What no one may learn, by what it is. */
  readonly secrets = new Map<string, string>()
  #before = new Map<string, string>()
  readonly #hostname = hostname()
  /** What was seen of a process while it ran. */
  readonly #sights = new Set<string>()
  #watch: NodeJS.Timeout | null = null

  #made(name: string): string {
    const folder = path.join(this.folder, name)
    mkdirSync(folder)
    return folder
  }

  async open(tokens: string[]): Promise<void> {
    // Readable for everyone: it is the runner that keeps them, not their rights.
    chmodSync(this.folder, 0o755)
    await this.listeners.open()
    await this.provider.open()
    this.#plant('a file of the runner’s data folder', path.join(this.data, 'kit-secret'))
    this.#plant('a file beside the runner’s', path.join(this.beside, 'secret.txt'))
    mkdirSync(path.join(this.home, '.ssh'))
    this.#plant('the operator’s SSH key', path.join(this.home, '.ssh', 'id_ed25519'))
    this.#plant('the operator’s passwords', path.join(this.home, '.netrc'))
    this.secrets.set('the runner’s token', this.token)
    for (const name of ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'KIT_CANARY_PASSWORD'])
      this.secrets.set(`$${name}`, `sk-${randomBytes(16).toString('hex')}`)
    for (const token of tokens) {
      const folder = path.join(this.precious, token)
      mkdirSync(path.join(folder, 'deep'), { recursive: true })
      writeFileSync(path.join(folder, 'keys'), this.canaryOf(token))
      writeFileSync(
        path.join(folder, 'deep', 'report.xml'),
        `<testsuite><testcase name="${this.canaryOf(token)}"/></testsuite>`,
      )
    }
    this.#addKey()
  }

  /** From here on nothing may change. */
  look(): void {
    this.#before = this.#picture()
    this.#watch = setInterval(() => this.#sight(), 100)
  }

  /** Of which each attempt has one of its own. */
  canaryOf(token: string): string {
    return `canary-${token}-end`
  }

  /** What the runner makes for itself is a secret, too. */
  noteKeys(): void {
    for (const name of readdirSync(this.data)) {
      if (!/key|pem|token/i.test(name)) continue
      const text = readFileSync(path.join(this.data, name), 'utf8')
      const longest = text.split('\n').toSorted((a, b) => b.length - a.length)[0] ?? ''
      if (longest.length >= 20) this.secrets.set(`the runner’s ${name}`, longest)
    }
  }

  get environment(): NodeJS.ProcessEnv {
    const keys = [...this.secrets].filter(([name]) => name.startsWith('$'))
    return {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_|API_KEY$/.test(name))),
      ...Object.fromEntries(keys.map(([name, value]) => [name.slice(1), value])),
      HOME: this.home,
      SERVICE_API_KEY: this.token,
      SSH_AUTH_SOCK: this.listeners.agentSocket,
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${this.listeners.socket}`,
      ANTHROPIC_BASE_URL: this.provider.url,
      OPENAI_BASE_URL: `${this.provider.url}/v1`,
      GOOGLE_GEMINI_BASE_URL: this.provider.url,
    }
  }

  /** A number that is this world's own, for shared memory. */
  get memoryKey(): number {
    return Number.parseInt(this.nonce, 16) & 0x3fffffff
  }

  /**
   * What shows outside that was tried inside, each as a sentence; the token of its attempt is in it where it left one.
   */
  traces(): string[] {
    const after = this.#picture()
    const names = new Set([...this.#before.keys(), ...after.keys()])
    const changed = [...names].filter((name) => this.#before.get(name) !== after.get(name))
    return [
      ...changed.map((name) =>
        // By its name it is known whose it is; else by what is in it.
        name.includes(this.nonce) ? `${name} was changed or made` : `${name} holds ${beginningOf(name)}`,
      ),
      ...Object.keys(this.repository.refs())
        .filter((name) => name.includes(this.nonce))
        .map((name) => `${name} was pushed`),
      ...this.listeners.heard.map(
        (said) => `a service of the machine’s was reached, and heard ${said.slice(0, 200)}`,
      ),
      ...shared.flatMap((folder) =>
        namesIn(folder)
          .filter((name) => name.includes(this.nonce))
          .map((name) => `${path.join(folder, name)} was made`),
      ),
      ...this.#dataTraces(this.data),
      ...survivors(this.nonce).map(({ line }) => `a process is still there: ${line}`),
      ...(hostname() === this.#hostname ? [] : [`the name of the machine is ${hostname()}`]),
      ...(new RegExp(`^ +${this.memoryKey} `, 'm').test(textOf('/proc/sysvipc/shm'))
        ? ['a piece of shared memory of the machine’s was made']
        : []),
      ...this.#sights,
    ]
  }

  async close(): Promise<void> {
    if (this.#watch) clearInterval(this.#watch)
    for (const { pid } of survivors(this.nonce)) end(pid)
    for (const folder of shared)
      for (const name of namesIn(folder))
        if (name.includes(this.nonce)) rmSync(path.join(folder, name), { recursive: true, force: true })
    this.#keyring('unlink')
    this.listeners.close()
    await this.provider.close()
    removeAll(this.folder)
  }

  #plant(what: string, file: string): void {
    const value = `secret-${randomBytes(16).toString('hex')}`
    this.secrets.set(what, value)
    writeFileSync(file, `${value}\n`)
  }

  #addKey(): void {
    const value = `secret-${randomBytes(16).toString('hex')}`
    if (this.#keyring('add', value)) this.secrets.set('a key of the operator’s keyring', value)
  }

  /** In the user's own keyring, which every process of that user shares. */
  #keyring(what: 'add' | 'unlink', value = ''): boolean {
    const numbers = { x64: [248, 250], arm64: [217, 219] }[process.arch as string]
    if (!numbers) return false
    const name = keyName(this.nonce)
    const script =
      what === 'add'
        ? `my ($t, $n, $v) = ("user", "${name}", "${value}"); exit(syscall(${numbers[0]}, $t, $n, $v, length($v), -4) > 0 ? 0 : 1)`
        : `my ($t, $n) = ("user", "${name}"); my $k = syscall(${numbers[1]}, 10, -4, $t, $n, 0); exit(syscall(${numbers[1]}, 9, $k, -4) == 0 ? 0 : 1)`
    try {
      execFileSync('perl', ['-e', script], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  }

  /** What only the kernel has, and is seen by what a process holds open. */
  #sight(): void {
    for (const { pid, line } of survivors(this.nonce))
      for (const name of namesIn(`/proc/${pid}/fd`)) {
        const target = targetOf(`/proc/${pid}/fd/${name}`)
        const kind = /io_uring|userfaultfd|perf_event|bpf|fanotify/.exec(target)?.[0]
        if (kind) this.#sights.add(`the kernel gave ${kind} to ${line}`)
      }
  }

  /**
   * Not the runner's own folder: it changes on its own. A repository's settings and hooks, and what lies at its top.
   */
  #picture(): Map<string, string> {
    const seen = new Map<string, string>()
    for (const folder of [this.home, this.beside, this.precious, this.ran]) photograph(folder, seen)
    for (const name of ['config', 'hooks', 'description', 'info'])
      photograph(path.join(this.repository.folder, name), seen)
    return seen
  }

  #dataTraces(folder: string): string[] {
    // A worktree or a home is the agent's own.
    if (namesIn(folder).includes('.kit') || path.basename(folder) === 'homes') return []
    return namesIn(folder).flatMap((name) => {
      const file = path.join(folder, name)
      if (kindOf(file) === 'folder')
        return name.includes(this.nonce)
          ? [`${file} was made`]
          : ['trash', 'orders'].includes(name)
            ? []
            : this.#dataTraces(file)
      const isSetting = name === 'config' || path.basename(folder) === 'hooks' || folder === this.data
      if (name.includes(this.nonce)) return [`${file} was made`]
      const text = isSetting && name !== 'lock' ? beginningOf(file) : ''
      return text.includes(this.nonce) ? [`${file} holds ${text}`] : []
    })
  }
}

function photograph(file: string, seen: Map<string, string>): void {
  const kind = kindOf(file)
  if (kind === null) return
  const { mode, size } = lstatSync(file)
  if (kind === 'folder') {
    seen.set(file, `folder ${mode}`)
    for (const name of namesIn(file)) photograph(path.join(file, name), seen)
  } else if (kind === 'link') seen.set(file, `link ${readlinkSync(file)}`)
  else if (kind === 'file' && size < 1_000_000)
    seen.set(file, `${mode} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`)
  else seen.set(file, `${kind} ${mode} ${size}`)
}

function kindOf(file: string): 'folder' | 'link' | 'file' | 'other' | null {
  try {
    const stat = lstatSync(file)
    if (stat.isDirectory()) return 'folder'
    if (stat.isSymbolicLink()) return 'link'
    return stat.isFile() ? 'file' : 'other'
  } catch {
    return null
  }
}

const beginningOf = (file: string): string =>
  kindOf(file) === 'file' ? textOf(file).slice(0, 2_000) : `nothing to be read (${kindOf(file)})`

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link)
  } catch {
    return ''
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone already.
  }
}

/** Processes that say the word on their command line. */
export function survivors(word: string): { pid: number; line: string }[] {
  return namesIn('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => ({ pid: Number(name), line: textOf(`/proc/${name}/cmdline`).replaceAll('\0', ' ') }))
    .filter(({ line }) => line.includes(word))
}

/** Also what has lost its rights. */
function removeAll(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    execFileSync('sh', ['-c', 'chmod -R u+rwx "$1"; rm -rf "$1"', 'sh', folder], { stdio: 'ignore' })
  }
}
