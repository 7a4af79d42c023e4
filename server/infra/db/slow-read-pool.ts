import type pg from 'pg'
import { hasBroken, isCancelled, ReadTooSlow, ReplicaBehind, refuseQueue } from './away.ts'
import { type PositionCheck, refuseBehind } from './position.ts'

export interface Query {
  name: string
  text: string
  values: unknown[]
}

/** Longer than this, no other read waits for one that shares its connection. */
export const quickMs = 500

/** Longer than this, the person who asked has given up. */
export const slowMs = 10_000

const rememberedMs = 60_000

/**
 * Reads that take long, on connections of their own: a search through everything, or any read while its table is locked.
 * Which ones those are is found out by running them, because it depends on how much a workspace holds. A statement that
 * was slow comes straight here for a minute.
 */
export class SlowReadPool {
  readonly #pool: pg.Pool
  readonly #check: PositionCheck | null
  readonly #known = new Map<string, number>()

  constructor(pool: pg.Pool, check: PositionCheck | null = null) {
    this.#pool = pool
    this.#check = check
  }

  /** One that took long elsewhere: the next ones come here at once, until one of them was quick. */
  expect(name: string): void {
    this.#known.set(name, performance.now() + rememberedMs)
  }

  isKnown(name: string): boolean {
    const until = this.#known.get(name)
    if (until === undefined) return false
    if (until > performance.now()) return true
    this.#known.delete(name)
    return false
  }

  /** Where the connection breaks, the primary is asked again; of a replica nothing is asked twice. */
  ask(query: Query, from = 0): Promise<readonly never[]> {
    if (this.#check) return this.#ask(query, from)
    return this.#ask(query, from).catch((error) => {
      if (!hasBroken(error)) throw error
      return this.#ask(query, from)
    })
  }

  async #ask(query: Query, from: number): Promise<readonly never[]> {
    const client = await this.#pool.connect().catch(refuseQueue)
    const begun = performance.now()
    try {
      if (this.#check) refuseBehind(from, this.#check.positionIn((await client.query(this.#check)).rows))
      const { rows } = await client.query(query)
      client.release()
      return rows as never[]
    } catch (error) {
      client.release(leavesConnection(error as Error) ? undefined : (error as Error))
      throw tooSlowOr(error as Error)
    } finally {
      this.#note(query.name, performance.now() - begun)
    }
  }

  /** A database that stood still for a moment makes no statement slow. */
  #note(name: string, tookMs: number): void {
    if (tookMs > quickMs) this.expect(name)
    else this.#known.delete(name)
  }
}

const leavesConnection = (error: Error) => isCancelled(error) || error instanceof ReplicaBehind

const tooSlowOr = (error: Error): Error =>
  isCancelled(error) ? new ReadTooSlow('The read took too long.', { cause: error }) : error
