import type { Tx } from '../../../infra/db/db.ts'
import { deleteSessionsOfHomeless } from './store.ts'

/**
 * Ends the sessions of a person who has left their last workspace, in the same transaction. Of someone who is still in
 * another one they stay: they do not open the workspace that was left, and what is open elsewhere is not ours to end.
 */
export const endSessionsOf = (tx: Tx, personId: string): Promise<number> =>
  deleteSessionsOfHomeless(tx, personId)
