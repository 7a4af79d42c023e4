import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { Signer } from './accept.ts'
import { insertEvidence } from './store.ts'

/** Keeps which envelope an attempt was proven with, and whose key it was checked with. */
export const recordEvidence = (
  ctx: Context,
  tx: Tx,
  { runner, key }: Signer,
  attempt: { runId: string; attempt: number; repository: string },
  envelope: string,
): Promise<void> =>
  insertEvidence(tx, ctx.workspaceId, { ...attempt, envelope, runner, key, at: ctx.clock.now() })
