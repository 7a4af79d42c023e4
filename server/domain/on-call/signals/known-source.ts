import type { SourceKind } from '@signalbox/contract/source.ts'
import type { ProofSource } from '../senders/proving/proof.ts'

/** A source as the intake knows it, with its secrets opened. */
export interface KnownSource {
  id: string
  workspaceId: string
  kind: SourceKind
  name: string
  paused: boolean
  proof(now: Date): ProofSource
}
