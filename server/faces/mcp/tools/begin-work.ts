import { storyKey } from '@signalbox/contract/keys.ts'
import { BeginWork, WorkBegun } from '@signalbox/contract/local-work.ts'
import { beginWork as begin } from '../../../domain/engine/local/begin.ts'
import { appUrl } from '../calls/app-url.ts'
import { gives, nextStep, takes, tool, url, writes } from '../calls/tool.ts'

export const beginWork = tool({
  name: 'begin_work',
  title: 'Start work on a story',
  description:
    'Takes a Ready story for your user, so that the team does not start on it too, and returns the run to report on, the denied paths, the budget and the repository. Report at least every few hours (report_progress or report_evidence): without a report until leaseUntil the story returns to Ready. Called again for the same story it returns the same run.',
  toolset: 'default',
  hints: writes('idempotent'),
  input: takes({ story: storyKey, ...BeginWork.properties }),
  output: gives({ ...WorkBegun.properties, url, nextStep }),
  outside: [],
  async call(call, { story, ...input }) {
    const begun = await begin(call.ctx, story, input)
    return {
      ...begun,
      url: await appUrl(call, 'runs', begun.run),
      nextStep:
        'Call get_story, work on a branch of its own within the denied paths, report with report_progress, then report_evidence and hand_off.',
    }
  },
})
