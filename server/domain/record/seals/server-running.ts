import type { Db } from '../../../infra/db/db.ts'
import { isServedInAllWorkspaces } from './store.ts'

/** Whether a server is running on this database. */
export const isServerRunning = (db: Db): Promise<boolean> => isServedInAllWorkspaces(db)
