import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { PolicyVersion } from '../../work/policies/change.ts'
import { policySnapshot } from '../../work/policies/snapshot.ts'
import { obstaclesTo } from './obstacles.ts'
import { selectSpending } from './queue-store.ts'

/** The team's policy, where it lets a person start anything now. Slots and runners are waited for, or not needed. */
export async function policyToStart(
  ctx: Context,
  tx: Tx,
  team: { id: string; paused: boolean; policyVersion: number | null },
): Promise<PolicyVersion> {
  const policy =
    team.policyVersion === null
      ? null
      : await policySnapshot(tx, ctx.workspaceId, team.id, team.policyVersion)
  const spending = await selectSpending(tx, ctx.workspaceId, team.id, ctx.clock.now())
  const obstacles = obstaclesTo({ policy, paused: team.paused, spending, workforce: null })
  const [obstacle] = obstacles.filter(({ by }) => by !== 'slots')
  if (obstacle || !policy)
    throw new DomainError('conflict', `Nothing can be started now. ${obstacle?.reason ?? ''}`.trim())
  return policy
}
