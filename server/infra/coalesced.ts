import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Does `work` for a key as often as needed and never twice at once: whoever asks while it is being done is served by
 * one more round afterwards, however many they are. After one that had much to do the next begins some time later, so
 * that in a rush each does more.
 */
export class Coalesced {
  readonly #work: (key: string) => Promise<number>
  readonly #onError: (error: Error) => void
  readonly #apartMs: (done: number) => number
  readonly #rounds = new Map<string, { again: boolean; done: Promise<void> }>()
  readonly #stopping = new AbortController()

  /** `work` tells how much there was to do, and `apartMs` how long after its beginning the next round may begin. */
  constructor(
    work: (key: string) => Promise<number>,
    options: { apartMs: (done: number) => number; onError: (error: Error) => void },
  ) {
    this.#work = work
    this.#onError = options.onError
    this.#apartMs = options.apartMs
  }

  /** Returns the round that this begins; undefined where one is under way, and another follows. */
  ask(key: string): Promise<void> | undefined {
    if (this.#stopping.signal.aborted) return undefined
    const round = this.#rounds.get(key)
    if (!round) return this.#begin(key)
    round.again = true
    return undefined
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all([...this.#rounds.values()].map(({ done }) => done))
  }

  #begin(key: string): Promise<void> {
    const begun = performance.now()
    const round = { again: false, done: Promise.resolve() }
    this.#rounds.set(key, round)
    const worked = this.#work(key).catch((error: Error) => {
      this.#onError(error)
      return 0
    })
    round.done = worked
      .then((done) => this.#rest(this.#apartMs(done) - (performance.now() - begun)))
      .then(() => {
        this.#rounds.delete(key)
        if (round.again) this.ask(key)
      })
    return worked.then(() => {})
  }

  async #rest(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => {})
  }
}
