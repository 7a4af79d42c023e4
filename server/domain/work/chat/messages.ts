import type { Db, Tx } from '../../../infra/db/db.ts'
import {
  type ChatChannel,
  insertMessage,
  type Shown,
  selectPlacesOfSubject,
  selectShown,
  selectSubject,
  updateShown,
} from './store.ts'

/** Where something is to be shown, and the message that shows it already; undefined: the team has left the place. */
export const findShown = (
  db: Db,
  workspaceId: string,
  placeId: string,
  subject: string,
): Promise<Shown | undefined> => selectShown(db, workspaceId, placeId, subject)

/** Remembers which message shows what, so that it can be kept current. */
export async function keepMessage(
  tx: Tx,
  workspaceId: string,
  row: { placeId: string; subject: string; message: string; shown: Buffer; at: Date },
): Promise<void> {
  await insertMessage(tx, workspaceId, row)
  await updateShown(tx, workspaceId, row.placeId, row.subject, row.shown)
}

/** Where something has a message. */
export const placesShowing = (tx: Tx, workspaceId: string, subject: string): Promise<string[]> =>
  selectPlacesOfSubject(tx, workspaceId, subject)

/** What a message is about; undefined: it is none of ours. */
export const subjectOfMessage = (
  db: Db,
  workspaceId: string,
  channel: ChatChannel,
  message: string,
): Promise<string | undefined> => selectSubject(db, workspaceId, channel, message)
