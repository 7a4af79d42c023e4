import type { Db } from '../../../infra/db/db.ts'
import { selectRotationOfInstance } from './store.ts'

/** Which key the installation uses, by its fingerprint, and how far a rotation is. Null: no node has been there yet. */
export interface Rotation {
  fingerprint: string
  /** The one before; null: nothing is left that needs it. */
  previous: string | null
  startedAt: Date | null
  finishedAt: Date | null
}

export const readRotation = async (db: Db): Promise<Rotation | null> =>
  (await selectRotationOfInstance(db)) ?? null
