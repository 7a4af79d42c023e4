import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { Entry } from '../../record/audit/change.ts'
import { pauseUnpausedOfAllWorkspaces } from './store.ts'

/** Pauses every team of the installation that is not paused. Returns the entry of each. */
export async function pauseAllTeams(
  operator: Omit<Context, 'workspaceId'>,
  tx: Tx,
  reason: string,
): Promise<{ ctx: Context; entry: Entry }[]> {
  const { clock, actor } = operator
  const paused = await pauseUnpausedOfAllWorkspaces(tx, actor.name, reason, clock.now())
  return paused.map(({ workspaceId, slug, name }) => ({
    ctx: { ...operator, workspaceId },
    entry: {
      event: 'team_paused',
      team: slug,
      entity: { type: 'team', id: slug, name },
      details: { reason },
    },
  }))
}
