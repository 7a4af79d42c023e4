import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'

/** In the package it is one file. */
const program = ['main.ts', 'dist/signalbox-runner.mjs']
  .map((name) => path.join(import.meta.dirname, '..', '..', 'runner', name))
  .find(existsSync)

/** Of our own environment nothing but this reaches the runner: it needs no key of the server's. */
const passedOn = ['PATH', 'HOME', 'LANG', 'NODE_EXTRA_CA_CERTS']

/** And these, where real agents are to work. */
const modelAccess = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_API_KEY_FILE',
  'ANTHROPIC_BASE_URL',
  'OPENAI_API_KEY',
  'OPENAI_API_KEY_FILE',
  'OPENAI_BASE_URL',
  'GEMINI_API_KEY',
  'GEMINI_API_KEY_FILE',
  'GOOGLE_GEMINI_BASE_URL',
  'MODEL_PRICES',
]

/** A runner on the same machine, over the same protocol as any other. It goes when the server does. */
export class RunnerBeside {
  readonly #child: ChildProcess

  /** What it said last before it ended; null: it goes on. */
  ended: string | null = null

  constructor(options: {
    token: string
    args: string[]
    say: (line: string) => void
    /** A runner with scripted agents alone needs no key of a model's. */
    withModels?: boolean
  }) {
    const { token, args, say, withModels = true } = options
    const names = [...passedOn, ...(withModels ? modelAccess : [])]
    this.#child = spawn(process.execPath, [program!, ...args], {
      env: {
        ...Object.fromEntries(names.map((name) => [name, process.env[name]])),
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
      this.ended = last.split('\n').at(-1) || `It ended with ${code}.`
      if (code) say(`The runner on this machine has ended. ${last}`)
    })
  }

  /** It returns its work instead of finishing it. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    this.#child.kill('SIGINT')
    await ended
  }
}
