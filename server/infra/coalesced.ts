import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Does `work` for a key as often as needed and never twice at once: whoever asks while it is being done is served by
 * one more round afterwards, however many they are. Rounds of one key begin some time apart, so that in a rush each
 * does more.
 */
export class Coalesced {
  readonly #work: (key: string) => Promise<unknown>
  readonly #onError: (error: Error) => void
  readonly #apartMs: number
  readonly #rounds = new Map<string, { again: boolean; done: Promise<void> }>()
  readonly #stopping = new AbortController()

  constructor(
    work: (key: string) => Promise<unknown>,
    options: { apartMs: number; onError: (error: Error) => void },
  ) {
    this.#work = work
    this.#onError = options.onError
    this.#apartMs = options.apartMs
  }

  ask(key: string): void {
    if (this.#stopping.signal.aborted) return
    const round = this.#rounds.get(key)
    if (round) round.again = true
    else this.#begin(key)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all([...this.#rounds.values()].map(({ done }) => done))
  }

  #begin(key: string): void {
    const round = { again: false, done: Promise.resolve() }
    this.#rounds.set(key, round)
    round.done = this.#round(key).then(() => {
      this.#rounds.delete(key)
      if (round.again) this.ask(key)
    })
  }

  async #round(key: string): Promise<void> {
    const begun = performance.now()
    await this.#work(key).catch(this.#onError)
    const left = this.#apartMs - (performance.now() - begun)
    if (left > 0) await sleep(left, undefined, { signal: this.#stopping.signal }).catch(() => {})
  }
}
