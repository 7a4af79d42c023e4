import type { runStages } from '@signalbox/contract/run.ts'
import type { jobs } from '@signalbox/contract/runner/messages.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { OrderRef } from '../../ports/work.ts'
import type { Signer } from '../../work/evidence/accept.ts'
import { selectOrderByKey } from './claim-store.ts'

/** An order that a runner has, or had. */
export interface RunnerOrder extends OrderRef {
  run: string
  attempt: number
  teamId: string
  /** The repositories that it is about, by name, the one whose turn it is first; none: the team's first. */
  repositories: string[]
  job: (typeof jobs)[number]
  stage: (typeof runStages)[number]
  /** Nothing more of it is wanted when this is false. */
  isOpen: boolean
  /** The last report of it that was counted. */
  reported: number
  /** Who signs the evidence of it: whatever another key has signed is not taken. */
  signer: Signer
}

/** The order that a runner names. Whether another runner has it or no one does, the error is the same. */
export async function findOrder(
  { db, workspaceId }: Pick<Context, 'db' | 'workspaceId'>,
  runnerId: string,
  { run, fence }: { run: string; fence: number },
): Promise<RunnerOrder> {
  const found = await selectOrderByKey(db, workspaceId, run, fence)
  if (found?.runnerId !== runnerId) throw outdated()
  const { runId, teamId, repositories, job, stage, attempt, isOpen, reported, instance, evidenceKey } = found
  const signer = { runner: instance!, key: evidenceKey! }
  const about = { workspaceId, runId, run, fence, attempt, teamId, repositories }
  return { ...about, job, stage, isOpen, reported, signer }
}

/** An order that is over, or has become another's: nothing more of it is wanted. */
export const outdated = (): DomainError =>
  new DomainError('outdated', 'This work order is over. Stop, and push nothing.', { verdict: 'stop' })
