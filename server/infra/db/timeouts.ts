import type { Socket } from 'node:net'
import pg from 'pg'
import { hasBroken } from './away.ts'
import { endQuietly } from './end-quietly.ts'

/**
 * A network that drops packets says nothing: a caller waits for its answer until the operating system gives up, which
 * takes a quarter of an hour. So every wait has an end, and a connection that was silent for longer is broken off.
 */

/** A question without any work in it is answered within that time, or not at all. */
const answerMs = 2_000
/** A connection that answered a moment ago is not checked again. */
const trustedMs = 1_000

/** How connections are made: none waits forever, and the operating system asks after those that are silent. */
export const patience = {
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
} satisfies pg.ClientConfig

export const streamOf = (client: pg.ClientBase): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream

/** Pending queries on it fail immediately. */
export function breakOff(client: pg.ClientBase): void {
  streamOf(client).destroy(new Error('Connection terminated: the database does not answer'))
}

/**
 * Where this process itself stood still, a time is over before what arrived in that time has been read: that is done
 * first, or the database would be taken for silent.
 */
export const afterArrivals = (check: () => void): NodeJS.Immediate => setImmediate(check)

/** Checks whether an idle connection still works; closes it if not. */
export async function isAnswering(client: pg.ClientBase): Promise<boolean> {
  let isWaiting = true
  const timer = setTimeout(() => afterArrivals(() => isWaiting && breakOff(client)), answerMs)
  try {
    await client.query('select')
    return true
  } catch {
    return false
  } finally {
    isWaiting = false
    clearTimeout(timer)
  }
}

type Borrow = (error: Error | undefined, client?: pg.PoolClient, release?: pg.PoolClient['release']) => void

/** A pool that hands out connections that answer. */
export class HealthCheckedPool extends pg.Pool {
  readonly #heardAt = new WeakMap<pg.ClientBase, number>()
  readonly #open = new Set<pg.ClientBase>()
  /** When one broke last: others that were idle then may have broken with it. */
  #brokenAt = 0
  /** Tells those who wait for a connection that none is to be had. */
  readonly #waiting = new Set<(error: Error) => void>()
  readonly #heard: () => number

  /** `heard` changes with everything that the database says to anyone. */
  constructor(config: pg.PoolConfig, heard: () => number = () => 0) {
    super(config)
    this.#heard = heard
    this.on('connect', (client) => {
      this.#heardAt.set(client, performance.now())
      this.#open.add(client)
      client.once('end', () => this.#open.delete(client))
    })
    this.on('release', (error, client) => {
      if (hasBroken(error)) this.#brokenAt = performance.now()
      this.#heardAt.set(client, performance.now())
    })
  }

  /** Connections that do not take leave of us are left. */
  async close(): Promise<void> {
    await endQuietly(this)
    for (const client of this.#open) breakOff(client)
  }

  override connect(): Promise<pg.PoolClient>
  override connect(borrow: Borrow): void
  // biome-ignore lint/suspicious/noConfusingVoidType: pg declares the two overloads so
  override connect(borrow?: Borrow): Promise<pg.PoolClient> | void {
    const borrowed = this.#borrow()
    if (!borrow) return borrowed
    borrowed.then((client) => borrow(undefined, client, client.release), borrow)
  }

  async #borrow(): Promise<pg.PoolClient> {
    const begun = performance.now()
    for (let silent = 0; ; silent += 1) {
      const client = await this.#obtain()
      const heardAt = this.#heardAt.get(client) ?? 0
      if (heardAt > Math.max(performance.now() - trustedMs, this.#brokenAt)) return client
      // Where one was silent, those that answered no later than it are not worth the wait.
      if ((silent === 0 || heardAt > begun) && (await isAnswering(client))) return client
      breakOff(client)
      client.release(true)
    }
  }

  /**
   * One that is free, or a new one. A database that is overworked may be late with that, and then it is waited for;
   * where it answers no connection in the meantime it is out of reach, and all waiting callers are told so: each
   * attempt of theirs would take as long as this one.
   */
  async #obtain(): Promise<pg.PoolClient> {
    for (;;) {
      const heard = this.#heard()
      try {
        return await this.#connectUnlessTold()
      } catch (error) {
        if (!isLate(error as Error)) throw error
        if (this.#heard() === heard) {
          for (const { callback } of waitingIn(this).splice(0)) callback(error as Error)
          for (const tell of this.#waiting) tell(error as Error)
          throw error
        }
      }
    }
  }

  /** An attempt that fails is followed by that of the next in line, before the error is reported. */
  async #connectUnlessTold(): Promise<pg.PoolClient> {
    const { promise, reject } = Promise.withResolvers<never>()
    this.#waiting.add(reject)
    const connecting = super.connect()
    try {
      return await Promise.race([connecting, promise])
    } catch (error) {
      // Should it still come, it is not needed.
      connecting.then(
        (client) => client.release(),
        () => {},
      )
      throw error
    } finally {
      this.#waiting.delete(reject)
    }
  }
}

/** A connection could not be made in time; not that none became free. */
const isLate = ({ message }: Error) => /^timeout expired|due to connection timeout/.test(message)

const waitingIn = (pool: pg.Pool) =>
  (pool as unknown as { _pendingQueue: { callback(error: Error): void }[] })._pendingQueue
