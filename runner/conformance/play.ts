import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { breaches } from './breaches.ts'
import { PlayServer } from './play-server.ts'
import type { Condition, Scenario, Step } from './scenario.ts'

export interface PlayOptions {
  /** A command line that starts the runner; `--url`, `--data` and `--slots` are put behind it. */
  runner: string
  /** How much shorter than a second a second is. The runner hears it as SIGNALBOX_RUNNER_PACE, if it listens. */
  pace: number
  /** After so many seconds, at the pace, a scenario that does not go on has failed. */
  patienceSeconds: number
}

export interface Played {
  name: string
  /** What did not hold, each a sentence; empty: it passed. */
  breaches: string[]
  /** What the runner said. */
  output: string
}

const playToken = `tk_${'conformance'.padEnd(32, '0')}`

/** Plays one scenario against a runner, and says what did not hold. */
export async function play(scenario: Scenario, options: PlayOptions): Promise<Played> {
  const data = await mkdtemp(path.join(tmpdir(), 'runner-'))
  const server = new PlayServer({ ...scenario, token: playToken, pace: options.pace })
  const stage = new Stage(scenario, options, server, data)
  try {
    await server.listen()
    stage.start()
    for (const step of scenario.steps) await stage.take(step)
    await stage.finish()
    return { name: scenario.name, breaches: breaches(scenario, server, stage), output: stage.output }
  } catch (error) {
    return { name: scenario.name, breaches: [(error as Error).message], output: stage.output }
  } finally {
    await stage.clear()
    await server.goAway()
    await rm(data, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** The runner under test, and what is done to it. */
class Stage {
  readonly #scenario: Scenario
  readonly #options: PlayOptions
  readonly #server: PlayServer
  readonly #data: string
  #child: ChildProcess | null = null
  #counted = new Map<string, number>()
  output = ''
  exitCode: number | null = null

  constructor(scenario: Scenario, options: PlayOptions, server: PlayServer, data: string) {
    this.#scenario = scenario
    this.#options = options
    this.#server = server
    this.#data = data
  }

  start(): void {
    const { runner, pace } = this.#options
    const { slots = 1 } = this.#scenario
    const line = `exec ${runner} --url ${this.#server.url} --data '${this.#data}' --slots ${slots}`
    const child = spawn('sh', ['-c', line], {
      env: { ...process.env, SERVICE_API_KEY: playToken, SIGNALBOX_RUNNER_PACE: `${pace}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        this.output += text
      })
    child.on('exit', (code) => {
      this.exitCode = code
      this.#server.events.emit('called')
    })
    this.#child = child
    this.exitCode = null
  }

  async take(step: Step): Promise<void> {
    const { orders, wakePolls } = this.#server
    if ('until' in step) await this.#until(step.until)
    else if ('wait' in step) await this.#wait(step.wait)
    else if ('start' in step) this.start()
    else if ('signal' in step) await this.#signal(step.signal)
    else if ('server' in step) await (step.server === 'away' ? this.#server.goAway() : this.#server.listen())
    else if ('stop' in step) orders[(step.order ?? 1) - 1]!.stop = step.stop
    else if ('command' in step) this.#server.commands.push(step.command)
    else if ('heal' in step) this.#server.heal()
    else if ('revoke' in step) this.#server.isRevoked = step.revoke
    else if ('outdate' in step) orders[step.outdate - 1]!.isOutdated = true
    else this.#server.offer(step.offer)
    wakePolls.call(this.#server)
    this.#counted = this.#counts()
  }

  /** Ends the runner as a person would, if it still runs. */
  async finish(): Promise<void> {
    if (!this.#isRunning) return
    await this.#signal('SIGTERM')
    await this.#until({ exited: true })
  }

  /** Leaves nothing behind, whatever has happened. */
  async clear(): Promise<void> {
    if (this.#isRunning) await this.#signal('SIGKILL')
    for (const pid of this.leftBehind) process.kill(pid, 'SIGKILL')
  }

  /** Processes that the work has started and that still live. */
  get leftBehind(): number[] {
    const lines = this.#server.orders.flatMap(({ log }) => [...log.values()].flat())
    return lines
      .map((line) => Number(/^pid (\d+)$/.exec(line)?.[1]))
      .filter((pid) => Number.isInteger(pid) && isAlive(pid))
  }

  get #isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null
  }

  async #signal(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child!
    const gone = once(child, 'exit')
    child.kill(signal)
    if (signal === 'SIGKILL') await gone
  }

  async #until(condition: Condition): Promise<void> {
    const late = performance.now() + this.#options.patienceSeconds * 1000
    while (!this.#holds(condition)) {
      if (performance.now() > late) throw new Error(`Waited in vain for ${JSON.stringify(condition)}.`)
      if (!('exited' in condition) && !this.#isRunning)
        throw new Error(`The runner ended (${this.exitCode}) before ${JSON.stringify(condition)}.`)
      const rest = new AbortController()
      await Promise.race([
        once(this.#server.events, 'called', { signal: rest.signal }).catch(() => undefined),
        new Promise((resolve) => setTimeout(resolve, 500).unref()),
      ])
      rest.abort()
    }
  }

  #holds(condition: Condition): boolean {
    const { orders } = this.#server
    if ('exited' in condition) return !this.#isRunning
    if ('call' in condition) return (this.#counts().get(condition.call) ?? 0) >= condition.times
    if ('more' in condition)
      return (
        (this.#counts().get(condition.more) ?? 0) - (this.#counted.get(condition.more) ?? 0) >=
        condition.times
      )
    const order = orders[(condition.order ?? 1) - 1]!
    if ('logged' in condition)
      return [...order.log.values()].flat().some((line) => line.includes(condition.logged))
    return [...order.reports.values()].some(({ type }) => type === condition.reported)
  }

  #counts(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { call } of this.#server.recorded) counts.set(call, (counts.get(call) ?? 0) + 1)
    return counts
  }

  #wait(seconds: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, seconds * 1000 * this.#options.pace))
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // Dead and not yet counted by its parent, which may be slow about it.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
