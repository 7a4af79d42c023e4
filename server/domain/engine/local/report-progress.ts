import { maxProgressLength, type ReportProgress } from '@signalbox/contract/local-work.ts'
import type { Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import { agentText } from '../../text.ts'
import { lockOwnRun } from './holder.ts'
import { noteReport } from './note-report.ts'

/** What a person says of how far they are. It keeps the story theirs. */
export async function reportProgress(
  ctx: Context,
  runKey: string,
  input: ReportProgress,
): Promise<{ leaseUntil: string }> {
  const message = agentText('message', input.message, { least: 1, most: maxProgressLength })
  return change(ctx, async (tx) => {
    const run = await lockOwnRun(ctx, tx, runKey)
    const progress = { ...(input.stage ? { stage: input.stage } : {}), message }
    return noteReport(ctx, tx, run, { progress }, { report: 'progress', ...progress })
  })
}
