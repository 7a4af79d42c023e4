import type { Context } from '../../context.ts'
import { housekeeping } from '../audit/change.ts'
import { renewLease } from './store.ts'

const leaseSeconds = 30
const renewSeconds = 10

/** Calls `beat` again and again, until what it returns is called. Time is handed in, so that a test can be it. */
export type Every = (seconds: number, beat: () => Promise<void>) => () => void

const byTimer: Every = (seconds, beat) => {
  const timer = setInterval(() => void beat(), seconds * 1000).unref()
  return () => clearInterval(timer)
}

export const leaseEndFrom = (at: Date) => new Date(at.getTime() + leaseSeconds * 1000)

/**
 * A node's lease of an effect. It ends at a set time, which is renewed while the node works; if the node dies, the
 * effect is due again then. The time also identifies the lease: the next node sets another, so the previous one can tell
 * that the effect is no longer its own.
 */
export class EffectLease {
  readonly #ctx: Pick<Context, 'db' | 'clock' | 'workspaceId'>
  readonly #id: string
  readonly #stop: () => void
  #until: Date
  #turn = Promise.resolve()

  constructor(
    ctx: Pick<Context, 'db' | 'clock' | 'workspaceId'>,
    id: string,
    until: Date,
    every: Every = byTimer,
  ) {
    this.#ctx = ctx
    this.#id = id
    this.#until = until
    this.#stop = every(renewSeconds, () => {
      this.#turn = this.#turn.then(() => this.#renew())
      return this.#turn
    })
  }

  /** Renews it no more. What is written about the effect names the time that this returns. */
  async end(): Promise<Date> {
    this.#stop()
    await this.#turn
    return this.#until
  }

  async #renew(): Promise<void> {
    const { db, clock, workspaceId } = this.#ctx
    const until = leaseEndFrom(clock.now())
    try {
      const isRenewed = await housekeeping(db, 'renew the lease of an effect', (tx) =>
        renewLease(tx, workspaceId, this.#id, this.#until, until),
      )
      if (isRenewed) this.#until = until
    } catch {
      // The next renewal may succeed. If the lease ends first, writing the outcome will find out.
    }
  }
}
