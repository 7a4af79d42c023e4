import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { retainFiles } from '../files/retain.ts'
import type { Signer } from './accept.ts'
import { insertEvidence } from './store.ts'

/** Keeps which envelope an attempt was proven with, and whose key it was checked with. What was signed stays for good. */
export async function recordEvidence(
  ctx: Context,
  tx: Tx,
  { runner, key }: Signer,
  attempt: { runId: string; attempt: number; repository: string },
  { envelope, statements = [] }: { envelope: string; statements?: readonly string[] | undefined },
): Promise<void> {
  await insertEvidence(tx, ctx.workspaceId, { ...attempt, envelope, runner, key, at: ctx.clock.now() })
  await retainFiles(tx, ctx.workspaceId, attempt.runId, [envelope, ...statements])
}
