import type { Db, Tx } from '../../../infra/db/db.ts'
import { type PolicyVersion, selectPolicyVersion } from './store.ts'

const known = new Map<string, PolicyVersion>()
const mostKnown = 1_000

/** A version of a team's policy. Versions never change, so each is read once. */
export async function policySnapshot(
  db: Db | Tx,
  workspaceId: string,
  teamId: string,
  version: number,
): Promise<PolicyVersion> {
  const name = `${teamId}/${version}`
  const remembered = known.get(name)
  if (remembered) return remembered
  const policy = await selectPolicyVersion(db, workspaceId, teamId, version)
  if (!policy) throw new Error(`Team ${teamId} has no policy ${version}.`)
  if (known.size >= mostKnown) known.clear()
  known.set(name, policy)
  return policy
}
