import type { Db } from '../../../infra/db/db.ts'
import { selectExpiringOfAllWorkspaces } from './store.ts'

/** Tokens that live now and no longer at `until`. */
export const expiringTokens = (db: Db, now: Date, until: Date) =>
  selectExpiringOfAllWorkspaces(db, now, until)
