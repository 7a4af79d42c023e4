import type { Clock } from '../infra/clock.ts'
import type { Logger } from '../infra/log.ts'
import type { Metrics } from '../infra/metrics.ts'
import type { OpenTelemetry } from '../infra/telemetry/open-telemetry.ts'
import type { Config } from './config.ts'
import type { Storage } from './storage.ts'

/** What every part needs. */
export interface Base {
  config: Config
  clock: Clock
  log: Logger
  storage: Storage
  metrics: Metrics
  /** Left out where nothing is traced. */
  telemetry?: OpenTelemetry
}

export interface Part {
  stop(): unknown
}

/** What has been started. Stopping goes backwards: whatever needs a part is stopped before it. */
export class Parts {
  readonly #log: Logger
  readonly #onStopping: () => void
  readonly #running: Part[] = []

  constructor(log: Logger, onStopping: () => void = () => {}) {
    this.#log = log
    this.#onStopping = onStopping
  }

  add<P extends Part>(part: P): P {
    // A step of the start that is done again adds it again.
    if (!this.#running.includes(part)) this.#running.push(part)
    return part
  }

  /** Returns whether each stopped cleanly. */
  async stop(): Promise<boolean> {
    this.#onStopping()
    let isClean = true
    for (const part of this.#running.splice(0).reverse()) {
      try {
        await part.stop()
      } catch (error) {
        isClean = false
        this.#log.warn({ err: error }, 'a part did not stop cleanly')
      }
    }
    return isClean
  }
  /** The end of what was served: the last line of the log says that nothing was cut short. */
  async stopServing(): Promise<void> {
    if (await this.stop()) this.#log.info('stopped')
  }
}
