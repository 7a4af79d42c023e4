import { runKey } from '@signalbox/contract/keys.ts'
import { EvidenceReported, ReportEvidence } from '@signalbox/contract/local-work.ts'
import { reportEvidence as report } from '../../../domain/engine/local/report-evidence.ts'
import { gives, nextStep, takes, tool, writes } from '../calls/tool.ts'

export const reportEvidence = tool({
  name: 'report_evidence',
  title: 'Report evidence',
  description:
    'Reports what shows that the work of a run is right: for each acceptance criterion (by its id from get_story) passed, failed or skipped with a proof in words, the commands you ran with their exit codes and the end of their output, what the Demonstrate step showed, and links. Replaces what was reported before. It is shown as reported, not as proven: gates run on a runner before anything is merged. Returns the criteria that are still open.',
  toolset: 'default',
  hints: writes('idempotent'),
  input: takes({ run: runKey, ...ReportEvidence.properties }),
  output: gives({ run: runKey, ...EvidenceReported.properties, nextStep }),
  outside: ['openCriteria.text'],
  async call({ ctx }, { run, ...input }) {
    const reported = await report(ctx, run, input)
    const nextStep =
      reported.openCriteria.length > 0
        ? 'Meet the open criteria and report again.'
        : 'Push your branch, then call hand_off with its name and commit.'
    return { run, ...reported, nextStep }
  },
})
