import type { Context } from '../../domain/context.ts'
import {
  type News,
  newsLately,
  newsOfWatched,
  newsSince,
  presentMoment,
} from '../../domain/record/audit/news.ts'

/**
 * Hears what has happened until that moment; null if it is too much to tell. `position` is how far a replica has to be to
 * show it; null: there is none.
 */
type Listener = (news: readonly News[] | null, moment: string, position: number | null) => unknown

interface Subscription {
  listeners: Set<Listener>
  /** Everything until then was reported. */
  moment: string
}

const pollMs = 400
/** For callers that wait for a person, who takes longer to answer than this. */
const patientMs = 1_200
const most = 2_000
const mostLately = 200

/**
 * Tells listeners what happens in a workspace. Every change leaves an audit entry, so the log is the feed; it is
 * asked for a few times a second while someone listens, once for all workspaces, and not at all otherwise.
 */
export class AuditFeed {
  readonly #db: Context['db']
  readonly #onError: (error: unknown) => void
  readonly #subscriptions = new Map<string, Subscription>()
  readonly #eager = new Set<Listener>()
  #lookedAt = 0
  #timer: NodeJS.Timeout | undefined
  #looking = false

  constructor(db: Context['db'], onError: (error: unknown) => void) {
    this.#db = db
    this.#onError = onError
  }

  /**
   * Returns what has happened since `after`, null if that is too much to tell, and calls `hear` from then on. Without
   * `after` it returns what a replica may not have shown yet. While all who listen are patient, it is asked less often.
   */
  async listen(workspaceId: string, after: string | null, listener: Listener, { isPatient = false } = {}) {
    const found = await this.#subscriptionOf(workspaceId)
    const since = after === null ? null : await newsSince(this.#db, workspaceId, after, most)
    const { news, position } = since ?? (await newsLately(this.#db, workspaceId, mostLately))
    // The only listener may have stopped in the meantime, and a feed without listeners is not polled.
    const subscription = this.#subscriptions.get(workspaceId) ?? found
    this.#subscriptions.set(workspaceId, subscription)
    subscription.listeners.add(listener)
    if (!isPatient) this.#eager.add(listener)
    this.#timer ??= setInterval(() => this.#look(), pollMs)
    return {
      moment: since?.now ?? subscription.moment,
      missed: since?.isKnown === false ? null : news,
      position,
      stop: () => {
        subscription.listeners.delete(listener)
        this.#eager.delete(listener)
        if (subscription.listeners.size === 0 && this.#subscriptions.get(workspaceId) === subscription)
          this.#subscriptions.delete(workspaceId)
        if (this.#subscriptions.size > 0) return
        clearInterval(this.#timer)
        this.#timer = undefined
      },
    }
  }

  async #subscriptionOf(workspaceId: string): Promise<Subscription> {
    const known = this.#subscriptions.get(workspaceId)
    if (known) return known
    const subscription = { listeners: new Set<Listener>(), moment: await presentMoment(this.#db) }
    // Two may have asked at once; the first one's subscription stays.
    const first = this.#subscriptions.get(workspaceId) ?? subscription
    this.#subscriptions.set(workspaceId, first)
    return first
  }

  async #look(): Promise<void> {
    const isEarly = this.#eager.size === 0 && performance.now() - this.#lookedAt < patientMs - pollMs / 2
    if (this.#looking || isEarly) return
    this.#looking = true
    this.#lookedAt = performance.now()
    try {
      await this.#tell([...this.#subscriptions])
    } catch (error) {
      this.#onError(error)
    } finally {
      this.#looking = false
    }
  }

  async #tell(subscriptions: [workspaceId: string, subscription: Subscription][]): Promise<void> {
    const moments = new Map(subscriptions.map(([workspaceId, { moment }]) => [workspaceId, moment]))
    const { now, position, told } = await newsOfWatched(this.#db, moments, most)
    for (const [workspaceId, subscription] of subscriptions) {
      subscription.moment = now
      const news = told.get(workspaceId)
      if (news !== undefined)
        for (const listener of [...subscription.listeners]) listener(news, now, position)
    }
  }
}
