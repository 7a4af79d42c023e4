import type { Tx } from '../../infra/db/db.ts'
import { updateMainRed } from './store.ts'

/** Notes whether the team's main branch is red: since when, or null once it is green. */
export const setMainRed = (tx: Tx, workspaceId: string, teamId: string, since: Date | null): Promise<void> =>
  updateMainRed(tx, workspaceId, teamId, since)
