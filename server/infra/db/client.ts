import pg from 'pg'
import { DatabaseAway } from './away.ts'
import { endQuietly } from './end-quietly.ts'
import { eachHost } from './hosts.ts'
import { type Primary, primaryOf, refuseStandby, Standby } from './primary.ts'
import { streamOf } from './timeouts.ts'

/** A connection to the database, which may be on one of several hosts: then to the one that is the primary by now. */
export class DatabaseClient extends pg.Client {
  readonly #primary: Primary | null

  constructor(config: pg.ClientConfig = {}) {
    const { connectionString } = config
    const hosts = connectionString ? eachHost(connectionString) : []
    super(hosts.length > 1 ? { ...config, connectionString: hosts[0]! } : config)
    this.#primary = hosts.length > 1 ? primaryOf(connectionString!, hosts) : null
    if (this.#primary) this.on('error', () => this.#primary!.forget())
  }

  override connect(): Promise<this>
  override connect(connected: (error: Error) => void): void
  // biome-ignore lint/suspicious/noConfusingVoidType: pg declares the two overloads so
  override connect(connected?: (error: Error) => void): Promise<this> | void {
    const connecting = this.#connect()
    if (!connected) return connecting
    connecting.then(() => connected(undefined as unknown as Error), connected)
  }

  async #connect(): Promise<this> {
    if (!this.#primary) return (await super.connect()) as unknown as this
    try {
      Object.assign(this, await this.#unlessBrokenOff(this.#primary.find()))
      await super.connect()
      // It may have become one since it was asked.
      await refuseStandby(this)
      return this
    } catch (error) {
      this.#primary.forget()
      void endQuietly(this)
      throw error instanceof Standby ? new DatabaseAway(error.message, { cause: error }) : error
    }
  }

  /** The library listens to its socket from connecting on: until then, one that is broken off would end the process. */
  async #unlessBrokenOff<T>(finding: Promise<T>): Promise<T> {
    const stream = streamOf(this)
    const { promise, reject } = Promise.withResolvers<never>()
    const onClose = () => reject(new Error('Connection terminated while the primary was looked for'))
    stream.once('error', reject).once('close', onClose)
    try {
      return await Promise.race([finding, promise])
    } finally {
      stream.off('error', reject).off('close', onClose)
    }
  }
}
