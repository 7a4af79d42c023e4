import type { Db } from '../../../infra/db/db.ts'
import { selectTeamsOfRepository } from './store.ts'

/** Teams whose code is in a repository of a connection, by the host's own id of it. */
export const teamsOfRepository = (db: Db, workspaceId: string, connectionId: string, remoteId: string) =>
  selectTeamsOfRepository(db, workspaceId, connectionId, remoteId)
