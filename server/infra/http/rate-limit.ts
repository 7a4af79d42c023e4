import type pg from 'pg'
import { queryPool } from '../db/query-pool.ts'
import { statement } from '../db/statement.ts'
import type * as Sql from './rate-limit.types.ts'

/** What the three headers say: how much of the window's quota is left, and when it is full again. */
export interface Quota {
  limit: number
  remaining: number
  /** Unix seconds, the same for the whole window unless the clock is set within it. */
  resetsAt: number
  /** Until then. */
  seconds: number
  refused: boolean
}

interface Window {
  used: number
  /** How many of them are in the table already: company may go and come again. */
  told: number
  endsAtMs: number
  resetsAt: number
}

interface LimiterOptions {
  limit: number
  pool: pg.Pool
  now?: () => number
  timeOfDay?: () => number
  /** How long the table is waited for. */
  longestMs?: number
}

const countSql = statement<Sql.Count>(`
  insert into rate_windows as w (token_id, used, ends_at)
  values (:id, :requests, clock_timestamp() + interval '1 minute')
  on conflict (token_id) do update set
    used = case when w.ends_at <= clock_timestamp() then excluded.used else w.used + excluded.used end,
    -- Never later than that, should the database's clock be set back.
    ends_at = case when w.ends_at <= clock_timestamp() then excluded.ends_at else least(w.ends_at, excluded.ends_at) end
  returning used, (extract(epoch from ends_at - clock_timestamp()) * 1000)::float8 as "leftMs!"`)

const tellSql = statement<Sql.Tell>(`
  with here as (
    select * from unnest(:ids::uuid[], :used::int[], :leftMs::float8[], :added::int[]) as h (id, used, left_ms, added)
  )
  insert into rate_windows as w (token_id, used, ends_at)
  select id, used, clock_timestamp() + left_ms * interval '1 millisecond' from here
  on conflict (token_id) do update set
    used = case when w.ends_at <= clock_timestamp() then excluded.used
      else least(w.used + (select added from here where id = w.token_id), :most::int) end,
    ends_at = case when w.ends_at <= clock_timestamp() then excluded.ends_at else w.ends_at end`)

const selectOpenSql = statement<Sql.SelectOpen>(`
  select token_id as id, used, (extract(epoch from ends_at - clock_timestamp()) * 1000)::float8 as "leftMs!"
  from rate_windows where ends_at > clock_timestamp()`)

const deleteClosedSql = statement<Sql.DeleteClosed>(
  `delete from rate_windows where ends_at < clock_timestamp() - interval '1 minute'`,
)

const windowMs = 60_000
/** No request waits longer to be counted. */
const longestMs = 2_000

/**
 * Fixed windows, opened by the first request: the limit-th request passes, the next is refused, and at the reset the
 * whole quota is back. One node counts in memory. While several are alive they count in one table, so that the limit is
 * that of all of them together; a node that has seen the limit refuses without asking until the window ends. A window
 * is measured by a monotonic clock; the time of day only says when it ends.
 */
export class RateLimiter {
  readonly #limit: number
  readonly #pool: pg.Pool
  readonly #now: () => number
  readonly #timeOfDay: () => number
  readonly #windows = new Map<string, Window>()
  /** By token, who waits to be counted with the other nodes. */
  readonly #lines = new Map<string, ((quota: Quota) => void)[]>()
  readonly #longestMs: number
  #shared = false
  /** Statements that have not been answered in time, and not ended either. */
  #late = 0

  constructor(options: LimiterOptions) {
    this.#limit = options.limit
    this.#longestMs = options.longestMs ?? longestMs
    this.#pool = options.pool
    this.#now = options.now ?? (() => performance.now())
    this.#timeOfDay = options.timeOfDay ?? Date.now
  }

