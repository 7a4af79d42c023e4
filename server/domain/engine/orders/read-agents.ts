import { executors } from '@signalbox/contract/team.ts'
import type { Db, Tx } from '../../../infra/db/db.ts'
import type { WorkPort } from '../../ports/work.ts'
import type { PolicyVersion } from '../../work/policies/change.ts'
import { readWorkforce, unserved } from './workforce.ts'

/** The coding agents that a team's work could be done with now, as far as its policy lets them. Slots may be taken. */
export async function readAgents(
  db: Db | Tx,
  workspaceId: string,
  teamId: string,
  now: Date,
  { work, policy }: { work: Pick<WorkPort, 'serves'>; policy: PolicyVersion },
): Promise<PolicyVersion['executor'][]> {
  const workforce = await readWorkforce(db, workspaceId, teamId, now, { work, ...policy })
  return executors.filter((executor) => {
    const obstacle = unserved({ ...workforce, waiting: [] }, { ...policy, executor })
    return obstacle === null || obstacle.by === 'runner_slots'
  })
}
