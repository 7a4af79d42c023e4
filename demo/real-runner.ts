import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..')
const script = path.join(import.meta.dirname, 'halden-parcels', 'labels', 'script.json')

/** Keys that the runner hands to its gateway, never to an agent. */
const modelKeys = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY']

/** A real runner beside the demo's server, over the same protocol as any other; its agent follows a script. */
export class RealRunner {
  readonly #child: ChildProcess

  constructor(options: {
    url: string
    token: string
    data: string
    repositories: string
    say: (line: string) => void
  }) {
    const { url, token, data, repositories, say } = options
    this.#child = spawn(
      process.execPath,
      [
        path.join(root, 'runner', 'main.ts'),
        ...['--url', url, '--name', 'Demo runner', '--data', data],
        ...['--agents', `scripted=${script}`, '--git-folders', repositories],
      ],
      {
        env: {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          SERVICE_API_KEY: token,
          SIGNALBOX_RUNNER_PARENT: String(process.pid),
          ...Object.fromEntries(
            modelKeys.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
          ),
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    )
    let last = ''
    this.#child.stderr!.setEncoding('utf8').on('data', (said: string) => {
      last = said.trim() || last
    })
    this.#child.on('exit', (code) => {
      if (code) say(`The demo’s runner has ended. ${last}`)
    })
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    // Twice: nobody waits for its work.
    this.#child.kill('SIGTERM')
    this.#child.kill('SIGINT')
    await ended
  }
}
