import type { Context } from '../../domain/context.ts'
import { capabilitiesOf } from '../../domain/engine/orders/capabilities.ts'
import { workspaceOfOffer } from '../../domain/engine/orders/orders.ts'
import type { LastSeen } from '../../domain/engine/runners/last-seen.ts'
import type { KnownSession } from '../../domain/engine/runners/sessions.ts'
import { kindOf } from '../../domain/engine/supervision/claim.ts'
import { workspacesWithOffers } from '../../domain/engine/supervision/waiting-offers.ts'

/**
 * Why a wait has ended: it is this runner's turn to look for work, there was an offer before it began to wait, what is
 * known may be untrue, the time is over, or the client has gone.
 */
type End = 'called' | 'missed' | 'doubt' | 'time' | 'replaced' | 'gone' | 'closing'

interface Waiting {
  session: KnownSession
  ask: string
  mostMs: number
  gone: AbortSignal
  /** It has no slot free: it waits for news, and takes no one's turn. */
  isFull: boolean
}

interface Held {
  session: KnownSession
  workspaceId: string
  /** It is given an order if there is one for it. */
  isAble: boolean
  end(why: End): void
}

/** What was asked for in vain, and how things stood. */
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
/** The version of one that has lined up and not looked. */
const notLooked = -1
/** How many runners of a workspace look at the same time. */
const callsAtOnce = 4

/**
 * Runners that wait for work. Whether there may be any is told by a counter in memory, so that those who wait cost
 * nothing: another node's offer arrives by NOTIFY, and should that get lost, by a look every few seconds for all of
 * them. While a runner waits it is there; that is written down with the same look.
 *
 * An offer calls a few of them, first those that were given something longest ago, and each that has looked calls the
 * next; one that comes while others of its kind wait lines up behind them. Once one has found that there is nothing for
 * its kind, the others of the kind are not called: a thousand that wait cost an offer as much as two do.
 */
export class Polls {
  readonly #services: Pick<Context, 'db' | 'clock'>
  readonly #lives: LastSeen
  readonly #held = new Map<number, Held>()
  readonly #versions = new Map<string, number>()
  readonly #looks = new Map<number, Look>()
  /** At which version there was nothing for a kind of runner of a workspace. */
  readonly #nothingFor = new Map<string, number>()
  /** In which order runners have their turn: each goes to the end when it is given something. */
  readonly #turns = new Map<number, number>()
  #lastTurn = 0
  /** How many look just now, by workspace. */
  readonly #calls = new Map<string, number>()
  readonly #kinds = new WeakMap<KnownSession, string>()
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
  isWorthALook(session: KnownSession, ask: string): boolean {
    const look = this.#looks.get(session.session)
    // What was asked under another name may have been answered, and the answer lost.
    if (look?.ask !== ask || performance.now() - look.atMs > looksLastMs) return true
    return this.#mayFind(session, look)
  }

