import type { Time } from '../time.ts'
import { Stopped, type TurnWatch } from './order-context.ts'

export interface WatchdogLimits {
  /** Without anything from the agent. */
  silenceSeconds: number
  /** For the whole order. */
  wallSeconds: number
  /** The same tool with the same input, one after the other. */
  sameCalls: number
  /** Free on the disk of the data folder, below which nothing goes on. */
  diskFloorBytes: number
}

export const watchdogLimits: WatchdogLimits = {
  silenceSeconds: 600,
  wallSeconds: 4 * 3600,
  sameCalls: 20,
  diskFloorBytes: 200_000_000,
}

/** Looks after one order while it is worked on, and says when there is no more hope. */
export class Watchdogs {
  readonly #time: Time
  readonly #limits: WatchdogLimits
  readonly #diskFree: () => number | null
  readonly #trip: (why: Stopped) => void
  readonly #began: number
  /** When an agent last printed something; null: none is running. */
  #heardAt: number | null = null
  #lastCall: string | null = null
  #sameCalls = 0

  constructor(
    limits: WatchdogLimits,
    { time, diskFree, trip }: { time: Time; diskFree: () => number | null; trip: (why: Stopped) => void },
  ) {
    this.#limits = limits
    this.#time = time
    this.#diskFree = diskFree
    this.#trip = trip
    this.#began = time.now()
  }

  /** Looks every few seconds until `over`. */
  async watch(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      this.look()
      await this.#time.wait(5, over)
    }
  }

  look(): void {
    const { silenceSeconds, wallSeconds, diskFloorBytes } = this.#limits
    const now = this.#time.now()
    if (this.#heardAt !== null && now - this.#heardAt > silenceSeconds)
      this.#give(`The agent has been silent for ${spoken(silenceSeconds)}.`, 'transient')
    if (now - this.#began > wallSeconds)
      this.#give(`The work has taken longer than ${spoken(wallSeconds)}.`, 'persistent')
    const free = this.#diskFree()
    if (free !== null && free < diskFloorBytes)
      this.#give(
        `The runner's disk is almost full: ${Math.floor(free / 1_000_000)} MB are left.`,
        'transient',
      )
  }

  watchTurn(): TurnWatch {
    this.#heardAt = this.#time.now()
    this.#lastCall = null
    this.#sameCalls = 0
    return {
      onActivity: (call) => {
        this.#heardAt = this.#time.now()
        if (call !== undefined) this.#count(call)
      },
      end: () => {
        this.#heardAt = null
      },
    }
  }

  #count(call: string): void {
    this.#sameCalls = call === this.#lastCall ? this.#sameCalls + 1 : 1
    this.#lastCall = call
    if (this.#sameCalls >= this.#limits.sameCalls)
      this.#give(
        `The agent has made the same call ${this.#sameCalls} times: ${call.slice(0, 200)}`,
        'persistent',
      )
  }

  #give(reason: string, failureClass: 'transient' | 'persistent'): void {
    this.#trip(new Stopped(reason, { how: 'cancel', by: 'watchdog', failureClass }))
  }
}

const spoken = (seconds: number) =>
  seconds % 3600 === 0 ? `${seconds / 3600} hours` : `${Math.round(seconds / 60)} minutes`
