import type { Clock } from '../../../infra/clock.ts'
import type { Db } from '../../../infra/db/db.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { upsertRefusalsOfAllWorkspaces } from './store.ts'

const mostKept = 1_000

/**
 * Counts what the intake refuses, by source and reason, so that the person setting up a source sees why nothing
 * arrives.
 */
export class Refusals {
  readonly #db: Db
  readonly #clock: Clock
  #counts = new Map<string, { sourceId: string; reason: string; count: number; lastAt: Date }>()

  constructor(options: { db: Db; clock: Clock }) {
    this.#db = options.db
    this.#clock = options.clock
  }

  /** Refusing must stay cheap, so it is counted here and written now and then. */
  note(sourceId: string, reason: string): void {
    const name = `${sourceId} ${reason}`
    const known = this.#counts.get(name)
    if (!known && this.#counts.size >= mostKept) return
    this.#counts.set(name, {
      sourceId,
      reason,
      count: (known?.count ?? 0) + 1,
      lastAt: this.#clock.now(),
    })
  }

  async write(): Promise<void> {
    if (this.#counts.size === 0) return
    const counts = [...this.#counts.values()]
    this.#counts = new Map()
    await housekeeping(this.#db, 'count refused deliveries', (tx) =>
      upsertRefusalsOfAllWorkspaces(tx, counts),
    )
  }
}