  /** Counts one request, with the other nodes if there are any. */
  take(id: string): Quota | Promise<Quota> {
    if (!this.#shared || this.#late > 0) return this.count(id)
    const window = this.#open(id)
    return window && window.used > this.#limit ? this.#quota(window) : this.#takeShared(id)
  }

  /** Counts one request on this node alone. */
  count(id: string): Quota {
    const open = this.#open(id)
    const window = open ?? this.#window(0, windowMs)
    // Refused requests are not counted again: the count stays one above the limit.
    window.used = Math.min(window.used + 1, this.#limit + 1)
    if (!open) this.#windows.set(id, window)
    return this.#quota(window)
  }

  /** What a request would find, without counting one. */
  peek(id: string): Quota {
    return this.#quota(this.#open(id) ?? this.#window(0, windowMs))
  }

  #open(id: string): Window | undefined {
    const window = this.#windows.get(id)
    return window && window.endsAtMs > this.#now() ? window : undefined
  }

  /** Requests that come while the table is asked for their token are counted together, by the next statement. */
  #takeShared(id: string): Promise<Quota> {
    const { promise, resolve } = Promise.withResolvers<Quota>()
    const line = this.#lines.get(id)
    if (line) line.push(resolve)
    else {
      this.#lines.set(id, [resolve])
      setImmediate(() => this.#countLine(id))
    }
    return promise
  }

  async #countLine(id: string): Promise<void> {
    for (let line = this.#lines.get(id)!; line.length > 0; line = this.#lines.get(id)!) {
      this.#lines.set(id, [])
      const quotas = await this.#countShared(id, line.length)
      for (const [place, resolve] of line.entries()) resolve(quotas[place]!)
    }
    this.#lines.delete(id)
  }

  /**
   * What each of so many requests finds, in their order. Answering comes before counting: without the table, or while
   * it says nothing, each node holds the limit on its own.
   */
  async #countShared(id: string, requests: number): Promise<Quota[]> {
    const here = () => Array.from({ length: requests }, () => this.count(id))
    if (this.#late > 0) return here()
    const { promise: isLate, resolve } = Promise.withResolvers<null>()
    const timer = setTimeout(() => resolve(null), this.#longestMs)
    const counted = this.#countInTable(id, requests).catch(() => null)
    const quotas = await Promise.race([counted.finally(() => clearTimeout(timer)), isLate])
    if (quotas) return quotas
    this.#late += 1
    void counted.then(() => {
      this.#late -= 1
    })
    return here()
  }

  async #countInTable(id: string, requests: number): Promise<Quota[]> {
    const each = Array.from({ length: requests }, (_, place) => place + 1 - requests)
    const [counted] = await queryPool(this.#pool, countSql, { id, requests })
    const { used, leftMs } = counted!
    const window = this.#window(used, leftMs, used)
    this.#windows.set(id, window)
    return each.map((before) => this.#quota({ ...window, used: window.used + before }))
  }

  #window(used: number, leftMs: number, told = 0): Window {
    return {
      used,
      told,
      endsAtMs: this.#now() + leftMs,
      resetsAt: Math.ceil((this.#timeOfDay() + leftMs) / 1000),
    }
  }

  #quota(window: Window): Quota {
    const leftMs = Math.max(0, window.endsAtMs - this.#now())
    const resetsAt = Math.ceil((this.#timeOfDay() + leftMs) / 1000)
    // A second is how far the two clocks may differ by rounding.
    if (Math.abs(resetsAt - window.resetsAt) > 1) window.resetsAt = resetsAt
    return {
      limit: this.#limit,
      remaining: Math.max(0, this.#limit - window.used),
      resetsAt: window.resetsAt,
      seconds: Math.max(1, Math.ceil(leftMs / 1000)),
      refused: window.used > this.#limit,
    }
  }

  /** Moves the counts into the table when company arrives, and back when it has gone. */
  async share(company: boolean): Promise<void> {
    const now = this.#now()
    if (company) {
      this.#shared = true
      const open = [...this.#windows].filter(([, window]) => window.endsAtMs > now)
      const told = open.map(([, window]) => ({ window, used: window.used }))
      await queryPool(this.#pool, tellSql, {
        ids: open.map(([id]) => id),
        used: open.map(([, w]) => w.used),
        leftMs: open.map(([, w]) => w.endsAtMs - now),
        added: open.map(([, w]) => Math.max(0, w.used - w.told)),
        most: this.#limit + 1,
      })
      for (const { window, used } of told) window.told = used
      return
    }
    const rows = await queryPool(this.#pool, selectOpenSql, {})
    this.#shared = false
    for (const { id, used, leftMs } of rows) this.#windows.set(id, this.#window(used, leftMs, used))
  }

  /** Forgets closed windows. */
  async sweep(): Promise<void> {
    const now = this.#now()
    for (const [id, window] of this.#windows) if (window.endsAtMs <= now) this.#windows.delete(id)
    if (this.#shared) await queryPool(this.#pool, deleteClosedSql, {})
  }
}
