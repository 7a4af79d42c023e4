import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import http from 'node:http'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { patienceMs } from '../server/test/patience.ts'
import { calm, environment, repository, scriptOf, unlimited } from './command.ts'
import { askForDemo } from './shared-demo.ts'

/**
 * The product from the outside: it is started by the command a person types, asked over HTTP, and operated by its own
 * command line. Nothing here or in the tests knows what is inside server/.
 */

/** The line that `npm run -s demo -- --json` prints once it serves. */
export interface Started {
  url: string
  signalUrl: string
  workspace: string
  people: Record<'owner' | 'admin' | 'member', { email: string; password: string }>
  tokens: Record<
    'owner' | 'admin' | 'member' | 'readOnly' | 'writeOnly' | 'expired' | 'revoked' | 'otherWorkspace',
    string
  >
  sources?: Record<string, { url: string; secret: string }>
}

export interface Reply {
  status: number
  headers: Headers
  text: string
}

export interface Page<T> {
  data: T[]
  nextCursor: string | null
}

export interface Asked {
  /** The owner's token unless told otherwise; null sends none. */
  token?: string | null
  method?: string
  headers?: Record<string, string>
  body?: string
}

/** For tests that follow runs to their end: the script is played this many times as fast. */
export const hurried = { DEMO_PACE: '20' }

export { calm, scriptOf }

// The test runner and Ctrl-C end a file by signal, which alone would skip 'exit'.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

// Last made, first undone: a folder outlives the demo in it.
const undo: (() => Promise<unknown>)[] = []
after(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

/** Does this after the tests of the file, before what was made earlier is undone. */
export const afterwards = (step: () => Promise<unknown>): void => void undo.push(step)

/** A folder that is gone when the tests of the file are done. */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'signalbox-acceptance-')))
  // The processes of a database that was just stopped may still put a file there.
  undo.push(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }))
  return folder
}

/** Starts a demo for the tests of this file and stops it after them. */
export async function startDemo(options: DemoOptions = {}): Promise<Demo> {
  const demo = await launchDemo(options)
  try {
    await demo.served()
    return demo
  } catch (error) {
    // Outside a test a failure ends the file, and no hook would run.
    await demo.stop()
    throw error
  }
}

/**
 * The demo of all files of this run that only look. It moves as slowly as it goes, and stays as it is made: a file that
 * answers, changes or ends something in it has one of its own.
 */
export async function demoToLookAt(): Promise<Serving> {
  const shared = await askForDemo()
  if (!shared) return startDemo({ env: calm })
  return new Serving(shared.data).answersAs(JSON.parse(shared.printed))
}

interface DemoOptions {
  data?: string
  port?: number
  env?: Record<string, string>
  /** True by default; false prints for people. */
  json?: boolean
  /** Whether a runner is started beside it; few need one. */
  runner?: boolean
  /** By npm, as a person types it; otherwise what npm would run, without looking whether all is built. */
  typed?: boolean
}

/** The same, without waiting until it serves. */
export async function launchDemo(options: DemoOptions): Promise<Demo> {
  const { data = await temporaryFolder(), port = 0, env = {}, json = true, runner = false } = options
  const [program, ...start] = options.typed
    ? ['npm', 'run', '-s', 'demo', '--']
    : [process.execPath, ...scriptOf('demo')]
  const command = spawn(
    program!,
    [
      ...[...start, ...(json ? ['--json'] : []), ...(runner ? [] : ['--no-runner'])],
      ...['--port', String(port), '--data', data],
    ],
    {
      cwd: repository,
      env: environment({ ...unlimited, ...env }),
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own, as a terminal gives it: Ctrl-C on the tests reaches it once, through them.
      detached: true,
    },
  )
  const demo = new Demo(command, data, options.typed ?? false)
  undo.push(() => demo.stop())
  // A file that breaks off runs no hooks: it must be able to end, and then takes the demo with it.
  command.unref()
  for (const pipe of [command.stdout, command.stderr]) (pipe as Socket).unref()
  for (const event of ['exit', 'uncaughtExceptionMonitor']) process.once(event, () => demo.release())
  return demo
}

