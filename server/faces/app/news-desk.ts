import { type News, newestEntry, newsSince } from '../../domain/audit/news.ts'
import type { Context } from '../../domain/context.ts'

type Hear = (news: readonly News[]) => unknown

interface Desk {
  listeners: Set<Hear>
  /** The newest entry told of; null while the log is empty. */
  last: string | null
  /** Entries of the overlap that were told of already. */
  sent: Set<string>
}

const pollMs = 400
/** An entry has its id before it is committed, so one with a smaller id can appear after one with a larger. */
const overlapMs = 3_000
const most = 2_000

/**
 * Tells whoever listens what happens in a workspace. Every change leaves an audit entry, so the log is the news; it is
 * asked for a few times a second while somebody listens, once for all of them, and not at all otherwise.
 */
export class NewsDesk {
  readonly #db: Context['db']
  readonly #onError: (error: unknown) => void
  readonly #desks = new Map<string, Desk>()
  #timer: NodeJS.Timeout | undefined
  #looking = false

  constructor(db: Context['db'], onError: (error: unknown) => void) {
    this.#db = db
    this.#onError = onError
  }

  /** Returns what has happened since `after`, null if that is too much to tell, and calls `hear` from then on. */
  async listen(workspaceId: string, after: string | null, hear: Hear) {
    const found = await this.#deskOf(workspaceId)
    const missed = after === null ? [] : await newsSince(this.#db, workspaceId, after, most)
    // Whoever listened there alone may have stopped meanwhile; nobody looks at a desk that is not in the row.
    const desk = this.#desks.get(workspaceId) ?? found
    this.#desks.set(workspaceId, desk)
    desk.listeners.add(hear)
    this.#timer ??= setInterval(() => this.#look(), pollMs)
    return {
      last: missed.at(-1)?.id ?? after ?? desk.last,
      missed: missed.length < most ? missed : null,
      stop: () => {
        desk.listeners.delete(hear)
        if (desk.listeners.size === 0 && this.#desks.get(workspaceId) === desk)
          this.#desks.delete(workspaceId)
        if (this.#desks.size > 0) return
        clearInterval(this.#timer)
        this.#timer = undefined
      },
    }
  }

  async #deskOf(workspaceId: string): Promise<Desk> {
    const known = this.#desks.get(workspaceId)
    if (known) return known
    const desk = {
      listeners: new Set<Hear>(),
      last: await newestEntry(this.#db, workspaceId),
      sent: new Set<string>(),
    }
    // Two may have asked at once; the first one's desk stays.
    const first = this.#desks.get(workspaceId) ?? desk
    this.#desks.set(workspaceId, first)
    return first
  }

  async #look(): Promise<void> {
    if (this.#looking) return
    this.#looking = true
    try {
      await Promise.all([...this.#desks].map(([workspaceId, desk]) => this.#tell(workspaceId, desk)))
    } catch (error) {
      this.#onError(error)
    } finally {
      this.#looking = false
    }
  }

  async #tell(workspaceId: string, desk: Desk): Promise<void> {
    const from = desk.last === null ? firstOfAll : before(desk.last, overlapMs)
    const found = await newsSince(this.#db, workspaceId, from, most)
    const fresh = found.filter(({ id }) => !desk.sent.has(id) && id !== desk.last)
    const last = found.at(-1)?.id
    if (last !== undefined && (desk.last === null || last > desk.last)) desk.last = last
    // What is older than the overlap of the next look need not be remembered.
    desk.sent = new Set(found.map(({ id }) => id))
    if (fresh.length > 0) for (const hear of [...desk.listeners]) hear(fresh)
  }
}

const firstOfAll = '00000000-0000-0000-0000-000000000000'

/** The smallest id of that much earlier: an id begins with its millisecond. */
function before(id: string, milliseconds: number): string {
  const at = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16) - milliseconds
  const hex = Math.max(0, at).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}
