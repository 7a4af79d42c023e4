import type { Tx } from '../../../infra/db/db.ts'
import { lockOwnersAnd } from './store.ts'

/** Holds several members who are about to change, with all owners, as one who changes is held. */
export const lockMembers = (tx: Tx, workspaceId: string, personIds: readonly string[]): Promise<string[]> =>
  lockOwnersAnd(tx, workspaceId, ...personIds)
