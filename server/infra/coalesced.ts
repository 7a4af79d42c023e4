/**
 * Does `work` for a key as often as needed and never twice at once: a request while it is being done is served by
 * one more round afterwards, however many they are. After one that had much to do the next begins some time later, so
 * that in a rush each does more; and immediately after a pause in requests, because then the rush is over.
 */
export class Coalesced {
  readonly #work: (key: string) => Promise<number>
  readonly #onError: (error: Error) => void
  readonly #apartMs: (done: number) => number
  readonly #quietMs: number
  readonly #rounds = new Map<string, Round>()
  #isStopping = false

  /**
   * `work` tells how much there was to do, and `apartMs` how long after its beginning the next round may begin;
   * `quietMs` is the pause after which a rush is over.
   */
  constructor(
    work: (key: string) => Promise<number>,
    options: { apartMs: (done: number) => number; quietMs?: number; onError: (error: Error) => void },
  ) {
    this.#work = work
    this.#onError = options.onError
    this.#apartMs = options.apartMs
    this.#quietMs = options.quietMs ?? 60
  }

  /** Returns the round that this begins; undefined where one is under way, and another follows. */
  ask(key: string): Promise<void> | undefined {
    if (this.#isStopping) return undefined
    const round = this.#rounds.get(key)
    if (!round) return this.#begin(key)
    round.again = true
    round.quiet?.refresh()
    return undefined
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    for (const round of this.#rounds.values()) round.endRest?.()
    await Promise.all([...this.#rounds.values()].map(({ done }) => done))
  }

  #begin(key: string): Promise<void> {
    const begun = performance.now()
    const round: Round = { again: false, done: Promise.resolve() }
    this.#rounds.set(key, round)
    const worked = this.#work(key).catch((error: Error) => {
      this.#onError(error)
      return 0
    })
    round.done = worked
      .then((done) => this.#rest(round, this.#apartMs(done) - (performance.now() - begun)))
      .then(() => {
        this.#rounds.delete(key)
        if (round.again) this.ask(key)
      })
    return worked.then(() => {})
  }

  async #rest(round: Round, ms: number): Promise<void> {
    if (ms <= 0 || this.#isStopping) return
    await new Promise<void>((resolve) => {
      round.endRest = resolve
      round.quiet = setTimeout(resolve, Math.min(ms, this.#quietMs))
      round.longest = setTimeout(resolve, ms)
    })
    clearTimeout(round.quiet)
    clearTimeout(round.longest)
  }
}

interface Round {
  again: boolean
  done: Promise<void>
  /** While it rests. */
  endRest?: () => void
  quiet?: NodeJS.Timeout
  longest?: NodeJS.Timeout
}
