import type { Tx } from '../../../infra/db/db.ts'
import { notFound } from '../../errors.ts'
import { selectMissing } from './missing-store.ts'

/** Refuses files that were not uploaded for this run, even if another run has them. */
export async function requireFiles(
  tx: Tx,
  workspaceId: string,
  runId: string,
  files: readonly string[],
): Promise<void> {
  if (files.length === 0) return
  const [missing] = await selectMissing(tx, workspaceId, runId, files)
  if (missing) throw notFound('file', missing)
}
