import { change } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { currentPolicy } from '../policies/current.ts'
import { advance } from './advance.ts'
import { holdRun } from './hold.ts'
import { hasOtherOpenRun } from './store.ts'

/** Queues another attempt of a run that failed, timed out or was stopped, under the same key and today's policy. */
export async function retryRun(
  ctx: Context,
  key: string,
  wanted: { guidance?: string } = {},
): Promise<{ attempt: number }> {
  return change(ctx, async (tx) => {
    const run = await holdRun(tx, ctx.workspaceId, { key })
    if (await hasOtherOpenRun(tx, ctx.workspaceId, run.id, run.story.id)) {
      throw new DomainError(
        'conflict',
        `Another run works on ${run.story.key}. Stop it first, or let it finish.`,
      )
    }
    const policy = (await currentPolicy(tx, ctx.workspaceId, run.team.id)) ?? run.policy
    const event = { type: 'retried', guidance: wanted.guidance ?? null } as const
    const advanced = await advance(ctx, tx, { ...run, policy }, event)
    if (!advanced) {
      throw new DomainError(
        'conflict',
        `Run \`${key}\` is ${run.state.place}. Only a run that failed, timed out or was stopped can be retried.`,
      )
    }
    return { value: { attempt: advanced.state.attempt }, audit: advanced.entries }
  })
}
