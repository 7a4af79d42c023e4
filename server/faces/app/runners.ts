import type { reads, writes } from '@signalbox/contract/app/runners.ts'
import type { Context } from '../../domain/context.ts'
import { drainRunner } from '../../domain/runners/drain.ts'
import { listRunners } from '../../domain/runners/list.ts'
import { pauseRunner } from '../../domain/runners/pause.ts'
import { removeRunner } from '../../domain/runners/remove.ts'
import { resumeRunner } from '../../domain/runners/resume.ts'
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
  'runners.pause': quietly(pauseRunner),
  'runners.resume': quietly(resumeRunner),
  'runners.drain': quietly(drainRunner),
  'runners.remove': quietly(removeRunner),
}
