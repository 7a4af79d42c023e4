import type { Db, Tx } from '../../../infra/db/db.ts'
import { DomainError } from '../../errors.ts'
import { selectTaken } from './store.ts'

/** Refuses a slug or a key prefix that is another team's. A deleted team keeps its own: its stories are still there. */
export async function refuseTaken(
  handle: Db | Tx,
  workspaceId: string,
  team: { slug: string; keyPrefix: string },
): Promise<void> {
  const taken = await selectTaken(handle, workspaceId, team)
  if (!taken) return
  const what = taken === 'keyPrefix' ? `whose stories begin with ${team.keyPrefix}-` : `\`${team.slug}\``
  throw new DomainError('conflict', `There already is, or was, a team ${what}. Choose another.`)
}
