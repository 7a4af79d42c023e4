import type { SenderKind } from '@signalbox/contract/signal.ts'
import type { Proof } from '../../domain/on-call/senders/proving/proof.ts'
import type { Receiver } from '../../domain/on-call/signals/receive.ts'
import type { Refusals } from '../../domain/on-call/signals/refusals.ts'
import type { TestMarks } from '../../domain/on-call/signals/test-marks.ts'
import type { Sources } from '../../domain/on-call/sources/registry.ts'
import type { Clock } from '../../infra/clock.ts'
import type { RateLimiter } from '../../infra/http/rate-limit.ts'

export interface IntakeServices {
  /** Under which the sources have their addresses: /signals, or nothing when it has a host of its own. */
  path: string
  /** The database belongs to another version of this server: what is written there could be lost or wrong. */
  isForeign: () => boolean
  clock: Clock
  sources: Sources
  proofs: Record<SenderKind, Proof>
  receiver: Receiver
  refusals: Refusals
  testMarks: TestMarks
  /** By source. */
  limiter: RateLimiter
}
