import type { KeyObject } from 'node:crypto'
import type { Db } from '../../../infra/db/db.ts'
import { verifierKey } from '../../../infra/signed-note.ts'
import { originOf } from './checkpoint.ts'
import { workspaceIds } from './store.ts'

/** The key of each log, in the form needed to check its files offline. */
export async function verifierKeys(db: Db, publicKey: KeyObject, workspaceId?: string): Promise<string[]> {
  const ids = workspaceId === undefined ? await workspaceIds(db) : [workspaceId]
  return ids.map((id) => verifierKey(originOf(id), publicKey))
}
