import type { Clock } from '../infra/clock.ts'
import type { Logger } from '../infra/log.ts'
import type { Metrics } from '../infra/metrics.ts'
import type { Config } from './config.ts'
import type { Storage } from './storage.ts'

/** What every part stands on. */
export interface Base {
  config: Config
  clock: Clock
  log: Logger
  storage: Storage
  metrics: Metrics
}
