import type { Tx } from '../../../infra/db/db.ts'
import { notFound } from '../../errors.ts'
import { type LockedTeam, selectTeamById, selectTeamForUpdate, updatePolicyVersion } from './store.ts'

/** The team, held for the length of the transaction, so that two changes of it come one after the other. */
export async function lockTeam(tx: Tx, workspaceId: string, slug: string) {
  const team = await selectTeamForUpdate(tx, workspaceId, slug)
  if (!team) throw notFound('team', slug)
  return team
}

export async function setPolicyVersion(
  tx: Tx,
  workspaceId: string,
  teamId: string,
  version: number,
  at: Date,
): Promise<void> {
  await updatePolicyVersion(tx, workspaceId, teamId, version, at)
}

/** The same, by id, for the engine. A team is always locked before its runs. */
export const lockTeamById = (tx: Tx, workspaceId: string, id: string): Promise<LockedTeam | undefined> =>
  selectTeamById(tx, workspaceId, id)
