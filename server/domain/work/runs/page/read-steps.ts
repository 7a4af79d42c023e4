import type { RunStep } from '@signalbox/contract/app/runs.ts'
import type { Context } from '../../../context.ts'
import { findLog, readChunks } from '../log/read.ts'
import { stepsOf } from './steps.ts'
import { selectSteps } from './store.ts'

/** What the workers of a run did, step by step. */
export async function readSteps(ctx: Context, key: string): Promise<RunStep[]> {
  const { runId } = await findLog(ctx, { key })
  const [events, chunks] = await Promise.all([
    selectSteps(ctx.db, ctx.workspaceId, runId),
    readChunks(ctx, runId),
  ])
  return stepsOf(events, chunks)
}
