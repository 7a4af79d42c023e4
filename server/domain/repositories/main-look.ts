import type { Db, Tx } from '../../infra/db/db.ts'
import { type MainLook, selectMainLook, updateMainLook } from './store.ts'

/** What was found last at the main branch of a team. */
export const mainLook = async (db: Db | Tx, workspaceId: string, teamId: string): Promise<MainLook> =>
  (await selectMainLook(db, workspaceId, teamId)) ?? { commit: null, state: null }

/** Remembers what was found. That it is red changes nothing about a person's word that it may be; green ends that. */
export const noteMainLook = (
  tx: Tx,
  workspaceId: string,
  teamId: string,
  look: { commit: string | null; state: 'green' | 'red' | 'kept' },
): Promise<void> => updateMainLook(tx, workspaceId, teamId, look)
