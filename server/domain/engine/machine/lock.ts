import type { Tx } from '../../../infra/db/db.ts'
import { notFound } from '../../errors.ts'
import type { PolicyVersion } from '../../work/policies/change.ts'
import { policySnapshot } from '../../work/policies/snapshot.ts'
import { blank, type RunState } from './machine.ts'
import { type LockedRunRow, selectRunForUpdate } from './run-store.ts'

/** A run, held for the length of the transaction, with everything its next step depends on. */
export interface LockedRun
  extends Pick<LockedRunRow, 'id' | 'key' | 'version' | 'team' | 'story' | 'traceparent'> {
  state: RunState
  policy: PolicyVersion
}

/** To move a run, lock it first, before anything that belongs to it. */
export async function lockRun(
  tx: Tx,
  workspaceId: string,
  by: { id: string } | { key: string },
): Promise<LockedRun> {
  const row = await selectRunForUpdate(tx, workspaceId, by)
  if (!row) throw notFound('run', 'key' in by ? by.key : by.id)
  const { phase, stage, attempt, fence, budgetCents, costMicros, pullRequest, ...rest } = row
  return {
    ...rest,
    policy: await policySnapshot(tx, workspaceId, row.team.id, row.policyVersion),
    state: {
      phase,
      stage,
      attempt,
      fence,
      budgetCents,
      costMicros,
      pullRequest,
      memory: { ...blank, ...row.memory },
    },
  }
}
