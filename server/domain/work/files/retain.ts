import type { Tx } from '../../../infra/db/db.ts'
import { markRetained } from './store.ts'

/** These files of a run stay when the others go with their age. */
export const retainFiles = (
  tx: Tx,
  workspaceId: string,
  runId: string,
  files: readonly string[],
): Promise<void> => markRetained(tx, workspaceId, runId, files)
