import type { Node } from '../../../infra/cluster.ts'
import type { Db } from '../../../infra/db/db.ts'
import type { Secrets } from '../../../infra/secrets.ts'
import type { KnownSource } from '../signals/known-source.ts'
import { secretRow } from './secret-row.ts'
import { type IntakeSource, selectByToken } from './store.ts'

const mostRemembered = 10_000

/**
 * Finds the source behind an address. Answers from memory while this node's lease is fresh, so that a storm of
 * deliveries, or of refused ones, asks the database nothing.
 */
export class Sources {
  readonly #db: Db
  readonly #secrets: Pick<Secrets, 'decrypt'>
  readonly #node: () => Pick<Node, 'isFresh' | 'generation'>
  readonly #known = new Map<string, KnownSource | null>()

  constructor(options: {
    db: Db
    secrets: Pick<Secrets, 'decrypt'>
    node: () => Pick<Node, 'isFresh' | 'generation'>
  }) {
    this.#db = options.db
    this.#secrets = options.secrets
    this.#node = options.node
  }

  /** Null when no source has this address. */
  find(token: string): KnownSource | null | Promise<KnownSource | null> {
    if (!/^[\w-]{22,64}$/.test(token)) return null
    const known = this.remembered(token)
    return known === undefined ? this.#lookUp(token) : known
  }

  /** The same out of memory alone; undefined where the database would have to be asked. */
  remembered(token: string): KnownSource | null | undefined {
    return this.#node().isFresh() ? this.#known.get(token) : undefined
  }

  forget(): void {
    this.#known.clear()
  }

  async #lookUp(token: string): Promise<KnownSource | null> {
    const before = this.#node().generation()
    const row = await selectByToken(this.#db, token)
    const source = row ? this.#open(row) : null
    // What was read before an invalidation must not be remembered after it.
    if (this.#node().generation() === before) {
      if (this.#known.size >= mostRemembered) this.#known.clear()
      this.#known.set(token, source)
    }
    return source
  }

  #open(row: IntakeSource): KnownSource {
    const opened = (bytes: Buffer) => this.#secrets.decrypt(bytes, secretRow(row.id))
    const current = row.secret ? [opened(row.secret)] : []
    const former = row.formerSecret ? opened(row.formerSecret) : null
    return {
      id: row.id,
      workspaceId: row.workspaceId,
      kind: row.kind,
      name: row.name,
      paused: row.paused,
      proof: (now) => ({
        secrets: former && row.formerUntil && row.formerUntil > now ? [...current, former] : current,
        settings: row.settings,
      }),
    }
  }
}
