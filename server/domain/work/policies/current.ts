import type { Db, Tx } from '../../../infra/db/db.ts'
import { type PolicyVersion, selectPolicy } from './store.ts'

/** The current policy; undefined for a team without one. */
export const currentPolicy = (
  db: Db | Tx,
  workspaceId: string,
  teamId: string,
): Promise<PolicyVersion | undefined> => selectPolicy(db, workspaceId, teamId)
