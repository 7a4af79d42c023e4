import type { Tx } from '../../infra/db/db.ts'
import { markAllRevoked } from './store.ts'

/**
 * Ends the tokens of somebody who leaves, as part of that transaction: whoever is let in again later finds none of them
 * alive. Returns their prefixes.
 */
export const endTokensOf = (tx: Tx, workspaceId: string, personId: string, at: Date): Promise<string[]> =>
  markAllRevoked(tx, workspaceId, personId, at)
