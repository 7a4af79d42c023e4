/** Money that one call may use up. Until it is settled, no other call can use it. */
export interface Reservation {
  readonly micros: number
  /** Gives back what was not used; more than was reserved is booked too, since it was billed. */
  settle(micros: number): void
}

/**
 * What a call wants of what is left. Null: it does not fit. `isAlone`: no other call will return anything, so this is
 * the time to want less.
 */
type Want = (leftMicros: number, isAlone: boolean) => number | null

interface Waiting {
  want: Want
  serve: (reservation: Reservation | null) => void
}

/**
 * What an order may spend on models. At all times what was booked and what open calls could still cost are, together,
 * no more than the budget: nothing is passed on before its reservation is here.
 */
export class OrderBudget {
  readonly #cap: number
  readonly #atOnce: number
  readonly #line: Waiting[] = []
  #open = 0
  #calls = 0
  bookedMicros = 0

  /**
   * Null: it is only counted. `atOnce`: how many calls may be open, so that they do not hold all of it between them.
   */
  constructor(capMicros: number | null, atOnce: number) {
    this.#cap = capMicros ?? Number.POSITIVE_INFINITY
    this.#atOnce = atOnce
  }

  get leftMicros(): number {
    return Math.max(0, this.#cap - this.bookedMicros - this.#open)
  }

  /** Waits in line for its turn, first come, first served. Null: what is left does not cover it, or it went away. */
  reserve(want: Want, gone: AbortSignal): Promise<Reservation | null> {
    return new Promise((resolve) => {
      const waiting = { want, serve: resolve }
      gone.addEventListener(
        'abort',
        () => {
          const at = this.#line.indexOf(waiting)
          if (at >= 0) this.#line.splice(at, 1)
          resolve(null)
          this.#serve()
        },
        { once: true },
      )
      if (gone.aborted) return resolve(null)
      this.#line.push(waiting)
      this.#serve()
    })
  }

  #serve(): void {
    while (this.#line.length > 0 && this.#calls < this.#atOnce) {
      const { want, serve } = this.#line[0]!
      const isAlone = this.#calls === 0
      const micros = want(this.leftMicros, isAlone)
      // Those who are under way hold more than they will use.
      if (micros === null && !isAlone) return
      this.#line.shift()
      serve(micros === null ? null : this.#hold(micros))
    }
  }

  #hold(micros: number): Reservation {
    this.#open += micros
    this.#calls++
    let isOpen = true
    return {
      micros,
      settle: (used) => {
        if (!isOpen) return
        isOpen = false
        this.#open -= micros
        this.#calls--
        this.bookedMicros += used
        this.#serve()
      },
    }
  }
}
