import type { News } from '../../../domain/record/audit/news.ts'
import type { AuditFeed } from '../../http/audit-feed.ts'

interface Waiting {
  /** Which events could change what is waited for. */
  events: RegExp
  look(): void
}

interface WorkspaceWaits {
  waiting: Set<Waiting>
  stop: Promise<() => void>
}

/**
 * Calls that wait for people. A waiting call costs a timer and an entry in a set: the news of a workspace are read once
 * for all of them, and no database connection is held.
 */
export class Waits {
  readonly #news: Pick<AuditFeed, 'listen'>
  readonly #desks = new Map<string, WorkspaceWaits>()
  readonly #closing = new AbortController()

  constructor(news: Pick<AuditFeed, 'listen'>) {
    this.#news = news
  }

  /**
   * Looks now and after every event that may matter, until it sees what it waits for, the time is over, or no one
   * waits any more. Returns what it saw last. `beat` is called in between.
   */
  async until<T>(
    workspaceId: string,
    events: RegExp,
    { seconds, gone, beat }: { seconds: number; gone: AbortSignal; beat: (waited: number) => unknown },
    look: () => Promise<T>,
    isOver: (seen: T) => boolean,
  ): Promise<T> {
    let seen = await look()
    if (seconds === 0 || isOver(seen)) return seen
    const ended = AbortSignal.any([gone, this.#closing.signal])
    const startedAt = performance.now()
    let wake = Promise.withResolvers<void>()
    const waiting: Waiting = { events, look: () => wake.resolve() }
    const desk = this.#join(workspaceId, waiting)
    const onEnd = () => wake.resolve()
    const timer = setTimeout(onEnd, seconds * 1000)
    let beats: NodeJS.Timeout
    const beatIn = (ms: number) => {
      beats = setTimeout(() => {
        beat(Math.round((performance.now() - startedAt) / 1000))
        beatIn(laterBeatsMs)
      }, ms)
    }
    beatIn(firstBeatMs)
    ended.addEventListener('abort', onEnd)
    try {
      await desk.stop
      for (;;) {
        // What happened between the first look and the listening has been missed: look before waiting.
        seen = await look()
        const isLate = performance.now() - startedAt >= seconds * 1000
        if (isOver(seen) || isLate || ended.aborted) return seen
        await wake.promise
        wake = Promise.withResolvers()
      }
    } finally {
      clearTimeout(timer)
      clearTimeout(beats!)
      ended.removeEventListener('abort', onEnd)
      this.#leave(workspaceId, desk, waiting)
    }
  }

  /** Lets everyone go: the server stops. */
  close(): void {
    this.#closing.abort()
  }

  #join(workspaceId: string, waiting: Waiting): WorkspaceWaits {
    let desk = this.#desks.get(workspaceId)
    if (!desk) {
      const all = new Set<Waiting>()
      const listener = (news: readonly News[] | null) => tell(all, news)
      const listening = this.#news.listen(workspaceId, null, listener, { isPatient: true })
      desk = { waiting: all, stop: listening.then(({ stop }) => stop) }
      desk.stop.catch(() => this.#desks.delete(workspaceId))
      this.#desks.set(workspaceId, desk)
    }
    desk.waiting.add(waiting)
    return desk
  }

  #leave(workspaceId: string, desk: WorkspaceWaits, waiting: Waiting): void {
    desk.waiting.delete(waiting)
    if (desk.waiting.size > 0) return
    if (this.#desks.get(workspaceId) === desk) this.#desks.delete(workspaceId)
    desk.stop.then(
      (stop) => stop(),
      () => {},
    )
  }
}

/** Often enough that a user sees that something happens. */
const firstBeatMs = 5_000
/** Often enough for proxies and clients that give up after a minute; every beat is a packet for each who waits. */
const laterBeatsMs = 25_000

function tell(waiting: Set<Waiting>, news: readonly News[] | null): void {
  for (const one of [...waiting])
    if (news === null || news.some(({ event }) => one.events.test(event))) one.look()
}
