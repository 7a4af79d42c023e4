import type { Tx } from '../../../infra/db/db.ts'
import { updateTeam } from './store.ts'

/** Marks a held team as deleted. Whether it may be is for engine/delete-team.ts to say. */
export const endTeam = (tx: Tx, workspaceId: string, id: string, at: Date): Promise<void> =>
  updateTeam(tx, workspaceId, id, { deletedAt: at }, at)
