/** When something has worked: one for each kind of traffic. */
export class Pulse {
  readonly name: string
  readonly #beats: number[] = []

  constructor(name: string) {
    this.name = name
  }

  get last(): number {
    return this.#beats.at(-1) ?? Number.NEGATIVE_INFINITY
  }

  beat(at = performance.now()): void {
    this.#beats.push(at)
  }

  /** The first time after that moment. */
  firstAfter(moment: number): number | undefined {
    return this.#beats.find((at) => at > moment)
  }

  /** The times without one between two moments: from the last before until the first after them. */
  gaps(from: number, to: number): Gap[] {
    const found: Gap[] = []
    for (const [at, begun] of this.#beats.entries()) {
      const ended = this.#beats[at + 1]
      if (ended !== undefined && ended > from && begun < to) found.push({ begun, ended })
    }
    return found
  }

  longestGapMs(from: number, to: number): number {
    return Math.max(0, ...this.gaps(from, to).map(({ begun, ended }) => ended - begun))
  }

  /** Since when it has worked without a pause that long, at that moment; undefined: it did not work then. */
  steadySince(moment: number, pauseMs: number): number | undefined {
    const until = this.#beats.findLastIndex((at) => at <= moment)
    if (until < 0 || moment - this.#beats[until]! > pauseMs) return undefined
    let since = until
    while (since > 0 && this.#beats[since]! - this.#beats[since - 1]! <= pauseMs) since -= 1
    return this.#beats[since]
  }
}

export interface Gap {
  begun: number
  ended: number
}
