import type { Clock } from '../../../infra/clock.ts'
import type { Db } from '../../../infra/db/db.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { noteSignsOfAllWorkspaces, type Sign } from './store.ts'

/** Gathers when runners were last seen, and writes it in one statement for all of them. */
export class LastSeen {
  readonly #db: Db
  readonly #clock: Clock
  #signs = new Map<number, Sign>()

  constructor(options: { db: Db; clock: Clock }) {
    this.#db = options.db
    this.#clock = options.clock
  }

  note(session: number, said: Omit<Sign, 'session' | 'at'> = {}): void {
    this.#signs.set(session, { ...this.#signs.get(session), ...said, session, at: this.#clock.now() })
  }

  async write(): Promise<void> {
    if (this.#signs.size === 0) return
    const signs = [...this.#signs.values()]
    this.#signs = new Map()
    await housekeeping(this.#db, 'runners were seen', (tx) => noteSignsOfAllWorkspaces(tx, signs))
  }
}
