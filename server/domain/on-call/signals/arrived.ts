import type { SourceKind } from '@signalbox/contract/source.ts'
import type { Context } from '../../context.ts'
import type { Handshake, ReadAlert } from '../senders/reading/reading.ts'

/** Who is named as the actor. */
export type By = Pick<Context, 'actor' | 'channel' | 'origin'>

export const theIntake: By = { actor: { type: 'system', name: 'alert intake' }, channel: 'intake' }

/**
 * A delivery that was acknowledged, with all that its audit entry will say: neither may depend on what becomes of its
 * source until a round takes it. Kept as JSON.
 */
export interface Arrived {
  id: string
  receivedAt: string
  alerts: ReadAlert[]
  test: boolean
  problem: string | null
  handshake: Handshake | null
  /** Whether there is anything in it to be understood. */
  waits: boolean
  /** Its source as it was; not of one that is recorded already. */
  source?: { kind: SourceKind; name: string }
  /** Left out where it is the intake. */
  by?: By
  /** Its delivery and its entry are there: it is only to be understood. */
  isRecorded?: true
}

/** What arrived from a source. */
export interface ArrivedFrom extends Arrived {
  sourceId: string
}
