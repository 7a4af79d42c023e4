import type { Db, Tx } from '../../../infra/db/db.ts'
import { type MainLook, selectIsAnotherRed, selectMainLook, updateMainLook } from './store.ts'

/** What was found last at the main branch of a team's repository; without a name, of its first. */
export const mainLook = async (
  db: Db | Tx,
  workspaceId: string,
  teamId: string,
  name: string | null,
): Promise<MainLook> => (await selectMainLook(db, workspaceId, teamId, name)) ?? { commit: null, state: null }

/** Whether the main branch of another of its repositories is known to be red. */
export const isAnotherRed = async (
  db: Db | Tx,
  workspaceId: string,
  teamId: string,
  name: string | null,
): Promise<boolean> => selectIsAnotherRed(db, workspaceId, teamId, name)

/** Remembers what was found. That it is red changes nothing about a person's word that it may be; green ends that. */
export const noteMainLook = (
  tx: Tx,
  workspaceId: string,
  teamId: string,
  name: string | null,
  look: { commit: string | null; state: 'green' | 'red' | 'kept' },
): Promise<void> => updateMainLook(tx, workspaceId, teamId, name, look)
