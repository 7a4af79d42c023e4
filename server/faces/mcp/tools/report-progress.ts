import { runKey } from '@signalbox/contract/keys.ts'
import { ReportProgress } from '@signalbox/contract/local-work.ts'
import { timestamp } from '@signalbox/contract/shapes.ts'
import { reportProgress as report } from '../../../domain/engine/local/report-progress.ts'
import { gives, nextStep, takes, tool, writes } from '../calls/tool.ts'

export const reportProgress = tool({
  name: 'report_progress',
  title: 'Report progress',
  description:
    'Says in one sentence how far the work of a run is that begin_work returned, and which stage it is in. People see it on the run’s page, marked as reported. It also holds the story: leaseUntil says how long.',
  toolset: 'default',
  hints: writes(),
  input: takes({ run: runKey, ...ReportProgress.properties }),
  output: gives({ run: runKey, leaseUntil: timestamp, nextStep }),
  outside: [],
  async call({ ctx }, { run, ...input }) {
    const { leaseUntil } = await report(ctx, run, input)
    return { run, leaseUntil, nextStep: 'Go on. Report again before leaseUntil.' }
  },
})