  #mayFind(session: KnownSession, look: Look | undefined): boolean {
    const version = this.version(session.workspaceId)
    if (look?.state === session.state && look.version === version) return false
    return this.#nothingFor.get(this.#kindOf(session)) !== version
  }

  /** Whether others of its kind wait for the same, and were given something longer ago. */
  isBehind(session: KnownSession): boolean {
    const [kind, turn] = [this.#kindOf(session), this.#turnOf(session.session)]
    const hasNothing = this.#nothingFor.get(kind) === this.version(session.workspaceId)
    for (const held of this.#held.values()) {
      const { session: other } = held
      if (!held.isAble || other.session === session.session || this.#kindOf(other) !== kind) continue
      // One that has found nothing for a reason of its own is not called again, and is in no one's way.
      if (!hasNothing && !this.#mayFind(other, this.#looks.get(other.session))) continue
      if (this.#turnOf(other.session) < turn) return true
    }
    return false
  }

  /** A session has not looked, because others come first: it is called in its turn. */
  noteBehind(session: KnownSession, ask: string): void {
    this.#note(session, { ask, state: session.state, version: notLooked, atMs: performance.now() })
  }

  /** A session was given nothing as things stood at that version; `isNoneForKind`: nor would another of its kind be. */
  noteLook(
    session: KnownSession,
    ask: string,
    { version, isNoneForKind }: { version: number; isNoneForKind: boolean },
  ): void {
    this.#note(session, { ask, state: session.state, version, atMs: performance.now() })
    if (!isNoneForKind) return
    if (this.#nothingFor.size >= mostLooks) this.#nothingFor.clear()
    this.#nothingFor.set(this.#kindOf(session), version)
  }

  #note(session: KnownSession, look: Look): void {
    if (this.#looks.size >= mostLooks) this.#looks.clear()
    this.#looks.set(session.session, look)
  }

  forget(session: number): void {
    this.#looks.delete(session)
    this.#turns.delete(session)
  }

  /**
   * Returns when it is this runner's turn to look, or there is no use in waiting. A second wait of the same session ends
   * the first. What happened since the caller looked counts as well: it must not wait for what it has missed. Who is
   * `called` calls the next when it has looked.
   */
  wait({ session, ask, mostMs, gone, isFull }: Waiting, since: Since): Promise<End> {
    const { session: number, workspaceId } = session
    const isAble = !isFull && session.state === 'active'
    if (this.#closing) return Promise.resolve('closing')
    if (gone.aborted) return Promise.resolve('gone')
    if (since.doubts !== this.#doubts) return Promise.resolve('doubt')
    if (isAble && since.version !== this.version(workspaceId) && this.isWorthALook(session, ask))
      return Promise.resolve('missed')
    this.#held.get(number)?.end('replaced')
    // Its place in the line counts from here, not from when it is first looked at.
    this.#turnOf(number)
    this.#lives.note(number)
    return new Promise((resolve) => {
      const onGone = () => held.end('gone')
      const timer = setTimeout(() => held.end('time'), mostMs)
      const held: Held = {
        ...{ session, workspaceId, isAble },
        end: (why) => {
          clearTimeout(timer)
          gone.removeEventListener('abort', onGone)
          if (this.#held.get(number) === held) this.#held.delete(number)
          resolve(why)
        },
      }
      gone.addEventListener('abort', onGone)
      this.#held.set(number, held)
      // Those ahead of it may have had their turn while it waited.
      if (isAble && this.#looks.get(number)?.version === notLooked) this.#call(workspaceId)
    })
  }

  /** One that was called has looked. */
  callNext(workspaceId: string): void {
    const calls = (this.#calls.get(workspaceId) ?? 1) - 1
    if (calls > 0) this.#calls.set(workspaceId, calls)
    else this.#calls.delete(workspaceId)
    this.#call(workspaceId)
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
    this.#call(workspaceId)
  }

  #call(workspaceId: string): void {
    for (let calls = this.#calls.get(workspaceId) ?? 0; calls < callsAtOnce; calls += 1) {
      const first = this.#first(workspaceId)
      if (!first) return
      this.#calls.set(workspaceId, calls + 1)
      first.end('called')
    }
  }

  /** Of those that wait and may find something, the one that was given something longest ago. */
  #first(workspaceId: string): Held | undefined {
    let first: Held | undefined
    let least = Number.POSITIVE_INFINITY
    for (const held of this.#held.values()) {
      const { session } = held
      if (held.workspaceId !== workspaceId || !held.isAble) continue
      const turn = this.#turnOf(session.session)
      if (turn >= least || !this.#mayFind(session, this.#looks.get(session.session))) continue
      first = held
      least = turn
    }
    return first
  }

  #turnOf(session: number): number {
    const known = this.#turns.get(session)
    if (known !== undefined) return known
    if (this.#turns.size >= mostLooks) this.#turns.clear()
    this.#lastTurn += 1
    this.#turns.set(session, this.#lastTurn)
    return this.#lastTurn
  }

  #kindOf(session: KnownSession): string {
    const known = this.#kinds.get(session)
    if (known !== undefined) return known
    const kind = `${session.workspaceId} ${kindOf({ ...session, capabilities: capabilitiesOf(session) })}`
    this.#kinds.set(session, kind)
    return kind
  }
}
