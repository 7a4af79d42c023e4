import type { Tx } from '../../../infra/db/db.ts'
import { deleteRefusalsBefore } from './refusal-store.ts'

/** Deletes refusals of tools that were mended before then, up to `most`. Returns how many those were. */
export const removeOldRefusals = (tx: Tx, workspaceId: string, before: Date, most: number): Promise<number> =>
  deleteRefusalsBefore(tx, workspaceId, before, most)
