import type { reads, writes } from '@signalbox/contract/app/runners.ts'
import { readRunnerApproval, setRunnerApproval } from '../../../domain/accounts/workspaces/runner-approval.ts'
import type { Context } from '../../../domain/context.ts'
import { approveRunner } from '../../../domain/engine/runners/approve.ts'
import { drainRunner } from '../../../domain/engine/runners/drain.ts'
import { forgetRunner } from '../../../domain/engine/runners/forget-removed.ts'
import { listRunners } from '../../../domain/engine/runners/list.ts'
import { listFolders } from '../../../domain/engine/runners/list-folders.ts'
import { listRemovedRunners } from '../../../domain/engine/runners/list-removed.ts'
import { pauseRunner } from '../../../domain/engine/runners/pause.ts'
import { pinRunner } from '../../../domain/engine/runners/pin.ts'
import { rejectRunner } from '../../../domain/engine/runners/reject.ts'
import { removeRunner } from '../../../domain/engine/runners/remove.ts'
import { resumeRunner } from '../../../domain/engine/runners/resume.ts'
import type { Handlers } from '../operation.ts'

/** As in the runner's package. */
const leastNode = 24

/** Does it, and has nothing to say of it. */
const quietly =
  (verb: (ctx: Context, id: string) => Promise<void>) =>
  async (ctx: Context, { id }: { id: string }) => {
    await verb(ctx, id)
    return null
  }

export const runnersHandlers: Handlers<typeof reads & typeof writes> = {
  'runners.program': async (ctx, _, { readProgram, restart }) => {
    const [program, folders] = await Promise.all([readProgram(), listFolders(ctx)])
    if (!program) return { program: null, folders, restart }
    const { sha256, bytes } = program
    const path = `/runner/${sha256}/signalbox-runner.mjs`
    return { program: { path, sha256, bytes: bytes.length, leastNode }, folders, restart }
  },
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
