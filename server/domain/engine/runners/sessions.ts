import type { Node } from '../../../infra/cluster.ts'
import type { Db } from '../../../infra/db/db.ts'
import { type KnownSession, selectBySession } from './store.ts'

export type { KnownSession } from './store.ts'

const mostRemembered = 10_000

/**
 * Finds the runner that speaks under a session's number. Answers from memory while this node's lease is fresh, so that
 * hundreds of runners that wait for work ask the database nothing.
 */
export class Sessions {
  readonly #db: Db
  readonly #node: () => Pick<Node, 'isFresh' | 'generation'>
  readonly #known = new Map<number, KnownSession>()

  constructor(options: { db: Db; node: () => Pick<Node, 'isFresh' | 'generation'> }) {
    this.#db = options.db
    this.#node = options.node
  }

  /** Null: the session is over, or there never was one. */
  find(session: number): KnownSession | null | Promise<KnownSession | null> {
    const known = this.#node().isFresh() ? this.#known.get(session) : undefined
    return known ?? this.#lookUp(session)
  }

  forget(session?: number): void {
    if (session === undefined) this.#known.clear()
    else this.#known.delete(session)
  }

  async #lookUp(session: number): Promise<KnownSession | null> {
    const before = this.#node().generation()
    const found = await selectBySession(this.#db, session)
    if (!found) return null
    // What was read before an invalidation must not be remembered after it.
    if (this.#node().generation() === before) {
      if (this.#known.size >= mostRemembered) this.#known.clear()
      this.#known.set(session, found)
    }
    return found
  }
}
