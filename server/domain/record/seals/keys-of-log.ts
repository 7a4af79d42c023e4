import type { KeyObject } from 'node:crypto'
import type { Db } from '../../../infra/db/db.ts'
import { originOf } from './checkpoint.ts'
import { followKeys, type LogKeys } from './log-keys.ts'
import { keyChangesOf } from './store.ts'

/** The key of a log and those before it, as far as the signed notes of their replacement lead. */
export const keysOfLog = async (db: Db, publicKey: KeyObject, workspaceId: string): Promise<LogKeys> =>
  followKeys(publicKey, await keyChangesOf(db, workspaceId), originOf(workspaceId))
