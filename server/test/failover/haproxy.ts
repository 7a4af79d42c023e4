import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { until } from '../until.ts'
import type { ManualFiles } from './manual-files.ts'
import { Program } from './program.ts'

/** haproxy before the databases and before the nodes. It says what it sees, and when. */
export class Haproxy {
  readonly url: string
  readonly #files: ManualFiles
  readonly #folder: string
  readonly #seen: { at: number; server: string }[] = []
  #program: Program | null = null

  constructor(files: ManualFiles, folder: string) {
    this.#files = files
    this.#folder = folder
    this.url = `http://127.0.0.1:${files.port('10.0.0.5:4400')}`
  }

  async start(): Promise<void> {
    const config = path.join(this.#folder, 'haproxy.cfg')
    await writeFile(config, this.#files.block('# /etc/haproxy/haproxy.cfg'))
    this.#program = Program.start('haproxy', ['haproxy', '-db', '-f', config], {
      log: path.join(this.#folder, 'haproxy.log'),
      onLine: (line) => {
        const [, server] = /Server (\S+) is UP/.exec(line) ?? []
        if (server) this.#seen.push({ at: performance.now(), server })
      },
    })
    await until('haproxy listens', async () => {
      if (this.#program!.hasEnded) throw new Error(`haproxy has ended; its log is in ${this.#folder}.`)
      return fetch(this.url).then(
        () => true,
        () => false,
      )
    })
  }

  /** When it saw that a database is the primary. */
  sawPrimary(name: string, after: number): number | undefined {
    return this.#seen.find(({ at, server }) => at > after && server === `database/${name}`)?.at
  }

  async stop(): Promise<void> {
    await this.#program?.stop()
  }
}
