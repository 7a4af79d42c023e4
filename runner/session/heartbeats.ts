import type { Beat, Beaten } from '@signalbox/contract/runner/messages.ts'
import { BackOff } from '../protocol/back-off.ts'
import type { Client } from '../protocol/client.ts'
import { isSessionGone, Unreachable } from '../protocol/failures.ts'
import type { Time } from '../time.ts'
import type { Session } from './session.ts'

export interface BeatsOptions {
  client: Client
  session: Session
  time: Time
  pulse: () => Beat
  /** While a poll is open and nothing is held, the poll is the beat. */
  isNeeded: () => boolean
  onAnswer: (beaten: Beaten, sentAt: number) => void
}

/** With nothing to do, a beat only now and then: to hear what it is asked. */
const idleSeconds = 180

/** Signs of life: on a timer and a connection of their own, so that nothing slow stands before them. */
export class Heartbeats {
  readonly #options: BeatsOptions
  #turn: Promise<void> = Promise.resolve()
  #wake = Promise.withResolvers<void>()
  readonly #backOff = new BackOff()
  #lastAt = Number.NEGATIVE_INFINITY

  constructor(options: BeatsOptions) {
    this.#options = options
  }

  /** Beats until `signal`. */
  async run(signal: AbortSignal): Promise<void> {
    const { time, session, isNeeded } = this.#options
    while (!signal.aborted) {
      if (isNeeded() || time.now() - this.#lastAt > idleSeconds) await this.now(signal)
      this.#wake = Promise.withResolvers()
      const rest = new AbortController()
      await Promise.race([
        this.#wake.promise,
        time.wait(session.intervals.beatSeconds, AbortSignal.any([signal, rest.signal])),
      ])
      rest.abort()
    }
  }

  /** Beats soon. */
  wake(): void {
    this.#wake.resolve()
  }

  /** Beats at once, after one that is under way. Returns when it was answered, or a little later when it was not. */
  now(signal: AbortSignal): Promise<void> {
    this.#turn = this.#turn.then(() => this.#beat(signal))
    return this.#turn
  }

  async #beat(signal: AbortSignal): Promise<void> {
    const { client, session, time, pulse, onAnswer } = this.#options
    if (signal.aborted) return
    const sentAt = time.now()
    const number = client.session
    try {
      const beaten = await client.beat(pulse(), signal)
      this.#lastAt = sentAt
      this.#backOff.reset()
      session.isBack()
      onAnswer(beaten, sentAt)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof Unreachable) {
        session.isAway(error)
        const most = session.intervals.beatSeconds
        await time.wait(
          Math.min(this.#backOff.next(error.retryAfterSeconds), Math.max(most, error.retryAfterSeconds ?? 0)),
          signal,
        )
      } else if (isSessionGone(error)) {
        await session.renew(number).catch(() => undefined)
        await time.wait(1, signal)
      } else {
        session.refused(error)
        await time.wait(session.intervals.beatSeconds, signal)
      }
    }
  }
}
