import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { LockedRun } from '../machine/lock.ts'
import { sampledTrace } from '../machine/trace.ts'

/** A step of a traced run, as a wake-up names it. */
export interface TracedStep {
  runId: string
  /** The number of the event that was the step. */
  version: number
  /** The work order that ended with it; 0: none did. */
  endedFence: number
}

const isSame = (a: LockedRun['state'], b: LockedRun['state']) =>
  a.phase === b.phase && a.stage === b.stage && a.attempt === b.attempt

/** Has the spans recorded that a step has ended, once it is committed. Of a run that is not traced, nothing is sent. */
export async function announceStep(
  ctx: Context,
  tx: Tx,
  before: LockedRun,
  after: LockedRun,
  endsOrder: boolean,
): Promise<void> {
  if (!sampledTrace(before.traceparent) || (!endsOrder && isSame(before.state, after.state))) return
  const endedFence = endsOrder ? before.state.fence : 0
  const id = nameOf({ runId: before.id, version: after.version, endedFence })
  await ctx.queue.send(tx, { task: 'trace', workspaceId: ctx.workspaceId, id })
}

const nameOf = ({ runId, version, endedFence }: TracedStep) => `${runId}/${version}/${endedFence}`

export function stepNamed(name: string): TracedStep {
  const [runId = '', version, endedFence] = name.split('/')
  return { runId, version: Number(version), endedFence: Number(endedFence) }
}
