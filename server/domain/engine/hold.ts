import type { Tx } from '../../infra/db/db.ts'
import { notFound } from '../errors.ts'
import type { PolicyVersion } from '../policies/change.ts'
import { policySnapshot } from '../policies/snapshot.ts'
import { blank, type RunState } from './machine.ts'
import { type LockedRun, lockRun } from './run-store.ts'

/** A run, held for the length of the transaction, with everything its next step depends on. */
export interface HeldRun extends Pick<LockedRun, 'id' | 'key' | 'version' | 'team' | 'story'> {
  state: RunState
  policy: PolicyVersion
}

/** Whoever wants to move a run holds it first, and holds it before anything that belongs to it. */
export async function holdRun(
  tx: Tx,
  workspaceId: string,
  by: { id: string } | { key: string },
): Promise<HeldRun> {
  const row = await lockRun(tx, workspaceId, by)
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
