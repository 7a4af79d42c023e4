/** Collects sentences for an auditor. Bounded, because a log with a million wrong entries is also to be reported on. */
export class Findings {
  readonly #sentences: string[] = []
  readonly #most: number
  #unnamed = 0

  constructor(most: number) {
    this.#most = most
  }

  add(...sentences: string[]): void {
    for (const sentence of sentences) {
      if (this.#sentences.length < this.#most) this.#sentences.push(sentence)
      else this.#unnamed += 1
    }
  }

  all(): string[] {
    if (this.#unnamed === 0) return [...this.#sentences]
    return [
      ...this.#sentences,
      `There are ${this.#unnamed} more findings; these are the first ${this.#most}.`,
    ]
  }
}
