import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { agentCommand } from './turn.ts'
import type { World } from './world.ts'

/** The runner under test. */
export class RunnerProcess {
  readonly #start: () => ChildProcess
  #child: ChildProcess | null = null
  output = ''

  /** `runner` is a command line; where the server and everything else is comes behind it. */
  constructor(runner: string, world: World, { url, pace }: { url: () => string; pace: number }) {
    this.#start = () => {
      const options = [
        ...['--url', url(), '--data', world.data, '--slots', '1'],
        ...['--git-folders', `${world.folder}/git`, '--agents', `command=${agentCommand}`],
      ]
      const line = `exec ${runner} ${options.map((word) => `'${word}'`).join(' ')}`
      return spawn('sh', ['-c', line], {
        cwd: world.folder,
        env: { ...world.environment, SIGNALBOX_RUNNER_PACE: `${pace}` },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    }
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  get isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null
  }

  start(): void {
    const child = this.#start()
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (text) => {
        this.output = `${this.output}${text}`.slice(-20_000)
      })
    this.#child = child
  }

  async kill(): Promise<void> {
    if (!this.isRunning) return
    const gone = once(this.#child!, 'exit')
    this.#child!.kill('SIGKILL')
    await gone
  }

  /** Asks it to leave; false: it did not, within the time, and was killed. */
  async leave(patienceMs: number): Promise<boolean> {
    if (!this.isRunning) return false
    const gone = once(this.#child!, 'exit').then(() => true)
    this.#child!.kill('SIGTERM')
    const late = new Promise<false>((resolve) => setTimeout(() => resolve(false), patienceMs).unref())
    const left = await Promise.race([gone, late])
    if (!left) await this.kill()
    return left
  }
}
