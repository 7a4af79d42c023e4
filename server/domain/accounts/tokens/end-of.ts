import type { Tx } from '../../../infra/db/db.ts'
import { markAllRevoked } from './store.ts'

/**
 * Ends the tokens of a person who leaves, in the same transaction, so that none of them work if the person is let in
 * again later. Returns their prefixes.
 */
export const endTokensOf = (tx: Tx, workspaceId: string, personId: string, at: Date): Promise<string[]> =>
  markAllRevoked(tx, workspaceId, personId, at)
