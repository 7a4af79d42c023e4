import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { checkout, type NodeProcess, startNode } from '../upgrade/node-process.ts'
import type { ManualFiles } from './manual-files.ts'

const machines = ['10.0.0.11:4400', '10.0.0.12:4400']

/** Two nodes of this code, told about the database as the manual says. */
export class Nodes {
  readonly databaseUrl: string
  readonly secretKey = 'a key for tests that is long enough'
  readonly #files: ManualFiles
  readonly #folder: string
  readonly #running: NodeProcess[] = []
  readonly #former: NodeProcess[] = []

  constructor(files: ManualFiles, { folder, hasProxy }: { folder: string; hasProxy: boolean }) {
    this.#files = files
    this.#folder = folder
    const beginning = hasProxy
      ? 'DATABASE_URL=postgresql://signalbox:change-me@10.0.0.5'
      : 'DATABASE_URL=postgresql://signalbox:change-me@10.0.0.31'
    this.databaseUrl = files.block(beginning).trim().replace('DATABASE_URL=', '')
  }

  get environment(): Record<string, string> {
    return {
      ...{ DATABASE_URL: this.databaseUrl, SECRET_KEY: this.secretKey },
      DATA_DIR: path.join(this.#folder, 'data'),
    }
  }

  async start(): Promise<void> {
    for (const at of machines.keys()) this.#running[at] = await this.#start(at)
  }

  #start(at: number): Promise<NodeProcess> {
    return startNode(`app${at + 1}`, checkout, {
      ...this.environment,
      PORT: String(this.#files.port(machines[at]!)),
      TRUST_PROXY: '127.0.0.1',
      // Clients that try again ten times a second are what is measured with.
      RATE_LIMIT_PER_MINUTE: '1000000',
    })
  }

  /** Without a word of leave. Returns how another takes its place. */
  kill(at: number): () => Promise<void> {
    const node = this.#running[at]!
    node.kill()
    this.#former.push(node)
    return async () => {
      this.#running[at] = await this.#start(at)
    }
  }

  /** What they have logged as errors, each once, and how often. */
  errors(): string[] {
    const counts = new Map<string, number>()
    for (const line of [...this.#running, ...this.#former].flatMap((node) => node.errors())) {
      const { msg, err } = JSON.parse(line) as { msg?: string; err?: { message?: string } }
      const said = `${msg ?? ''} ${err?.message ?? ''}`.trim()
      counts.set(said, (counts.get(said) ?? 0) + 1)
    }
    return [...counts].map(([said, count]) => `logged as an error, ${count} times: ${said}`)
  }

  /** Leaves what they have logged beside the logs of the other programs. */
  async stop(): Promise<void> {
    for (const node of this.#running) node?.kill()
    for (const [at, { name, printed }] of [...this.#former, ...this.#running].entries())
      await writeFile(path.join(this.#folder, `${name}-${at}.log`), printed)
  }
}
