import { beginWork } from '../../server/domain/engine/local/begin.ts'
import { reportProgress } from '../../server/domain/engine/local/report-progress.ts'
import type { DemoLocalWork } from '../script.ts'
import type { Past } from './past.ts'

/** A story that a person holds: taken and reported on by their own coding agent, through the verbs that it uses. */
export function addLocalWork(
  past: Past,
  { storyKey, by, agent, begunMinutesAgo, reports }: DemoLocalWork,
): void {
  let run = ''
  past.did(by, begunMinutesAgo, async (ctx) => {
    run = (await beginWork({ ...ctx, channel: 'mcp' }, storyKey, { agent })).run
  })
  for (const { minutesAgo, ...progress } of reports)
    past.did(by, minutesAgo, (ctx) => reportProgress({ ...ctx, channel: 'mcp' }, run, progress))
}
