import type { Tx } from '../../../infra/db/db.ts'
import { firstIdAt } from '../../../infra/ids.ts'
import { removeExports } from './store.ts'

/** Forgets which entries exports from before then held, up to `most`. Proofs that were saved still hold. */
export const removeOldExports = (tx: Tx, workspaceId: string, before: Date, most: number): Promise<number> =>
  removeExports(tx, workspaceId, firstIdAt(before), most)
