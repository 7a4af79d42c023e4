import type { Racers } from '@signalbox/contract/app/stories.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import type { WorkPort } from '../../ports/work.ts'
import { policySnapshot } from '../../work/policies/snapshot.ts'
import { selectStanding } from '../orders/queue-store.ts'
import { readAgents } from '../orders/read-agents.ts'

/** Between which agents a story's team can choose for a race. */
export async function readRacers(
  ctx: Context,
  work: Pick<WorkPort, 'serves'>,
  story: string,
): Promise<Racers> {
  const { db, workspaceId } = ctx
  const team = await selectStanding(db, workspaceId, { story })
  if (!team) throw notFound('story', story)
  if (team.policyVersion === null) return { agents: [] }
  const policy = await policySnapshot(db, workspaceId, team.id, team.policyVersion)
  return { agents: await readAgents(db, workspaceId, team.id, ctx.clock.now(), { work, policy }) }
}
