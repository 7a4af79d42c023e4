import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseAway } from '../infra/db/away.ts'
import type { Logger } from '../infra/log.ts'

/** Does one step of a start, by its name. */
export type Step = <T>(name: string, work: () => Promise<T>) => Promise<T>

/** For a command, which is over when its database is away. */
export const atOnce: Step = (_name, work) => work()

export interface StartOptions {
  log: Logger
  /** Aborted when the start is no longer wanted. */
  unwanted?: AbortSignal | undefined
  /** How long to wait for a database that was never reached. */
  firstContactMs?: number
}

const firstPauseMs = 100
const longestPauseMs = 2_000
/** Databases are started beside us, and take a moment; an address that is wrong is told soon enough. */
const usualFirstContactMs = 10_000

/**
 * A start as a sequence of named steps. A database that goes away in the middle of one ends that step and nothing else:
 * it is done again until it succeeds, so each must leave nothing behind when it fails. What else fails ends the start.
 * The server is not reported as ready before the last of them is done. server/test/serving/start.long.test.ts takes the
 * database away in each step that is named here or anywhere else.
 */
export class Start {
  readonly #log: Logger
  readonly #unwanted: AbortSignal | undefined
  readonly #firstContactUntil: number
  #isReached = false
  #isDone = false

  constructor({ log, unwanted, firstContactMs = usualFirstContactMs }: StartOptions) {
    this.#log = log
    this.#unwanted = unwanted
    this.#firstContactUntil = performance.now() + firstContactMs
  }

  readonly step: Step = async (name, work) => {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      this.#unwanted?.throwIfAborted()
      this.#log.debug({ step: name }, 'starting')
      try {
        const value = await work()
        this.#isReached = true
        return value
      } catch (error) {
        if (!isDatabaseAway(error) || this.#isOver()) throw error
        this.#log.warn(
          // Not as an error with its stack: it is expected, and said again every two seconds.
          { step: name, reason: (error as Error).message },
          'the database went away during the start; the step is tried again',
        )
        await sleep(pauseMs, undefined, { ...(this.#unwanted ? { signal: this.#unwanted } : {}) })
      }
    }
  }

  /** From here on the server is ready whenever its database is. */
  done(): void {
    this.#isDone = true
  }

  isDone(): boolean {
    return this.#isDone
  }

  #isOver(): boolean {
    return !this.#isReached && performance.now() > this.#firstContactUntil
  }
}
