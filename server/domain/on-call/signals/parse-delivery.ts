import type { SenderKind } from '@signalbox/contract/signal.ts'
import type { Clock } from '../../../infra/clock.ts'
import { DomainError } from '../../errors.ts'
import { senders } from '../senders/index.ts'
import type { Proof } from '../senders/proving/proof.ts'
import type { Delivered, Reading } from '../senders/reading/reading.ts'
import { isReadable, statusFor } from './acceptance.ts'
import type { KnownSource } from './known-source.ts'
import type { Refusals } from './refusals.ts'

export interface Checks {
  clock: Clock
  proofs: Record<SenderKind, Proof>
  refusals: Pick<Refusals, 'note'>
}

/**
 * Checks a delivery and reads it: the proof over the raw bytes, then what it is written in, then what it says. What is
 * refused is counted for the person who sets the source up.
 */
export function parseDelivery(
  checks: Checks,
  source: KnownSource,
  delivered: Delivered,
): Reading | Promise<Reading> {
  const now = checks.clock.now()
  const result = checks.proofs[source.kind as SenderKind](delivered, source.proof(now), now)
  // Most proofs have nothing to wait for, and deliveries come in storms.
  return result instanceof Promise
    ? result.then((proven) => read(checks, source, delivered, proven))
    : read(checks, source, delivered, result)
}

function read(
  { refusals }: Checks,
  source: KnownSource,
  delivered: Delivered,
  result: Awaited<ReturnType<Proof>>,
): Reading {
  const sender = senders[source.kind as SenderKind]
  const refusal = (error: DomainError) => {
    refusals.note(source.id, error.message)
    return error
  }
  if (!result.proven) throw refusal(new DomainError('invalid_proof', result.reason))
  const { 'content-type': type, 'content-encoding': encoding } = delivered.headers
  if (encoding || !isReadable(sender, Array.isArray(type) ? type[0] : type))
    throw refusal(
      new DomainError(
        'unsupported_media_type',
        'Send JSON, uncompressed, with Content-Type: application/json.',
      ),
    )
  const reading = sender.format(delivered)
  if (statusFor(sender, reading) === 400) throw refusal(new DomainError('invalid_alert', reading.problem!))
  return reading
}