/** A demo that serves, for its users and its operator. */
export class Serving {
  readonly data: string
  started!: Started
  /** The pages of the doubles of outside tools, by name; without a runner there is only the chat. */
  tools!: Record<string, string>

  constructor(data: string) {
    this.data = data
  }

  async answersAs(started: Started): Promise<this> {
    this.started = started
    this.tools = JSON.parse(await readFile(path.join(this.data, 'tools.json'), 'utf8'))
    return this
  }

  get tokens(): Started['tokens'] {
    return this.started.tokens
  }

  async ask(address: string, asked: Asked = {}): Promise<Reply> {
    const { token = this.tokens.owner, headers = {}, ...rest } = asked
    const response = await fetch(this.started.url + address, {
      ...rest,
      headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
      redirect: 'manual',
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  /** The body of an answer that must be 200. */
  async get<T>(address: string, token: string = this.tokens.owner): Promise<T> {
    const reply = await this.ask(address, { token })
    assert.equal(reply.status, 200, `${address} answered ${reply.status}: ${reply.text.slice(0, 300)}`)
    return JSON.parse(reply.text)
  }

  /** Every element of a list, by following nextCursor to the end. */
  async all<T>(address: string, token: string = this.tokens.owner, limit = 100): Promise<T[]> {
    const elements: T[] = []
    let cursor: string | null = null
    do {
      const page: Page<T> = await this.get(
        withQuery(address, { limit: String(limit), ...(cursor === null ? {} : { cursor }) }),
        token,
      )
      assert.deepEqual(Object.keys(page).sort(), ['data', 'nextCursor'])
      elements.push(...page.data)
      cursor = page.nextCursor
    } while (cursor !== null)
    return elements
  }

  /**
   * What was read while nothing moved: the demo's runs move on their own, and two resources are only comparable when
   * nothing happened between them.
   */
  async still<T>(read: () => Promise<T>): Promise<T> {
    let found: T
    await until('nothing moved while it was read', async () => {
      const before = await this.#world()
      found = await read()
      return (await this.#world()) === before
    })
    return found!
  }

  /** A check of what holds as long as nothing moves. It may only fail in peace; disturbed, it is made again. */
  async undisturbed(check: () => Promise<void>): Promise<void> {
    const holds = () =>
      check().then(
        () => null,
        (error: unknown) => ({ error }),
      )
    // Mostly it does immediately.
    if (!(await holds())) return
    await until('the check was not disturbed', async () => {
      const before = await this.#world()
      const failed = await holds()
      if (failed && (await this.#world()) === before) throw failed.error
      return !failed
    })
  }

  /** Changes with everything that happens: each step of a run is in the log, and what it spends in the run. */
  async #world(): Promise<string> {
    const replies = await Promise.all(
      [this.tokens.owner, this.tokens.otherWorkspace].flatMap((token) => [
        this.ask('/v1/audit?limit=1', { token }),
        this.ask('/v1/runs?limit=100', { token }),
      ]),
    )
    return replies.map(({ text }) => text).join()
  }

  /** The bytes as they travel: nothing decoded, no header added, no path tidied up. */
  async raw(
    address: string,
    asked: Asked = {},
  ): Promise<{ status: number; headers: http.IncomingHttpHeaders; body: Buffer }> {
    const { token = this.tokens.owner, method = 'GET', headers = {}, body } = asked
    const { hostname, port } = new URL(this.started.url)
    const request = http.request({
      hostname,
      port,
      method,
      path: address,
      agent: false,
      headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
    })
    request.end(body)
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    return { status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }
  }

  /** The operator's command line, on this demo's data folder. */
  signalbox(...args: string[]): Promise<Ended> {
    return signalbox(this.data, args)
  }

  /** An operator's command that must succeed; its answer. */
  async admin<T>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await this.signalbox('admin', ...args, '--json')
    assert.equal(code, 0, `admin ${args.join(' ')}: ${stderr}`)
    return JSON.parse(stdout)
  }

  async newToken(
    options: { email?: string; permissions?: string; expires?: string; workspace?: string } = {},
  ): Promise<NewToken> {
    const {
      email = this.started.people.owner.email,
      permissions = 'read',
      expires = '30d',
      workspace = this.started.workspace,
    } = options
    const named = ['--workspace', workspace, '--email', email]
    return this.admin('token', 'create', ...named, '--permissions', permissions, '--expires', expires)
  }
}

/** A demo with the process that serves it: it is started, signalled and stopped. */
export class Demo extends Serving {
  /** What was started: npm, or the server itself. */
  readonly command: ChildProcess
  /** The server's own process, somewhere below the command. */
  pid = 0
  stdout = ''
  stderr = ''
  readonly #typed: boolean
  #asked = false
  readonly ended: Promise<{ code: number | null; signal: string | null }>

  constructor(command: ChildProcess, data: string, typed: boolean) {
    super(data)
    this.command = command
    this.#typed = typed
    command.stdout?.on('data', (chunk) => {
      this.stdout += chunk
    })
    command.stderr?.on('data', (chunk) => {
      this.stderr += chunk
    })
    this.ended = once(command, 'exit').then(([code, signal]) => ({ code, signal }))
  }

  async served(): Promise<void> {
    await until('the demo serves', () => {
      assert.equal(this.command.exitCode, null, `the demo ended instead of serving: ${this.stderr}`)
      return this.stdout.includes('\n')
    })
    await this.answersAs(JSON.parse(this.stdout))
    await this.findServer()
  }

  async findServer(): Promise<void> {
    if (!this.#typed) {
      this.pid = this.command.pid!
      return
    }
    const family = new Set(await below(this.command.pid!))
    // npm may put a shell between itself and the server, and the server may take options of Node.
    const server = (await processes()).find(
      (one) => family.has(one.pid) && /^\S*node .*demo\/main\.ts /.test(one.args),
    )
    assert.ok(server, 'the server is among the processes below npm')
    this.pid = server.pid
  }

  signal(signal: NodeJS.Signals): void {
    this.#asked = true
    if (this.pid !== 0) quietly(this.pid, signal)
  }

  /** What a terminal does on Ctrl-C: npm, what is below it, and the server all get the signal. */
  interrupt(): void {
    this.#asked = true
    process.kill(-this.command.pid!, 'SIGINT')
  }

  /** The last thing that a file which breaks off can do. */
  release(): void {
    // A second signal would make the server leave without its database.
    if (!this.#asked) this.signal('SIGTERM')
  }

  /** Signals the server, waits until it is gone, and tells how the command ended. */
  async end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: string | null }> {
    this.signal(signal)
    return this.gone()
  }

  async gone(): Promise<{ code: number | null; signal: string | null }> {
    const ended = await within('the command to end', this.ended)
    await until('the server is gone', () => !isAlive(this.pid))
    return ended
  }

  /** Leaves nothing behind, however the demo was treated and whether or not it listens. */
  async stop(): Promise<void> {
    const server = this.pid === 0 ? await below(this.command.pid!) : [this.pid]
    this.#asked = true
    await endAll(async () => server.filter(isAlive), 'SIGTERM')
    await endAll(() => this.databases(), 'SIGINT')
    await within('the command to end', this.ended)
  }

  /** Process ids of database servers on this demo's folder. */
  async databases(): Promise<number[]> {
    return (await processes()).filter((one) => one.args.includes(`-D ${this.data}/`)).map((one) => one.pid)
  }

  /** The process id of the database server that has come up and serves, as it says itself in its folder. */
  async servingDatabase(): Promise<number | undefined> {
    const says = await readFile(path.join(this.data, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '')
    const lines = says.split('\n')
    return lines[7]?.trim() === 'ready' ? Number(lines[0]) : undefined
  }
}

export interface NewToken {
  id: string
  token: string
  prefix: string
  expiresAt: string
}

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** What `npm run -s signalbox` runs, without npm's own half a second; one test types it as a person does. */
const commandLine: [node: string, ...args: string[]] = [
  path.join(repository, 'node_modules', '.bin', 'node'),
  ...scriptOf('signalbox'),
]

/** Runs a command of the product to its end. */
export function signalbox(data: string, args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const [node, ...main] = commandLine
    const child = execFile(
      node,
      [...main, ...args],
      { cwd: repository, env: environment({ DATA_DIR: data }), maxBuffer: 64 * 2 ** 20 },
      (_, stdout, stderr) => {
        clearTimeout(late)
        resolve({ code: child.exitCode, stdout, stderr })
      },
    )
    // Without this the hang of a command would be the test run's.
    const late = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  })
}

/** The address with more parameters. */
export function withQuery(address: string, parameters: Record<string, string>): string {
  const query = new URLSearchParams(parameters).toString()
  if (query === '') return address
  return `${address}${address.includes('?') ? '&' : '?'}${query}`
}

/** The three headers that every response carries, as numbers. */
export function quotaOf(reply: Reply): { limit: number; remaining: number; reset: number } {
  const number = (name: string) => {
    const value = reply.headers.get(name)
    assert.match(value ?? '', /^\d+$/, `${name} of a ${reply.status}`)
    return Number(value)
  }
  return {
    limit: number('x-ratelimit-limit'),
    remaining: number('x-ratelimit-remaining'),
    reset: number('x-ratelimit-reset'),
  }
}

/** Checks an error to its last byte: status, code, the exact shape of the body, and the headers it owes. */
export function refused(reply: Reply, status: number, code: string, what = ''): string {
  const said = `${what} answered ${reply.status}: ${reply.text.slice(0, 300)}`
  assert.equal(reply.status, status, said)
  assert.match(reply.headers.get('content-type') ?? '', /^application\/json/, said)
  const body = JSON.parse(reply.text)
  assert.deepEqual(Object.keys(body), ['error'], said)
  assert.deepEqual(Object.keys(body.error).sort(), ['code', 'message'], said)
  assert.equal(body.error.code, code, said)
  assert.equal(typeof body.error.message, 'string', said)
  assert.match(body.error.message, /^[A-Z`].{9,}[.!?]$/s, `a sentence: ${said}`)
  assert.ok(reply.headers.get('x-request-id'), said)
  quotaOf(reply)
  return body.error.message
}

/** Waits for a condition, never for time; fails when it does not come true. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const begun = Date.now()
  while (!(await holds())) {
    const waited = Date.now() - begun
    if (waited > patienceMs) throw new Error(`Waited in vain until ${what}.`)
    // Dozens wait at the same time, and each look costs the server what they wait for.
    await sleep(Math.min(20 + waited / 10, 200))
  }
}

/** Asks first, and insists when that did not help. */
async function endAll(alive: () => Promise<number[]>, signal: NodeJS.Signals): Promise<void> {
  for (const next of [signal, 'SIGKILL'] as const) {
    for (const pid of await alive()) quietly(pid, next)
    const gone = until('they are gone', async () => (await alive()).length === 0)
    if (
      await gone.then(
        () => true,
        () => false,
      )
    )
      return
  }
}

export async function within<T>(what: string, result: Promise<T>): Promise<T> {
  const late = new AbortController()
  const alarm = sleep(patienceMs, undefined, { signal: late.signal }).then(() => {
    throw new Error(`Waited in vain for ${what}.`)
  })
  try {
    return await Promise.race([result, alarm])
  } finally {
    alarm.catch(() => {})
    late.abort()
  }
}

export const isAlive = (pid: number): boolean => pid !== 0 && quietly(pid, 0)

/** Signals a process that may be gone already; whether it was there. */
function quietly(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

interface Process {
  pid: number
  parent: number
  args: string
}

async function processes(): Promise<Process[]> {
  const listing = await new Promise<string>((resolve, reject) =>
    execFile('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='], (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    ),
  )
  return listing
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null)
    .map(([, pid, parent, args]) => ({ pid: Number(pid), parent: Number(parent), args: args! }))
}

/** The processes under one, the process itself first. */
async function below(pid: number): Promise<number[]> {
  const all = await processes()
  const family = [pid]
  for (const one of family) family.push(...all.filter(({ parent }) => parent === one).map(({ pid }) => pid))
  return family
}
