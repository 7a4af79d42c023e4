import type { Db } from '../../../infra/db/db.ts'
import { selectSocketConnectionsOfAllWorkspaces } from './store.ts'

/** Connections that may be told by a socket of our own. The version changes with their credentials. */
export const socketConnections = (db: Db) => selectSocketConnectionsOfAllWorkspaces(db)
