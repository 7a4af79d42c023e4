import { runKey } from '@signalbox/contract/keys.ts'
import { maxNoteLength } from '@signalbox/contract/limits.ts'
import { Type } from 'typebox'
import { retryRun as retry } from '../../../domain/engine/lifecycle/retry.ts'
import { appUrl } from '../calls/app-url.ts'
import { gives, idempotencyKey, nextStep, optional, takes, text, tool, url, writes } from '../calls/tool.ts'

export const retryRun = tool({
  name: 'retry_run',
  title: 'Retry a run',
  description:
    'Queues another attempt of a run that failed, timed out or was stopped, under the same run key and the current policy. guidance goes to the coding agent. It costs money within the run’s budget.',
  toolset: 'default',
  hints: writes(),
  input: takes({
    run: runKey,
    guidance: optional(text('What the next attempt should do differently.', maxNoteLength, 0)),
    idempotencyKey,
  }),
  output: gives({ run: runKey, attempt: Type.Integer(), url, nextStep }),
  outside: [],
  async call(call, { run, ...input }) {
    const { attempt } = await retry(call.ctx, run, input)
    return {
      run,
      attempt,
      url: await appUrl(call, 'runs', run),
      nextStep: 'The attempt starts when there is a free slot. Call get_run to see how far it is.',
    }
  },
})
