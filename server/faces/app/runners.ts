import type { reads, writes } from '@signalbox/contract/app/runners.ts'
import type { Context } from '../../domain/context.ts'
import { approveRunner } from '../../domain/runners/approve.ts'
import { drainRunner } from '../../domain/runners/drain.ts'
import { forgetRunner } from '../../domain/runners/forget-removed.ts'
import { listRunners } from '../../domain/runners/list.ts'
import { listRemovedRunners } from '../../domain/runners/list-removed.ts'
import { pauseRunner } from '../../domain/runners/pause.ts'
import { pinRunner } from '../../domain/runners/pin.ts'
import { rejectRunner } from '../../domain/runners/reject.ts'
import { removeRunner } from '../../domain/runners/remove.ts'
import { resumeRunner } from '../../domain/runners/resume.ts'
import { readRunnerApproval, setRunnerApproval } from '../../domain/workspaces/runner-approval.ts'
import type { Handlers } from './operation.ts'

/** Does it, and has nothing to say of it. */
const quietly =
  (verb: (ctx: Context, id: string) => Promise<void>) =>
  async (ctx: Context, { id }: { id: string }) => {
    await verb(ctx, id)
    return null
  }

export const runnersHandlers: Handlers<typeof reads & typeof writes> = {
  'runners.list': async (ctx) => ({ data: await listRunners(ctx) }),
  'runners.removed': async (ctx) => ({ data: await listRemovedRunners(ctx) }),
  'runners.approval': async (ctx) => ({ required: await readRunnerApproval(ctx) }),
  'runners.pause': quietly(pauseRunner),
  'runners.resume': quietly(resumeRunner),
  'runners.drain': quietly(drainRunner),
  'runners.remove': quietly(removeRunner),
  'runners.approve': quietly(approveRunner),
  'runners.reject': quietly(rejectRunner),
  'runners.forget': quietly(forgetRunner),
  'runners.pin': async (ctx, { id, teams }) => {
    await pinRunner(ctx, id, teams)
    return null
  },
  'runners.setApproval': async (ctx, { required }) => {
    await setRunnerApproval(ctx, required)
    return null
  },
}
