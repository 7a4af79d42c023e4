import type { Context } from '../../domain/context.ts'
import { type News, newsOfWatched, newsSince, presentMoment } from '../../domain/record/audit/news.ts'

/** Hears what has happened until that moment; null if it is too much to tell. */
type Hear = (news: readonly News[] | null, moment: string) => unknown

interface Subscription {
  listeners: Set<Hear>
  /** Everything until then was told of. */
  moment: string
}

const pollMs = 400
/** For callers that wait for a person, who takes longer to answer than this. */
const patientMs = 1_200
const most = 2_000

/**
 * Tells listeners what happens in a workspace. Every change leaves an audit entry, so the log is the feed; it is
 * asked for a few times a second while someone listens, once for all workspaces, and not at all otherwise.
 */
export class AuditFeed {
  readonly #db: Context['db']
  readonly #onError: (error: unknown) => void
  readonly #desks = new Map<string, Subscription>()
  readonly #eager = new Set<Hear>()
  #lookedAt = 0
  #timer: NodeJS.Timeout | undefined
  #looking = false

  constructor(db: Context['db'], onError: (error: unknown) => void) {
    this.#db = db
    this.#onError = onError
  }

  /**
   * Returns what has happened since `after`, null if that is too much to tell, and calls `hear` from then on. While all
   * who listen are patient, it is asked less often.
   */
  async listen(workspaceId: string, after: string | null, hear: Hear, { isPatient = false } = {}) {
    const found = await this.#deskOf(workspaceId)
    const missed = after === null ? null : await newsSince(this.#db, workspaceId, after, most)
    // The only listener may have stopped in the meantime, and a feed without listeners is not polled.
    const desk = this.#desks.get(workspaceId) ?? found
    this.#desks.set(workspaceId, desk)
    desk.listeners.add(hear)
    if (!isPatient) this.#eager.add(hear)
    this.#timer ??= setInterval(() => this.#look(), pollMs)
    return {
      moment: missed?.now ?? desk.moment,
      missed: missed === null ? [] : missed.isKnown ? missed.news : null,
      stop: () => {
        desk.listeners.delete(hear)
        this.#eager.delete(hear)
        if (desk.listeners.size === 0 && this.#desks.get(workspaceId) === desk)
          this.#desks.delete(workspaceId)
        if (this.#desks.size > 0) return
        clearInterval(this.#timer)
        this.#timer = undefined
      },
    }
  }

  async #deskOf(workspaceId: string): Promise<Subscription> {
    const known = this.#desks.get(workspaceId)
    if (known) return known
    const desk = { listeners: new Set<Hear>(), moment: await presentMoment(this.#db) }
    // Two may have asked at once; the first one's desk stays.
    const first = this.#desks.get(workspaceId) ?? desk
    this.#desks.set(workspaceId, first)
    return first
  }

  async #look(): Promise<void> {
    const isEarly = this.#eager.size === 0 && performance.now() - this.#lookedAt < patientMs - pollMs / 2
    if (this.#looking || isEarly) return
    this.#looking = true
    this.#lookedAt = performance.now()
    try {
      await this.#tell([...this.#desks])
    } catch (error) {
      this.#onError(error)
    } finally {
      this.#looking = false
    }
  }

  async #tell(desks: [workspaceId: string, desk: Subscription][]): Promise<void> {
    const moments = new Map(desks.map(([workspaceId, { moment }]) => [workspaceId, moment]))
    const { now, told } = await newsOfWatched(this.#db, moments, most)
    for (const [workspaceId, desk] of desks) {
      desk.moment = now
      const news = told.get(workspaceId)
      if (news !== undefined) for (const hear of [...desk.listeners]) hear(news, now)
    }
  }
}
