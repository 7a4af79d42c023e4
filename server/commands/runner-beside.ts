import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'

const program = path.join(import.meta.dirname, '..', '..', 'runner', 'main.ts')

/** Of our own environment nothing but this reaches the runner: it needs no key of the server's. */
const passedOn = [
  'PATH',
  'HOME',
  'LANG',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_BASE_URL',
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'GEMINI_API_KEY',
  'GOOGLE_GEMINI_BASE_URL',
  'MODEL_PRICES',
  'NODE_EXTRA_CA_CERTS',
]

/** A runner on the same machine, over the same protocol as any other. It goes when the server does. */
export class RunnerBeside {
  readonly #child: ChildProcess

  constructor(options: { token: string; args: string[]; say: (line: string) => void }) {
    const { token, args, say } = options
    this.#child = spawn(process.execPath, [program, ...args], {
      env: {
        ...Object.fromEntries(passedOn.map((name) => [name, process.env[name]])),
        SERVICE_API_KEY: token,
        SIGNALBOX_RUNNER_PARENT: String(process.pid),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let last = ''
    this.#child.stderr!.setEncoding('utf8').on('data', (said: string) => {
      last = said.trim() || last
    })
    this.#child.on('exit', (code) => {
      if (code) say(`The runner on this machine has ended. ${last}`)
    })
  }

  /** Nobody waits for its work: it hands it back. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    this.#child.kill('SIGINT')
    await ended
  }
}
