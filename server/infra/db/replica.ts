import type pg from 'pg'
import { DatabaseAway, ReplicaBehind, TooSlow } from './away.ts'
import { type Position, PositionCheck } from './position.ts'
import { Reader } from './reader.ts'
import { type Query, SlowReadPool } from './slow-read-pool.ts'
import type { HealthCheckedPool } from './timeouts.ts'

/** What an operator is told about it; an error where it cannot be asked. */
export type ReplicaState =
  | { isStandby: boolean; lagSeconds: number | null; isLate: boolean }
  | { error: string }

interface ReplicaOptions {
  connect: () => pg.Client
  slowPool: HealthCheckedPool
  lines: number
  longestLagMs: number
  onClose: () => void
}

/**
 * Reads from a replica, or from several behind one address. It is a help, never a need: where it is away, behind or
 * refuses, as it does when a read is in the way of what it replays, the primary is asked.
 */
export class Replica {
  readonly longestLagMs: number
  readonly #reader: Reader
  readonly #slowPool: HealthCheckedPool
  readonly #onClose: () => void
  /** How many reads it answered, and how many the primary did because it was behind or away. */
  readonly answered = { replica: 0, behind: 0, away: 0 }

  constructor({ connect, slowPool, lines, longestLagMs, onClose }: ReplicaOptions) {
    const check = new PositionCheck({ longestLagMs })
    this.#slowPool = slowPool
    this.longestLagMs = longestLagMs
    this.#onClose = onClose
    this.#reader = new Reader({
      connect,
      check,
      fallback: { query: () => Promise.reject(new DatabaseAway('The replica is away.')) },
      slow: new SlowReadPool(slowPool, check),
      connections: lines,
    })
    // Without a listener, a connection that breaks while idle would end the process.
    slowPool.on('error', () => {})
  }

  /** Null: the primary has to answer. */
  async ask<Row>(query: Query, from: Position, isApart: boolean): Promise<readonly Row[] | null> {
    try {
      const rows = isApart
        ? await this.#askApart<Row>(query, from)
        : await this.#reader.query<Row>(query, from)
      this.answered.replica += 1
      return rows
    } catch (error) {
      // It would be no quicker on the primary.
      if (error instanceof TooSlow) throw error
      this.answered[error instanceof ReplicaBehind ? 'behind' : 'away'] += 1
      return null
    }
  }

  /** The lines notice within seconds that it is away; a new connection would be waited for. */
  async #askApart<Row>(query: Query, from: Position): Promise<readonly Row[]> {
    if (!this.#reader.isOpen()) throw new DatabaseAway('The replica is away.')
    return this.#reader.queryApart<Row>(query, from)
  }

  async state(): Promise<ReplicaState> {
    try {
      const { rows } = await this.#slowPool.query<{ isStandby: boolean; lagSeconds: number | null }>(standing)
      const { isStandby, lagSeconds } = rows[0]!
      const isLate = lagSeconds === null || lagSeconds * 1_000 > this.longestLagMs
      return { isStandby, lagSeconds, isLate }
    } catch (error) {
      return { error: (error as Error).message }
    }
  }

  async close(): Promise<void> {
    await this.#reader.close()
    await this.#slowPool.close()
    this.#onClose()
  }
}

const standing = `select pg_is_in_recovery() as "isStandby",
  greatest(extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()), 0)::float8 as "lagSeconds"`
