import type { Clock } from '../infra/clock.ts'

/** A clock that is stopped until a test moves it. */
export class TestClock implements Clock {
  #now: number

  constructor(start = '2026-03-31T12:00:00.000Z') {
    this.#now = Date.parse(start)
  }

  now(): Date {
    return new Date(this.#now)
  }

  forward(milliseconds: number): void {
    this.#now += milliseconds
  }
}
