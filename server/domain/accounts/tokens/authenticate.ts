import type { Clock } from '../../../infra/clock.ts'
import type { Node } from '../../../infra/cluster.ts'
import type { Db } from '../../../infra/db/db.ts'
import { DomainError } from '../../errors.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { findHolderByDigest, noteUsesOfAllWorkspaces, type TokenHolder } from './store.ts'
import { digestOf, isTokenShaped } from './value.ts'

export type { TokenHolder } from './store.ts'

const mostRemembered = 50_000

/**
 * Finds the holder of a token. Answers from memory while this node's lease is fresh (infra/cluster.ts) and from the
 * database otherwise: slow rather than stale.
 */
export class Authenticator {
  readonly #db: Db
  readonly #clock: Clock
  readonly #node: () => Pick<Node, 'isFresh' | 'generation'>
  readonly #holders = new Map<string, TokenHolder>()
  #uses = new Map<string, Date>()

  constructor(options: { db: Db; clock: Clock; node: () => Pick<Node, 'isFresh' | 'generation'> }) {
    this.#db = options.db
    this.#clock = options.clock
    this.#node = options.node
  }

  /** The holder of a living token; throws what a 401 says otherwise. */
  authenticate(token: string): TokenHolder | Promise<TokenHolder> {
    if (!isTokenShaped(token)) throw unknownToken()
    const digest = digestOf(token)
    const remembered = this.#node().isFresh() ? this.#holders.get(digest) : undefined
    return remembered ? this.#admit(remembered) : this.#lookUp(digest)
  }

  async #lookUp(digest: string): Promise<TokenHolder> {
    const before = this.#node().generation()
    const holder = await findHolderByDigest(this.#db, digest)
    if (!holder) throw unknownToken()
    // What was read before an invalidation must not be remembered after it.
    if (this.#node().generation() === before) {
      if (this.#holders.size >= mostRemembered) this.#holders.clear()
      this.#holders.set(digest, holder)
    }
    return this.#admit(holder)
  }

  #admit(holder: TokenHolder): TokenHolder {
    const now = this.#clock.now()
    if (holder.expiresAt <= now) {
      throw new DomainError(
        'token_expired',
        `The token expired on ${holder.expiresAt.toISOString()}. Create a new one under Settings, API.`,
      )
    }
    this.#uses.set(holder.tokenId, now)
    return holder
  }

  forget(): void {
    this.#holders.clear()
  }

  /** Writes the times of last use, gathered since the last call, in one statement. */
  async noteUses(): Promise<void> {
    if (this.#uses.size === 0) return
    const uses = this.#uses
    this.#uses = new Map()
    try {
      await housekeeping(this.#db, 'token last used', (tx) => noteUsesOfAllWorkspaces(tx, uses))
    } catch (error) {
      // For the next time, with what has come since.
      this.#uses = new Map([...uses, ...this.#uses])
      throw error
    }
  }
}

// One sentence for every reason, so that a guess learns nothing.
const unknownToken = () =>
  new DomainError(
    'invalid_token',
    'The token is not valid: it is unknown, was revoked, or its owner left the workspace.',
  )
