import type { Obstacle } from '@signalbox/contract/app/stories.ts'
import type { Context } from '../../context.ts'
import type { WorkPort } from '../../ports/work.ts'
import { policySnapshot } from '../../work/policies/snapshot.ts'
import { obstaclesTo } from './obstacles.ts'
import { selectSpending, selectStanding } from './queue-store.ts'
import { readWorkforce } from './workforce.ts'

/** What keeps a team from taking up Ready stories now; nothing of a team, or a story, that is not there. */
export async function readObstacles(
  ctx: Context,
  work: Pick<WorkPort, 'serves'>,
  of: { team: string } | { story: string },
): Promise<Obstacle[]> {
  const { db, workspaceId } = ctx
  const team = await selectStanding(db, workspaceId, of)
  if (!team) return []
  const { id, paused, policyVersion, isAboutOne } = team
  const policy = policyVersion === null ? null : await policySnapshot(db, workspaceId, id, policyVersion)
  const now = ctx.clock.now()
  const spending = await selectSpending(db, workspaceId, id, now)
  const workforce = policy && (await readWorkforce(db, workspaceId, id, now, { work, ...policy }))
  const isInSeveral = !isAboutOne && (workforce?.repositories.length ?? 0) > 1
  return obstaclesTo({ policy, paused, spending, workforce, isInSeveral })
}
