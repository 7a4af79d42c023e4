import { runKey } from '@signalbox/contract/keys.ts'
import { maxNoteLength } from '@signalbox/contract/limits.ts'
import { RunListed } from '@signalbox/contract/run.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { Type } from 'typebox'
import { stopRun as stop } from '../../../domain/engine/lifecycle/stop.ts'
import { readRun } from '../../../domain/work/runs/read.ts'
import { appUrl } from '../calls/app-url.ts'
import { gives, nextStep, optional, takes, text, tool, url, writes } from '../calls/tool.ts'

export const stopRun = tool({
  name: 'stop_run',
  title: 'Stop a run',
  description:
    'Ends the current attempt of a run. Work that was not pushed is lost, and its open questions are withdrawn; the story stays where it is. Without confirm: true nothing is stopped: you are told what would end, so that you can ask your user first.',
  toolset: 'default',
  hints: writes('destructive', 'idempotent'),
  input: takes({
    run: runKey,
    reason: optional(text('Why, for the people who read it later.', maxNoteLength, 0)),
    confirm: optional(Type.Boolean({ description: 'true once your user has agreed' })),
  }),
  output: gives({
    run: runKey,
    stopped: Type.Boolean(),
    status: RunListed.properties.status,
    stage: RunListed.properties.stage,
    message: Type.String(),
    url,
    nextStep,
  }),
  outside: [],
  async call(call, { run, reason, confirm = false }) {
    const { ctx } = call
    const url = await appUrl(call, 'runs', run)
    if (confirm) await stop(ctx, run, { confirmed: true, ...(reason === undefined ? {} : { reason }) })
    const { status, stage, story, costCents } = fromJson(await readRun(ctx, run))
    const standing = { run, stopped: confirm, status, stage, url }
    if (confirm)
      return { ...standing, message: 'The run was stopped.', nextStep: 'retry_run queues another attempt.' }
    return {
      ...standing,
      message: `Stopping would end the work on ${story.key}, which is ${status} in the stage ${stage} and has cost ${costCents} cents so far.`,
      nextStep: 'Ask your user. If they agree, call again with confirm: true.',
    }
  },
})
