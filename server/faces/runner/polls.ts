import type { Context } from '../../domain/context.ts'
import { workspaceOfOffer } from '../../domain/engine/orders/orders.ts'
import type { LastSeen } from '../../domain/engine/runners/last-seen.ts'
import type { KnownSession } from '../../domain/engine/runners/sessions.ts'
import { workspacesWithOffers } from '../../domain/engine/supervision/waiting-offers.ts'

/** Why a wait has ended: there may be work, what is known may be untrue, the time is over, or the client has gone. */
type End = 'news' | 'doubt' | 'time' | 'replaced' | 'gone' | 'closing'

interface Held {
  workspaceId: string
  end(why: End): void
}

/** What a session asked for in vain, and how things stood. */
interface Look {
  ask: string
  state: string
  version: number
  atMs: number
}

/** How things stood when a caller last looked. */
interface Since {
  doubts: number
  version: number
}

/** The answer to a look may have been given by another node; after a while it is asked for again. */
const looksLastMs = 60_000
const mostLooks = 10_000

/**
 * Runners that wait for work. Whether there may be any is told by a counter in memory, so that those who wait cost
 * nothing: another node's offer arrives by NOTIFY, and should that get lost, by a look every few seconds for all of
 * them. While a runner waits it is there; that is written down with the same look.
 */
export class Polls {
  readonly #services: Pick<Context, 'db' | 'clock'>
  readonly #lives: LastSeen
  readonly #held = new Map<number, Held>()
  readonly #versions = new Map<string, number>()
  readonly #looks = new Map<number, Look>()
  #doubts = 0
  #closing = false

  constructor({ lives, ...services }: Pick<Context, 'db' | 'clock'> & { lives: LastSeen }) {
    this.#services = services
    this.#lives = lives
  }

  /** Moves with every offer in the workspace. */
  version(workspaceId: string): number {
    return this.#versions.get(workspaceId) ?? 0
  }

  /** Moves whenever what is known of tokens and sessions may have become untrue. */
  get doubts(): number {
    return this.#doubts
  }

  /** Whether a session could be given something that it could not be given before. */
  isWorthALook({ session, workspaceId, state }: KnownSession, ask: string): boolean {
    const look = this.#looks.get(session)
    return (
      look?.ask !== ask ||
      look.state !== state ||
      look.version !== this.version(workspaceId) ||
      performance.now() - look.atMs > looksLastMs
    )
  }

  /** A session was given nothing as things stood at that version. */
  noteLook({ session, state }: KnownSession, ask: string, version: number): void {
    if (this.#looks.size >= mostLooks) this.#looks.clear()
    this.#looks.set(session, { ask, state, version, atMs: performance.now() })
  }

  forget(session: number): void {
    this.#looks.delete(session)
  }

  /**
   * Returns when there may be work, or no use in waiting. A second wait of the same session ends the first. What
   * happened since the caller looked counts as well: it must not wait for what it has missed.
   */
  wait(
    { session, workspaceId }: KnownSession,
    mostMs: number,
    gone: AbortSignal,
    since: Since,
  ): Promise<End> {
    if (this.#closing) return Promise.resolve('closing')
    if (gone.aborted) return Promise.resolve('gone')
    if (since.doubts !== this.#doubts) return Promise.resolve('doubt')
    if (since.version !== this.version(workspaceId)) return Promise.resolve('news')
    this.#held.get(session)?.end('replaced')
    this.#lives.note(session)
    return new Promise((resolve) => {
      const onGone = () => held.end('gone')
      const timer = setTimeout(() => held.end('time'), mostMs)
      const held: Held = {
        workspaceId,
        end: (why) => {
          clearTimeout(timer)
          gone.removeEventListener('abort', onGone)
          if (this.#held.get(session) === held) this.#held.delete(session)
          resolve(why)
        },
      }
      gone.addEventListener('abort', onGone)
      this.#held.set(session, held)
    })
  }

  onNews(news: string): void {
    const workspaceId = workspaceOfOffer(news)
    if (workspaceId) this.#wake(workspaceId)
  }

  /** A token may have been revoked, a runner paused: everyone shows once more who they are. */
  onInvalidated(): void {
    this.#doubts += 1
    for (const held of [...this.#held.values()]) held.end('doubt')
  }

  close(): void {
    this.#closing = true
    for (const held of [...this.#held.values()]) held.end('closing')
  }

  /** Those who wait are there; and an offer whose announcement was lost is found. */
  async look(): Promise<void> {
    for (const session of this.#held.keys()) this.#lives.note(session)
    await this.#lives.write()
    if (this.#held.size === 0) return
    const waitedFor = new Set([...this.#held.values()].map(({ workspaceId }) => workspaceId))
    for (const workspaceId of await workspacesWithOffers(this.#services))
      if (waitedFor.has(workspaceId)) this.#wake(workspaceId)
  }

  #wake(workspaceId: string): void {
    this.#versions.set(workspaceId, this.version(workspaceId) + 1)
    for (const held of [...this.#held.values()]) if (held.workspaceId === workspaceId) held.end('news')
  }
}
