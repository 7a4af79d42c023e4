import type { Db } from '../../infra/db/db.ts'
import { type Place, selectPlace } from './store.ts'

/** A place of a team in a chat tool, with what the tool calls it; undefined when the team has left it. */
export const findPlace = (db: Db, workspaceId: string, id: string): Promise<Place | undefined> =>
  selectPlace(db, workspaceId, id)
