import type { SenderKind } from '@signalbox/contract/signal.ts'
import type { Clock } from '../../infra/clock.ts'
import { DomainError } from '../errors.ts'
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
 * The same for most deliveries, without waiting for anything: null where something has to be waited for, or where there
 * is something to refuse. Nothing is counted then.
 */
export function understandAtOnce(
  { clock, proofs }: Pick<Checks, 'clock' | 'proofs'>,
  source: KnownSource,
  delivered: Delivered,
): Reading | null {
  const kind = source.kind as SenderKind
  const sender = senders[kind]
  const now = clock.now()
  const result = proofs[kind](delivered, source.proof(now), now)
  if (result instanceof Promise || !result.proven) return null
  const { 'content-type': type, 'content-encoding': encoding } = delivered.headers
  if (encoding || !isReadable(sender, Array.isArray(type) ? type[0] : type)) return null
  const reading = sender.format(delivered)
  return statusFor(sender, reading) === 202 ? reading : null
}

/**
 * Checks a delivery and reads it: the proof over the raw bytes, then what it is written in, then what it says. What is
 * refused is counted for the person who sets the source up.
 */
export async function understand(
  { clock, proofs, refusals }: Checks,
  source: KnownSource,
  delivered: Delivered,
): Promise<Reading> {
  const kind = source.kind as SenderKind
  const sender = senders[kind]
  const refusal = (error: DomainError) => {
    refusals.note(source.id, error.message)
    return error
  }
  const now = clock.now()
  const result = await proofs[kind](delivered, source.proof(now), now)
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
