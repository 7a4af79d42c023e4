import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'

/** A program that runs beside the test. What it prints goes to a file, and to listeners. */
export class Program {
  readonly name: string
  readonly #child: ChildProcess

  private constructor(name: string, child: ChildProcess) {
    this.name = name
    this.#child = child
  }

  static start(
    name: string,
    [command, ...args]: string[],
    options: {
      log: string
      env?: Record<string, string>
      as?: Account
      onLine?: (line: string) => void
    },
  ): Program {
    const child = spawn(command!, args, {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...options.as,
    })
    const log = createWriteStream(options.log, { flags: 'a' })
    for (const pipe of [child.stdout, child.stderr]) {
      let rest = ''
      pipe.on('data', (chunk) => {
        log.write(chunk)
        const lines = (rest + chunk).split('\n')
        rest = lines.pop()!
        for (const line of lines) options.onLine?.(line)
      })
    }
    // Its exit is what the test sees.
    child.on('error', () => {})
    return new Program(name, child)
  }

  get pid(): number {
    return this.#child.pid!
  }

  get hasEnded(): boolean {
    return this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.hasEnded) return
    const ended = once(this.#child, 'exit')
    this.#child.kill(signal)
    await ended
  }
}

interface Account {
  uid: number
  gid: number
}

/** PostgreSQL refuses to run as root. */
export function postgresAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout)
  return { uid: id('-u'), gid: id('-g') }
}

/** A process and all that it has started. */
export function withDescendants(pid: number): number[] {
  const listed = spawnSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' }).stdout
  const pairs = listed.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  const found = [pid]
  for (const parent of found) for (const [child, of] of pairs) if (of === parent) found.push(child!)
  return found
}
