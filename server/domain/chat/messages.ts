import type { Db, Tx } from '../../infra/db/db.ts'
import { insertMessage, type Shown, selectShown } from './store.ts'

/** Where something is to be shown, and the message that shows it already; undefined: the team has left the place. */
export const findShown = (
  db: Db,
  workspaceId: string,
  placeId: string,
  subject: string,
): Promise<Shown | undefined> => selectShown(db, workspaceId, placeId, subject)

/** Remembers which message shows what, so that it can be kept current. */
export const keepMessage = (
  tx: Tx,
  workspaceId: string,
  shown: { placeId: string; subject: string; message: string; at: Date },
): Promise<void> => insertMessage(tx, workspaceId, shown)
