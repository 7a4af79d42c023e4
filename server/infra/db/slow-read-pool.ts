import type pg from 'pg'
import { TooSlow } from './away.ts'

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
 * was slow even here comes straight here for a minute.
 */
export class SlowReadPool {
  readonly #pool: pg.Pool
  readonly #known = new Map<string, number>()

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  isKnown(name: string): boolean {
    const until = this.#known.get(name)
    if (until === undefined) return false
    if (until > performance.now()) return true
    this.#known.delete(name)
    return false
  }

  async ask(query: Query): Promise<readonly never[]> {
    const client = await this.#pool.connect().catch(refuseQueue)
    const begun = performance.now()
    try {
      const { rows } = await client.query(query)
      client.release()
      return rows as never[]
    } catch (error) {
      client.release(isCancelled(error as Error) ? undefined : (error as Error))
      throw tooSlowOr(error as Error)
    } finally {
      this.#note(query.name, performance.now() - begun)
    }
  }

  /** A database that stood still for a moment makes no statement slow. */
  #note(name: string, tookMs: number): void {
    if (tookMs > quickMs) this.#known.set(name, performance.now() + rememberedMs)
    else this.#known.delete(name)
  }
}

/** All of them are taken by reads that take as long. */
function refuseQueue(error: Error): never {
  if (!error.message.startsWith('timeout exceeded')) throw error
  throw new TooSlow('Other slow reads came first.', { cause: error })
}

/** PostgreSQL ended the statement because its time was over. */
export const isCancelled = ({ code }: Error & { code?: string }): boolean => code === '57014'

export const tooSlowOr = (error: Error): Error =>
  isCancelled(error) ? new TooSlow('The read took too long.', { cause: error }) : error
