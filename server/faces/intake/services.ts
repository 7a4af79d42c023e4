import type { SenderKind } from '@signalbox/contract/signal.ts'
import type { Proof } from '../../domain/senders/proving/proof.ts'
import type { Receiver } from '../../domain/signals/receive.ts'
import type { Refusals } from '../../domain/signals/refusals.ts'
import type { Sources } from '../../domain/sources/registry.ts'
import type { Clock } from '../../infra/clock.ts'

export interface IntakeServices {
  /** Under which the sources have their addresses: /signals, or nothing when it has a host of its own. */
  path: string
  clock: Clock
  sources: Sources
  proofs: Record<SenderKind, Proof>
  receiver: Receiver
  refusals: Refusals
}
